import Foundation
import MigrationPlace
import Strongroom
import Testing

@Suite("What a history says of a store")
struct PersistentHistoryTests {
  private func named(_ change: PersistentHistoryChange) -> String {
    let properties = (change.updatedProperties ?? []).map(\.name).sorted().joined(separator: " ")
    return "\(change.changeType) \(change.changedObjectID.entity.name) \(properties)"
  }

  private func all(_ context: ManagedObjectContext) throws -> [PersistentHistoryTransaction] {
    try context.execute(PersistentHistoryChangeRequest.fetchHistory(after: nil as PersistentHistoryToken?))
      .transactions
  }

  @Test("is who saved, when and what: objects inserted, updated with their properties, and deleted")
  func saves() async throws {
    let shelf = try await Shelf()
    let context = shelf.container.newContext()
    context.transactionAuthor = "test"
    context.name = "main"
    let before = Date()
    let book = try context.insert("Book")
    try book.set("title", "Emma")
    let author = try context.insert("Author")
    try context.save()
    try book.set("pages", 7)
    try book.setObject(author, forKey: "author")
    try context.save()
    try context.save()
    try context.delete(book)
    try context.save()

    let transactions = try all(context)
    #expect(transactions.map(\.transactionNumber) == [1, 2, 3], "a save of nothing is none")
    #expect(transactions.allSatisfy { $0.author == "test" && $0.contextName == "main" })
    #expect(transactions.allSatisfy { $0.processIdentifier == getpid() && $0.timestamp >= before })
    #expect(transactions.allSatisfy { !$0.processName.isEmpty })
    let changes = transactions.map { ($0.changes ?? []).map(named).sorted() }
    #expect(
      changes == [
        ["insert Author ", "insert Book "], ["update Book author pages"], ["delete Book "],
      ])
    #expect(transactions.flatMap { $0.changes ?? [] }.map(\.changeID) == [1, 2, 3, 4])
    #expect(transactions[2].changes?.first?.changedObjectID == book.objectID)
    let current = try shelf.container.persistentStoreCoordinator.currentPersistentHistoryToken()
    #expect(current == transactions[2].token)
  }

  @Test("names the relationships of both ends of a link, whichever end was changed")
  func links() async throws {
    let shelf = try await Shelf()
    let context = shelf.container.newContext()
    let (book, tag) = (try context.insert("Book"), try context.insert("Tag"))
    try book.set("title", "Emma")
    try context.save()
    try book.add(tag, to: "tags")
    try context.save()
    let circle = try context.insert("Circle")
    let drawing = try context.insert("Drawing")
    try context.save()
    try drawing.setObjects([circle], forKey: "shapes")
    try context.save()
    let transactions = try all(context)
    let links = (transactions[1].changes ?? []).map(named).sorted()
    #expect(links == ["update Book tags", "update Tag books"])
    #expect((transactions[3].changes ?? []).map(named) == ["update Drawing shapes"])
  }

  @Test("has batches, whose nullified references are changes as well, and long values")
  func batches() async throws {
    let shelf = try await Shelf()
    let context = shelf.container.newContext()
    context.transactionAuthor = "batch"
    var number = 0
    try context.batchInsert(into: "Author") { row in
      number += 1
      try row.set("name", .string("author \(number)"))
      return number <= 500
    }
    let book = try context.insert("Book")
    try book.set("title", "Emma")
    let authors = FetchRequest("Author", sortDescriptors: [FetchSortDescriptor("name")])
    let first = try context.fetch(authors)[0]
    try first.setObject(context.fetch(authors)[1], forKey: "spouse")
    try context.save()
    try context.batchUpdate(
      FetchRequest("Author", where: FetchPredicate(format: "name BEGINSWITH 'author 4'")),
      set: ["name": .string("another")])
    try context.batchDelete(FetchRequest("Author", where: FetchPredicate(format: "name == 'author 10'")))
    let transactions = try all(context)
    #expect(transactions.allSatisfy { $0.author == "batch" })
    #expect(transactions.map { $0.changes?.count ?? 0 } == [500, 3, 111, 2])
    #expect(Set(transactions[2].changes?.map(named) ?? []) == ["update Author name"])
    #expect(
      (transactions[3].changes ?? []).map(named).sorted() == ["delete Author ", "update Author spouse"])
  }

  @Test("answers by token, transaction, date, author, entity and object, in every form")
  func requests() async throws {
    let shelf = try await Shelf()
    let context = shelf.container.newContext()
    var books: [ManagedObject] = []
    for number in 0..<6 {
      context.transactionAuthor = number % 2 == 0 ? "even" : "odd"
      let book = try context.insert("Book")
      try book.set("title", "book \(number)")
      try context.insert(number < 3 ? "Circle" : "Square")
      books.append(book)
      try context.save()
    }
    func run(
      _ request: PersistentHistoryChangeRequest, _ change: (inout PersistentHistoryChangeRequest) -> Void
    ) throws -> PersistentHistoryResult {
      var request = request
      change(&request)
      return try context.execute(request)
    }
    let whole = PersistentHistoryChangeRequest.fetchHistory(after: nil as PersistentHistoryToken?)
    let transactions = try run(whole) { _ in }.transactions
    let later = PersistentHistoryChangeRequest.fetchHistory(after: transactions[3].token)
    #expect(try run(later) { _ in }.transactions.map(\.transactionNumber) == [5, 6])
    #expect(
      try run(.fetchHistory(afterTransaction: 4)) { $0.resultType = .transactionsOnly }.transactions.count
        == 2)
    #expect(try run(.fetchHistory(after: transactions[5].timestamp)) { _ in }.transactions.isEmpty)
    #expect(try run(.fetchHistory(after: .distantPast)) { $0.resultType = .count }.count == 6)
    #expect(try run(whole) { $0.authors = ["odd"] }.transactions.map(\.transactionNumber) == [2, 4, 6])
    #expect(try run(whole) { $0.fetchLimit = 2 }.transactions.map(\.transactionNumber) == [1, 2])
    #expect(try run(whole) { $0.entityNames = ["Shape"] }.transactions.allSatisfy { $0.changes?.count == 1 })
    #expect(
      try run(whole) { $0.entityNames = ["Square"] }.transactions.map(\.transactionNumber) == [4, 5, 6])
    let own = try run(whole) {
      $0.objectID = books[2].objectID
      $0.resultType = .changesOnly
    }
    #expect(own.changes.map(\.transactionNumber) == [3] && own.transactions.isEmpty)
    let ids = try run(whole) { $0.resultType = .objectIDs }.objectIDs
    #expect(ids.count == 12 && Set(ids).isSuperset(of: books.map(\.objectID)))
    #expect(try run(whole) { $0.resultType = .statusOnly }.transactions.isEmpty)
  }

  @Test("leaves out what a program writes that does not track it, and costs it nothing")
  func off() async throws {
    let place = try MigrationPlace()
    try await place.with(Library.model(), { $0.tracksHistory = false }) { context in
      try context.insert("Author")
      try context.save()
      #expect(try all(context).isEmpty)
    }
    try await place.with(Library.model()) { context in
      try context.insert("Author")
      try context.save()
      #expect(try all(context).map { $0.changes?.count } == [1])
    }
  }

  @Test("knows properties by their former names after a migration, and leaves out what is gone")
  func migration() async throws {
    let place = try MigrationPlace()
    let old = try ManagedObjectModel {
      Entity("Note") {
        Attribute("text", .string)
        Attribute("size", .integer64)
        Attribute("gone", .string)
      }
      Entity("Scrap") { Attribute("text", .string) }
    }
    let new = try ManagedObjectModel {
      Entity("Note") {
        Attribute("added", .string)
        Attribute("body", .string, renamingIdentifier: "text")
        Attribute("size", .integer64)
      }
    }
    try await place.with(old) { context in
      let note = try context.insert("Note")
      try context.insert("Scrap")
      try context.save()
      try note.set("text", "a")
      try note.set("gone", "b")
      try context.save()
      try note.set("size", 1)
      try context.save()
    }
    try await place.with(new) { context in
      let note = try context.fetch(FetchRequest("Note"))[0]
      try note.set("added", "c")
      try context.save()
      let changes = try all(context).map { ($0.changes ?? []).map(named) }
      #expect(
        changes == [["insert Note "], ["update Note body"], ["update Note size"], ["update Note added"]])
    }
  }
}
