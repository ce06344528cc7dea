// Over Models/Chat.swift: delete rules, counts, relationships in predicates and sorts, a worker
// actor.

import Foundation
import SwiftData
import Testing

@MainActor
final class ChatTests {
  private let store: TestStore
  private let types: [any PersistentModel.Type] = [Conversation.self]

  init() throws { store = try TestStore() }
  deinit { store.remove() }

  private let noon = Date(timeIntervalSinceReferenceDate: 820_000_000)

  private func fill() throws {
    try store.session(types) { (context: ModelContext) throws in
      let ada = Participant("Ada", phone: "+31")
      let bo = Participant("Bo")
      let cleo = Participant("Cleo")
      let boat = Conversation(slug: "boat", title: "The boat", participants: [ada, bo])
      let leak = boat.send("Leak at the bow", by: ada, at: noon, priority: .high)
      let answer = boat.send("I will mend item 10", by: bo, at: noon + 10)
      answer.replyTo = leak
      boat.send("And item 2, at the café", by: bo, at: noon + 20)
      leak.reactions = [Reaction("!", by: bo), Reaction("?", by: cleo)]
      leak.media = Media(caption: "Bow", frames: [Frame(pixels: Data([1])), Frame(pixels: Data([2]))])
      boat.pinned = leak
      let party = Conversation(slug: "party", participants: [cleo, ada])
      party.send("Item 1: cake", by: cleo, at: noon + 30).isRead = true
      party.mutedUntil = noon + 60
      context.insert(boat)
      context.insert(party)
      try context.save()
    }
  }

  private func conversation(_ slug: String, in context: ModelContext) throws -> Conversation {
    try #require(try context.first(where: #Predicate<Conversation> { $0.slug == slug }))
  }

  private func slugs(_ predicate: Predicate<Conversation>, in context: ModelContext) throws -> [String] {
    try context.fetch(FetchDescriptor(predicate: predicate, sortBy: [SortDescriptor(\.slug)])).map(\.slug)
  }

  @Test func relationshipsComeBackBothWays() throws {
    try fill()
    try store.session(types) { (context: ModelContext) throws in
      let boat = try conversation("boat", in: context)
      #expect(
        boat.transcript == [
          "Ada: Leak at the bow", "Bo: I will mend item 10", "Bo: And item 2, at the café",
        ])
      #expect(Set(boat.participants.map(\.name)) == ["Ada", "Bo"])
      let leak = try #require(boat.pinned)
      #expect(leak.priority == .high)
      #expect(leak.conversation === boat)
      #expect(leak.replies.map(\.text) == ["I will mend item 10"])
      #expect(leak.replies.first?.replyTo === leak)
      #expect(Set(leak.reactions?.map(\.symbol) ?? []) == ["!", "?"])
      #expect(leak.media?.message === leak)
      #expect(Set(leak.media?.frames.map(\.pixels) ?? []) == [Data([1]), Data([2])])
      let ada = try #require(leak.author)
      #expect(ada.phone == "+31")
      #expect(Set(ada.conversations.map(\.slug)) == ["boat", "party"])
      #expect(ada.sent.map(\.text) == ["Leak at the bow"])
      #expect(ada.reactions?.isEmpty ?? true)
    }
  }

  @Test func predicatesGoOverRelationships() throws {
    try fill()
    try store.session(types) { (context: ModelContext) throws in
      #expect(try slugs(Conversation.mentioning("ITEM"), in: context) == ["boat", "party"])
      #expect(try slugs(Conversation.mentioning("cafe"), in: context) == ["boat"])
      #expect(try slugs(Conversation.with("Ada", moreThan: 2), in: context) == ["boat"])
      #expect(try slugs(Conversation.with("Cleo", moreThan: 2), in: context).isEmpty)
      #expect(try slugs(Conversation.quiet, in: context) == ["party"])
      #expect(try slugs(Conversation.audible(at: noon), in: context) == ["boat"])
      #expect(try slugs(Conversation.audible(at: noon + 61), in: context) == ["boat", "party"])

      let boat = try conversation("boat", in: context)
      let unread = Message.unread(in: boat.persistentModelID)
      #expect(try context.fetchCount(FetchDescriptor(predicate: unread)) == 3)
      #expect(boat.unread == 3)
      let byCleo = FetchDescriptor(predicate: Message.by(["Cleo", "Nobody"]))
      #expect(try context.fetch(byCleo).map(\.text) == ["Item 1: cake"])
      #expect(
        try context.fetch(FetchDescriptor(predicate: Message.answered)).map(\.text) == ["Leak at the bow"])
      #expect(
        try context.fetch(FetchDescriptor(predicate: Message.answers)).map(\.text) == ["I will mend item 10"])

      let untitled = FetchDescriptor<Conversation>(predicate: #Predicate { $0.title == nil })
      #expect(try context.fetch(untitled).map(\.slug) == ["party"])
      let wanted: Set<PersistentIdentifier> = [boat.persistentModelID]
      let chosen = FetchDescriptor<Conversation>(
        predicate: #Predicate { wanted.contains($0.persistentModelID) })
      #expect(try context.fetch(chosen).map(\.slug) == ["boat"])
    }
  }

  @Test func sortDescriptorsFollowOneAnother() throws {
    try fill()
    try store.session(types) { (context: ModelContext) throws in
      let boat = try conversation("boat", in: context)
      let bo = try #require(boat.participants.first { $0.name == "Bo" })
      for text in ["item 10", "Item 9", "item 1"] { boat.send(text, by: bo, at: noon, priority: .low) }
      try context.save()
      #expect(
        try context.fetch(Message.search("item")).map(\.text) == [
          "And item 2, at the café", "I will mend item 10", "Item 1: cake", "item 1", "Item 9", "item 10",
        ])
    }
  }

  @Test func cascadesGoDownTheChain() throws {
    try fill()
    try store.session(types) { (context: ModelContext) throws in
      context.delete(try conversation("boat", in: context))
      try context.save()
    }
    try store.session(types) { (context: ModelContext) throws in
      #expect(try context.fetch(FetchDescriptor<Message>()).map(\.text) == ["Item 1: cake"])
      #expect(try context.count(of: Reaction.self) == 0)
      #expect(try context.count(of: Media.self) == 0)
      #expect(try context.count(of: Frame.self) == 0)
      let people = try context.fetch(FetchDescriptor<Participant>(sortBy: [SortDescriptor(\.name)]))
      #expect(people.map(\.name) == ["Ada", "Bo", "Cleo"])
      #expect(people.map { $0.conversations.map(\.slug) } == [["party"], [], ["party"]])
      #expect(people[1].sent.isEmpty)
    }
  }

  @Test func deletingAMessageFreesItsReplies() throws {
    try fill()
    try store.session(types) { (context: ModelContext) throws in
      let leak = try #require(try conversation("boat", in: context).pinned)
      context.delete(leak)
      try context.save()
      let boat = try conversation("boat", in: context)
      #expect(boat.pinned == nil)
      #expect(boat.messages.count == 2)
      #expect(try context.fetchCount(FetchDescriptor(predicate: Message.answers)) == 0)
      #expect(try context.count(of: Reaction.self) == 0)
    }
  }

  @Test func whoWroteCannotBeDeleted() throws {
    try fill()
    try store.session(types) { (context: ModelContext) throws in
      let bo = try #require(try context.first(where: #Predicate<Participant> { $0.name == "Bo" }))
      context.delete(bo)
      #expect(throws: (any Error).self) { try context.save() }
      context.rollback()
      #expect(bo.sent.count == 2)
    }
    try store.session(types) { (context: ModelContext) throws in
      let bo = try #require(try context.first(where: #Predicate<Participant> { $0.name == "Bo" }))
      for message in bo.sent { context.delete(message) }
      try context.save()
      context.delete(bo)
      try context.save()
    }
    try store.session(types) { (context: ModelContext) throws in
      #expect(try context.count(of: Participant.self) == 2)
      #expect(try conversation("boat", in: context).participants.map(\.name) == ["Ada"])
      #expect(try context.fetch(FetchDescriptor<Reaction>()).map(\.symbol) == ["?"])
    }
  }

  @Test func aConversationHasAtMostThree() throws {
    try fill()
    try store.session(types) { (context: ModelContext) throws in
      let boat = try conversation("boat", in: context)
      boat.participants.append(Participant("Dan"))
      try context.save()
      boat.participants.append(Participant("Eve"))
      #expect(throws: (any Error).self) { try context.save() }
      context.rollback()
      #expect(Set(boat.participants.map(\.name)) == ["Ada", "Bo", "Dan"])
    }
    try store.session(types) { (context: ModelContext) throws in
      #expect(try conversation("boat", in: context).participants.count == 3)
      #expect(try context.count(of: Participant.self) == 4)
    }
  }

  @Test func identifiersGoToTheWorker() async throws {
    try fill()
    let container = try store.container(for: types)
    let chat = ChatModel(container: container)
    #expect(try await chat.open("boat") == 3)
    #expect(try await chat.open("boat") == 0)
    #expect(try await chat.open("nowhere") == 0)

    let context = ModelContext(container)
    #expect(try slugs(Conversation.quiet, in: context) == ["boat", "party"])
    let party = try conversation("party", in: context)
    let cake = try #require(party.messages.first)
    let ada = try #require(party.participants.first { $0.name == "Ada" })
    let worker = ChatWorker(modelContainer: container)
    let reply = try #require(
      try await worker.reply("Yes", to: cake.persistentModelID, by: ada.persistentModelID))
    #expect(await worker.hasHandled(cake.persistentModelID) == false)
    #expect(try await worker.reply("No", to: ada.persistentModelID, by: ada.persistentModelID) == nil)

    let fresh = ModelContext(container)
    let found = try #require(try fresh.existingModel(Message.self, for: reply))
    #expect(found.replyTo?.text == "Item 1: cake")
    #expect(found.conversation?.slug == "party")
    #expect(found.author?.name == "Ada")
    #expect(found.sentAt == noon + 31)
    #expect(try conversation("party", in: fresh).transcript == ["Cleo: Item 1: cake", "Ada: Yes"])
  }
}
