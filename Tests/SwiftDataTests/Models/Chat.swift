// Stands for: every delete rule, chains of cascades, minimum and maximum counts, optional
// relationships of both kinds, inverses named by key paths, attribute options, predicates over
// relationships, several sort descriptors with a comparator and a key path through a relationship,
// identifiers handed to a model actor.

import Foundation
import SwiftData

@Model
final class Conversation {
  @Attribute(.unique, .preserveValueOnDeletion) var slug: String
  @Attribute(.spotlight) var title: String?
  var createdAt: Date = Date.now
  var mutedUntil: Date?

  @Relationship(minimumModelCount: 1, maximumModelCount: 3, inverse: \Participant.conversations)
  var participants: [Participant]

  @Relationship(deleteRule: .cascade, inverse: \Message.conversation)
  var messages: [Message] = []

  @Relationship(deleteRule: .nullify)
  var pinned: Message?

  init(slug: String, title: String? = nil, participants: [Participant]) {
    self.slug = slug
    self.title = title
    self.participants = participants
  }
}

@Model
final class Participant {
  @Attribute(.unique, originalName: "handle") var name: String
  @Attribute(.allowsCloudEncryption, hashModifier: "v2") var phone: String?
  var conversations: [Conversation] = []

  @Relationship(deleteRule: .deny, inverse: \Message.author)
  var sent: [Message] = []

  @Relationship(deleteRule: .cascade, originalName: "likes", inverse: \Reaction.by)
  var reactions: [Reaction]?

  init(_ name: String, phone: String? = nil) {
    self.name = name
    self.phone = phone
  }
}

@Model
final class Message {
  enum Priority: Int, Codable, Comparable {
    case low, normal, high

    static func < (lhs: Self, rhs: Self) -> Bool { lhs.rawValue < rhs.rawValue }
  }

  var text: String
  var sentAt: Date
  var isRead: Bool = false
  private(set) var priorityValue: Int = Priority.normal.rawValue
  var conversation: Conversation?
  var author: Participant?
  var replyTo: Message?

  @Relationship(deleteRule: .nullify, inverse: \Message.replyTo)
  var replies: [Message] = []

  @Relationship(deleteRule: .cascade, inverse: \Reaction.message)
  var reactions: [Reaction]? = []

  @Relationship(deleteRule: .cascade, inverse: \Media.message)
  var media: Media?

  init(
    _ text: String, by author: Participant, at sentAt: Date = .now, priority: Priority = .normal,
    replyTo: Message? = nil
  ) {
    self.text = text
    self.author = author
    self.sentAt = sentAt
    self.priorityValue = priority.rawValue
    self.replyTo = replyTo
  }

  var priority: Priority {
    get { Priority(rawValue: priorityValue) ?? .normal }
    set { priorityValue = newValue.rawValue }
  }
}

@Model
final class Reaction {
  var symbol: String
  var message: Message?
  var by: Participant?

  init(_ symbol: String, by participant: Participant) {
    self.symbol = symbol
    self.by = participant
  }
}

@Model
final class Media {
  var caption: String
  @Relationship(deleteRule: .cascade) var frames: [Frame] = []
  var message: Message?

  init(caption: String, frames: [Frame] = []) {
    self.caption = caption
    self.frames = frames
  }
}

/// Known to its media alone.
@Model
final class Frame {
  @Attribute(.externalStorage) var pixels: Data

  init(pixels: Data) { self.pixels = pixels }
}

// MARK: - Sending

extension Conversation {
  @discardableResult
  func send(
    _ text: String, by author: Participant, at date: Date = .now, priority: Message.Priority = .normal
  ) -> Message {
    let message = Message(text, by: author, at: date, priority: priority)
    messages.append(message)
    return message
  }

  var transcript: [String] {
    messages.sorted { $0.sentAt < $1.sentAt }.map { "\($0.author?.name ?? "?"): \($0.text)" }
  }

  var unread: Int { messages.count { !$0.isRead } }
}

// MARK: - Queries

extension Message {
  static func search(_ text: String) -> FetchDescriptor<Message> {
    FetchDescriptor(
      predicate: #Predicate { $0.text.localizedStandardContains(text) },
      sortBy: [
        SortDescriptor(\.priorityValue, order: .reverse),
        SortDescriptor(\.author?.name),
        SortDescriptor(\.text, comparator: .localizedStandard, order: .forward),
      ])
  }

  static func unread(in conversation: PersistentIdentifier) -> Predicate<Message> {
    #Predicate { message in
      message.conversation?.persistentModelID == conversation && !message.isRead
    }
  }

  static func by(_ names: Set<String>) -> Predicate<Message> {
    #Predicate { message in
      if let author = message.author {
        return names.contains(author.name)
      } else {
        return false
      }
    }
  }

  static let answered = #Predicate<Message> { !$0.replies.isEmpty }
  static let answers = #Predicate<Message> { $0.replyTo != nil }
}

extension Conversation {
  static func mentioning(_ text: String) -> Predicate<Conversation> {
    #Predicate { conversation in
      conversation.messages.contains { $0.text.localizedStandardContains(text) }
    }
  }

  static func with(_ name: String, moreThan count: Int) -> Predicate<Conversation> {
    #Predicate { conversation in
      conversation.participants.contains { $0.name == name } && conversation.messages.count > count
    }
  }

  static var quiet: Predicate<Conversation> {
    #Predicate { $0.messages.allSatisfy { $0.isRead } }
  }

  static func audible(at date: Date) -> Predicate<Conversation> {
    let past = Date.distantPast
    return #Predicate { ($0.mutedUntil ?? past) < date }
  }
}

// MARK: - In the background

@ModelActor
actor ChatWorker {
  private var handled: Set<PersistentIdentifier> = []

  func markAsRead(_ conversation: PersistentIdentifier) throws -> Int {
    let unread = try modelContext.fetch(FetchDescriptor(predicate: Message.unread(in: conversation)))
    for message in unread { message.isRead = true }
    try modelContext.save()
    handled.formUnion(unread.map(\.persistentModelID))
    return unread.count
  }

  func reply(_ text: String, to id: PersistentIdentifier, by author: PersistentIdentifier) throws
    -> PersistentIdentifier?
  {
    guard let message = self[id, as: Message.self], let author = self[author, as: Participant.self] else {
      return nil
    }
    let reply = Message(text, by: author, at: message.sentAt + 1, replyTo: message)
    reply.conversation = message.conversation
    modelContext.insert(reply)
    try modelContext.save()
    return reply.persistentModelID
  }

  func hasHandled(_ id: PersistentIdentifier) -> Bool { handled.contains(id) }
}

@MainActor
final class ChatModel {
  let container: ModelContainer
  private lazy var worker = ChatWorker(modelContainer: container)

  init(container: ModelContainer) { self.container = container }

  func open(_ slug: String) async throws -> Int {
    var descriptor = FetchDescriptor<Conversation>(predicate: #Predicate { $0.slug == slug })
    descriptor.fetchLimit = 1
    guard let conversation = try container.mainContext.fetch(descriptor).first else { return 0 }
    return try await worker.markAsRead(conversation.persistentModelID)
  }
}
