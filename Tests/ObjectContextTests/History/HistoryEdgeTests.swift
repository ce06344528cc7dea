import Foundation
import MigrationPlace
import Strongroom
import Testing

@Suite("Edges of a history")
struct HistoryEdgeTests {
  private static let recorded = [EntityDescription.recordsHistoryValuesKey: "YES"]

  private func all(_ context: ManagedObjectContext) throws -> [PersistentHistoryTransaction] {
    try context.execute(.fetchHistory(afterTransaction: 0)).transactions
  }

  @Test("A value that is written in pieces is named, and neither its old nor its new bytes are recorded")
  func pieces() async throws {
    var data = Attribute("data", .binary)
    data.allowsExternalBinaryDataStorage = true
    let external = data
    let shelf = try await Shelf(
      ManagedObjectModel {
        Entity("Film", userInfo: Self.recorded) {
          external
          Attribute("title", .string)
        }
      })
    let context = shelf.container.newContext()
    let film = try context.insert("Film")
    try film.set("data", Data("old".utf8))
    try context.save()
    try context.writeValue(count: 3, to: film.objectID, "data") { try $0.write(contentsOf: Data("new".utf8)) }
    let change = try #require(try all(context).last?.changes?.first)
    #expect(change.updatedProperties?.map(\.name) == ["data"])
    #expect(change.oldValues == nil && change.newValues == nil)
  }

  @Test(
    "Friends that a batch inserts are friends at both ends, and changes there with their values",
    arguments: [true, false])
  func friends(isOrdered: Bool) async throws {
    let shelf = try await Shelf(
      ManagedObjectModel {
        Entity("Person", userInfo: Self.recorded) {
          Attribute("name", .string)
          Relationship("friends", toMany: "Person", inverse: "friends", ordered: isOrdered)
        }
      })
    let context = shelf.container.newContext()
    let first = try context.insert("Person")
    try context.save()
    var left = 2
    try context.batchInsert(into: "Person") { row in
      if left == 0 { return false }
      left -= 1
      try row.set("friends", destinations: [first.objectID])
      return true
    }
    context.refreshAllObjects()
    let friends = try first.objects("friends").map(\.objectID)
    #expect(friends.count == 2, "\(friends)")
    let changes = try all(context).last?.changes ?? []
    #expect(changes.map(\.changeType) == [.insert, .insert, .update], "\(changes)")
    #expect(changes.last?.changedObjectID == first.objectID)
    #expect(changes.last?.newValues?["friends"] == .objects(friends.sorted { $0.reference < $1.reference }))
    #expect(changes.first?.newValues?["friends"] == .objects([first.objectID]))

    let other = try context.insert("Person")
    try context.save()
    try other.add(first, to: "friends")
    try context.save()
    let saved = try all(context).last?.changes ?? []
    #expect(saved.map(\.changeType) == [.update, .update])
    let values = Dictionary(saved.map { ($0.changedObjectID, $0.newValues?["friends"]) }) { $1 }
    #expect(values[other.objectID] == .objects([first.objectID]))
    #expect(values[first.objectID] == .objects((isOrdered ? friends : []) + [other.objectID]))
    try shelf.container.close()
    let url = shelf.folder.appendingPathComponent("l.strongroom")
    let issues = try await SQLCipherStore.verify(PersistentStoreDescription(url: url, vault: shelf.vault))
    #expect(issues.isEmpty, "\(issues)")
  }

  @Test("Batches of nothing are no transactions, and saves that fail leave none")
  func nothing() async throws {
    let shelf = try await Shelf()
    let context = shelf.container.newContext()
    try context.batchInsert(into: "Tag") { _ in false }
    try context.batchUpdate(FetchRequest("Tag"), set: ["name": .string("x")])
    try context.batchUpdate(FetchRequest("Tag"), set: [:])
    try context.batchDelete(FetchRequest("Tag"))
    #expect(try all(context).isEmpty)
    try context.insert("Tag").set("name", "a")
    try context.save()
    let other = shelf.container.newContext()
    try other.insert("Tag").set("name", "a")
    #expect(throws: (any Error).self) { try other.save() }
    other.rollback()
    try other.insert("Book")
    #expect(throws: (any Error).self) { try other.save() }
    var done = false
    #expect(throws: (any Error).self) {
      try other.batchInsert(into: "Tag") { row in
        defer { done = true }
        try row.set("name", .string("a"))
        return !done
      }
    }
    #expect(try all(context).map(\.transactionNumber) == [1])
  }

  @Test("A limit of bytes counts what authors and contexts are called")
  func names() async throws {
    let place = try MigrationPlace()
    let limits = PersistentHistoryLimits(age: nil, byteCount: 100_000)
    let count = try await place.with(Library.model(), { $0.historyLimits = limits }) { context in
      context.transactionAuthor = String(repeating: "a", count: 10_000)
      for _ in 0..<256 {
        try context.insert("Author")
        try context.save()
      }
      return try all(context).count
    }
    #expect(count < 100)
  }

  @Test("An entity that is not there, a consumer without a name and both names of a program")
  func namesOfRequests() async throws {
    let shelf = try await Shelf()
    let context = shelf.container.newContext()
    let author = try context.insert("Author")
    try context.save()
    var request = PersistentHistoryChangeRequest.fetchHistory(afterTransaction: 0)
    request.entityNames = ["Auther"]
    #expect {
      try context.execute(request)
    } throws: {
      ($0 as? StoreError)?.code == .notFound && ($0 as? StoreError)?.message.contains("Auther") == true
    }
    request.entityNames = ["Author"]
    let transaction = try #require(try context.execute(request).transactions.first)
    let (name, process) = (transaction.processName, Int64(transaction.processIdentifier))
    for (key, value) in [
      ("bundleID", .string(name)), ("processName", .string(name)),
      ("processIdentifier", .integer(process)), ("processID", .string("\(process)")),
      ("storeIdentifier", .string(transaction.storeIdentifier.uuidString)),
    ] as [(String, AttributeValue)] {
      request.transactionPredicate = .compare(key, .equal, value)
      #expect(try context.execute(request).count == 1, "\(key)")
    }
    // Another context merges what the transaction brought.
    let other = shelf.container.newContext()
    let known = try other.object(with: author.objectID)
    #expect(try known.get("name", as: String.self) == nil)
    try author.set("name", "a")
    try context.save()
    try other.mergeChanges(from: transaction)
    #expect(try known.get("name", as: String.self) == "a")
  }

  @Test("Chapters that a batch inserts are in their book's order, and a change of it")
  func orders() async throws {
    for inMemory in [false, true] {
      let shelf = try await Shelf(inMemory: inMemory)
      let context = shelf.container.newContext()
      let book = try context.insert("Book")
      try book.set("title", "a")
      let first = try context.insert("Chapter")
      try first.setObject(book, forKey: "book")
      try context.save()
      let rows: [[String: AttributeValue]] = (0..<2).map { _ in
        ["book": .reference(book.objectID.reference)]
      }
      try context.batchInsert(into: "Chapter", dictionaries: rows)
      // Where a batch would have to choose a place in the order, it says so.
      #expect {
        try context.batchUpdate(
          FetchRequest("Chapter"), set: ["book": .reference(book.objectID.reference)])
      } throws: {
        ($0 as? StoreError)?.code == .unsupportedRequest
      }
      context.refreshAllObjects()
      let chapters = try book.objects("chapters").map(\.objectID)
      #expect(chapters.count == 3 && chapters.first == first.objectID)
      let changes = try all(context).last?.changes ?? []
      #expect(changes.map(\.changeType) == [.insert, .insert, .update])
      #expect(changes.last?.changedObjectID == book.objectID)
      #expect(changes.last?.updatedProperties?.map(\.name) == ["chapters"])
      try shelf.container.close()
      if inMemory { continue }
      let url = shelf.folder.appendingPathComponent("l.strongroom")
      let issues = try await SQLCipherStore.verify(PersistentStoreDescription(url: url, vault: shelf.vault))
      #expect(issues.isEmpty, "\(issues)")
    }
  }

  @Test("Values of any kind come back as they were")
  func values() async throws {
    func model() throws -> ManagedObjectModel {
      var text = Attribute("text", .string)
      text.preservesValueInHistoryOnDeletion = true
      let preserved = text
      return try ManagedObjectModel {
        Entity("Thing", userInfo: Self.recorded) {
          preserved
          Attribute("number", .double)
          Attribute("date", .date)
          Attribute("exact", .decimal)
          Attribute("whole", .integer64)
          Attribute("data", .binary)
          Attribute("uri", .uri)
        }
      }
    }
    let place = try MigrationPlace()
    let numbers: [Double] = [.infinity, -.infinity, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude]
    let texts = ["", "\0", "a\0b", "\u{feff}", "e\u{301}", String(repeating: "x", count: 3 << 20)]
    try await place.with(model()) { context in
      for number in numbers {
        let thing = try context.insert("Thing")
        try thing.set("number", number)
        try thing.set("date", Date(timeIntervalSinceReferenceDate: number.isFinite ? number : 1e300))
        try thing.set("whole", Int64.min)
        try thing.set("exact", Decimal(string: "-0.00000000000000000000000000000000000001"))
        try context.save()
        let value = try #require(try all(context).last?.changes?.first?.newValues)
        #expect(value["number"] == .attribute(.double(number)))
        #expect(value["whole"] == .attribute(.integer(.min)))
      }
      for text in texts {
        context.transactionAuthor = text
        context.name = text
        let thing = try context.insert("Thing")
        try thing.set("text", text)
        try context.save()
        try context.delete(thing)
        try context.save()
        let last = try #require(try all(context).last)
        #expect(last.author == text && last.contextName == text)
        #expect(last.changes?.first?.tombstone == ["text": .string(text)])
        #expect(last.changes?.first?.oldValues?["text"] == .attribute(.string(text)))
      }
    }
    #expect(try await SQLCipherStore.verify(place.description).isEmpty)
  }

  @Test("Limits, numbers and dates beyond all bounds are answered")
  func bounds() async throws {
    for inMemory in [false, true] {
      let shelf = try await Shelf(inMemory: inMemory)
      let context = shelf.container.newContext()
      for _ in 0..<3 {
        try context.insert("Author")
        try context.save()
      }
      func count(_ request: PersistentHistoryChangeRequest, limit: Int? = nil) throws -> Int {
        var request = request
        request.fetchLimit = limit
        return try context.execute(request).transactions.count
      }
      #expect(try count(.fetchHistory(afterTransaction: .min)) == 3)
      #expect(try count(.fetchHistory(afterTransaction: .max)) == 0)
      #expect(try count(.fetchHistory(after: .distantFuture)) == 0)
      #expect(try count(.fetchHistory(after: Date(timeIntervalSinceReferenceDate: -.infinity))) == 3)
      #expect(try count(.fetchHistory(afterTransaction: 0), limit: 0) == 0)
      #expect(try count(.fetchHistory(afterTransaction: 0), limit: -1) == 0)
      #expect(try context.execute(.deleteHistory(beforeTransaction: .min)).count == 0)
      #expect(try context.execute(.deleteHistory(beforeTransaction: 0)).count == 0)
      #expect(try context.execute(.deleteHistory(before: .distantPast)).count == 0)
      #expect(try context.execute(.deleteHistory(beforeTransaction: .max)).count == 3)
      try context.insert("Author")
      try context.save()
      #expect(try count(.fetchHistory(afterTransaction: 0)) == 1)
    }
  }

  @Test(
    "A predicate is evaluated or refused",
    arguments: [
      "SELF == 1", "changes.@count > 0", "nothing.x == 1", "transactionNumber == 'abc'", "timestamp == 5",
      "author MATCHES '('", "SUBQUERY(changes, $c, $c.changeType == 2).@count > 0", "changes == NIL",
      "ANY changes.transaction.changes.changedEntity == 'Book'", "author.length > 2", "objectID == 4",
      "changes.changedObjectID == 'x'", "transaction.author == 'x'", "ALL changes.changeID > 0",
      "author BETWEEN {1, 2}", "author IN {NIL, 'me'}", "changes.transactionNumber == 1", "changes > 4",
      "transactionNumber + 9223372036854775807 > 0", "transactionNumber * author > 0", "1 / 0 == author",
      "NONE changes.changeType IN {0}", "changes[FIRST].changeType == 0", "storeID == processID",
      "changes IN {}",
    ])
  func predicates(_ format: String) async throws {
    let shelf = try await Shelf()
    let context = shelf.container.newContext()
    try context.insert("Author")
    try context.save()
    var request = PersistentHistoryChangeRequest.fetchHistory(afterTransaction: 0)
    do {
      request.transactionPredicate = try FetchPredicate(format: format)
      request.changePredicate = try FetchPredicate(format: "transaction.author == NIL")
      _ = try context.execute(request)
    } catch { #expect("\(error)".contains(": "), "it says what is wrong") }
  }

  @Test("Consumers of any name and span are registered, or refused")
  func consumers() async throws {
    let shelf = try await Shelf()
    let context = shelf.container.newContext()
    let coordinator = shelf.container.persistentStoreCoordinator
    try context.insert("Author")
    try context.save()
    let names = ["\0", "a\0b", "a", "e\u{301}", "é", String(repeating: "n", count: 4 << 20), "'; DROP"]
    for name in names {
      try coordinator.registerHistoryConsumer(name, span: .infinity)
      try coordinator.registerHistoryConsumer(name, span: -.greatestFiniteMagnitude)
      try coordinator.registerHistoryConsumer(name, span: 60)
    }
    #expect(try Set(coordinator.historyConsumers().map { Array($0.name.utf8) }).count == names.count)
    for (name, span) in [("nan", TimeInterval.nan), ("", 60)] {
      #expect(throws: StoreError.self) { try coordinator.registerHistoryConsumer(name, span: span) }
    }
    try context.insert("Author")
    try context.save()
    for name in names {
      let unread = try context.execute(.fetchHistory(forConsumer: name)).transactions
      #expect(unread.map(\.transactionNumber) == [2])
      #expect(try coordinator.removeHistoryConsumer(name))
    }
    // One that was silent for too long is passed, says so, and goes on.
    try coordinator.registerHistoryConsumer("late", span: -1)
    try context.insert("Author")
    try context.save()
    try context.insert("Author")
    try context.save()
    #expect(try context.execute(.deleteHistory(before: nil as PersistentHistoryToken?)).count == 4)
    try coordinator.registerHistoryConsumer("late", span: 60)
    do {
      _ = try context.execute(.fetchHistory(forConsumer: "late"))
      Issue.record("it lost transactions and does not know")
    } catch let error as StoreError {
      #expect(error.code == .historyTokenExpired)
      try coordinator.advanceHistoryConsumer("late", to: #require(error.historyToken))
    }
    #expect(try context.execute(.fetchHistory(forConsumer: "late")).transactions.isEmpty)
  }
}
