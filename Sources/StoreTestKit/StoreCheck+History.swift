import Foundation
import ObjectModel
import ObjectQuery
import StoreContract

extension StoreCheck {
  /// A check of stores that offer a history; others pass it.
  private static func ofHistory(
    _ description: String, _ run: @escaping @Sendable (HistorySample) throws -> Void
  ) -> StoreCheck {
    StoreCheck("a history " + description) { factory in
      let model = try HistorySample.model()
      let store = try await factory.makeStore(model)
      let sample = HistorySample(store: store, model: model)
      if try sample.isOffered { try run(sample) }
    }
  }

  static let history: [StoreCheck] = [
    ofHistory("numbers its transactions from 1 on, one for each save that changes something") { sample in
      try expect(try sample.store.currentHistoryToken == nil, "no token of an empty history")
      try expect(try sample.transactions().isEmpty, "an empty history")
      let start = Date()
      let people = try sample.insert("Person", [["name": "a"], ["name": "b"]])
      try sample.store.save(SaveChangesRequest())
      try Sample.update(sample.store, people[0], version: 1, ["name": "c"])
      let transactions = try sample.transactions()
      try expect(transactions.map(\.transactionNumber) == [1, 2], "1 and 2")
      try expect(
        transactions.allSatisfy { $0.storeIdentifier == sample.store.identifier }, "the store's UUID")
      try expect(
        transactions.allSatisfy { $0.timestamp >= start && $0.timestamp <= Date() },
        "when they were committed")
      try expect(transactions.allSatisfy { !$0.processName.isEmpty && $0.processIdentifier > 0 }, "by whom")
      try expect(transactions.map { $0.changes?.count } == [2, 1], "two changes, then one")
      try expect(
        transactions.flatMap { $0.changes ?? [] }.map(\.changeID) == [1, 2, 3], "changes have numbers")
    },
    ofHistory("has nothing of a save that is refused") { sample in
      let person = try sample.insert("Person", [["name": "a"]])[0]
      let token = try sample.store.currentHistoryToken
      try expectError(.conflict, "another version") { try Sample.delete(sample.store, person, version: 7) }
      struct Refusal: Error {}
      do {
        var save = SaveChangesRequest()
        save.deleted = [LockedObject(objectID: person, version: 1)]
        try sample.store.save(save) { throw Refusal() }
      } catch is Refusal {}
      try expect(try sample.transactions().count == 1, "the insertion only")
      try expect(try sample.store.currentHistoryToken == token, "at the same place")
    },
    ofHistory("says of each change its kind, its object, the properties of an update, and what is preserved")
    {
      sample in
      let person = try sample.insert("Person", [["name": "a"]])[0]
      let book = try sample.insert("Book", [["title": "t", "pages": 1]])[0]
      try Sample.update(
        sample.store, book, version: 1, ["pages": 2, "author": .reference(person.reference)])
      try Sample.delete(sample.store, book, version: 2)
      let changes = try sample.changes()
      try expect(changes.map(\.changedObjectID) == [person, book, book, book], "the objects")
      try expect(
        changes.map(\.changedObjectID.entity.name) == ["Person", "Book", "Book", "Book"], "what they are")
      try expect(changes.map(\.changeType) == [.insert, .insert, .update, .delete], "the kinds")
      try expect(changes.map(\.transactionNumber) == [1, 2, 3, 4], "the transactions")
      let names = changes.map { $0.updatedProperties?.map(\.name).sorted() }
      try expect(names == [nil, nil, ["author", "pages"], nil], "the properties that were written")
      try expect(changes.map(\.tombstone) == [nil, nil, nil, ["title": "t"]], "what is preserved")
    },
    ofHistory("names the relationships at both ends of a link, and of an order that changes") { sample in
      let books = try sample.insert("Book", [["title": "a"], ["title": "b"]])
      let tag = try sample.insert("Tag", [["name": "t"]])[0]
      try sample.link(tag, books)
      try sample.order(tag, books.reversed())
      let transactions = try sample.transactions().suffix(2).map { $0.changes ?? [] }
      try expect(transactions[0].allSatisfy { $0.changeType == .update }, "all of them were there")
      let linked = Dictionary(
        transactions[0].map { ($0.changedObjectID, $0.updatedProperties?.map(\.name)) }
      ) { first, _ in first }
      try expect(linked == [tag: ["works"], books[0]: ["tags"], books[1]: ["tags"]], "both ends")
      try expect(transactions[1].map(\.changedObjectID) == [tag], "the order is the tag's")
    },
    ofHistory("says to who saves where the save is in it") { sample in
      let receipt = HistoryReceipt()
      try HistoryReceipt.$current.withValue(receipt) { _ = try sample.insert("Person", [["name": "a"]]) }
      let token = try sample.store.currentHistoryToken
      try sample.insert("Person", [["name": "b"]])
      try expect(receipt.tokens == [token].compactMap { $0 }, "the place after the first save")
    },
    ofHistory("has the author and the context's name that are in force, and none else") { sample in
      try sample.insert("Person", [["name": "a"]])
      let origin = TransactionOrigin(author: "importer", contextName: "nightly")
      try TransactionOrigin.$current.withValue(origin) { _ = try sample.insert("Person", [["name": "b"]]) }
      try TransactionOrigin.$current.withValue(TransactionOrigin(author: "other")) {
        _ = try sample.insert("Person", [["name": "c"]])
      }
      let transactions = try sample.transactions()
      try expect(transactions.map(\.author) == [nil, "importer", "other"], "the authors")
      try expect(transactions.map(\.contextName) == [nil, "nightly", nil], "the names")
      let own = try sample.transactions { $0.authors = ["importer", "nobody"] }
      try expect(own.map(\.transactionNumber) == [2], "by author")
    },
    ofHistory("has batches, with every object that they concern") { sample in
      let entity = try Sample.entity(sample.model, "Person")
      var left = 3
      _ = try sample.store.insert(into: entity) { row in
        if left == 0 { return false }
        left -= 1
        try row.set("name", .string("p\(left)"))
        return true
      }
      let last = FetchPredicate.compare("name", .equal, "p0")
      _ = try sample.store.update(
        BatchUpdate(FetchRequest("Person", where: last), set: ["name": "q"]))
      _ = try sample.store.delete(matching: FetchRequest("Person"))
      let transactions = try sample.transactions().map { ($0.changes ?? []).map(\.changeType) }
      let (inserted, deleted) = (
        Array(repeating: PersistentHistoryChange.ChangeType.insert, count: 3),
        Array(repeating: PersistentHistoryChange.ChangeType.delete, count: 3)
      )
      try expect(transactions == [inserted, [.update], deleted], "insertions, an update and deletions")
    },
    ofHistory("answers from a token, a transaction or a date on, by entity and object, in every form") {
      sample in
      for number in 0..<4 {
        try sample.insert(number % 2 == 0 ? "Book" : "Person", [[number % 2 == 0 ? "title" : "name": "x"]])
      }
      let all = try sample.transactions()
      let ids = all.flatMap { $0.changes ?? [] }.map(\.changedObjectID)
      func numbers(
        _ request: PersistentHistoryChangeRequest,
        _ set: (inout PersistentHistoryChangeRequest) -> Void = { _ in }
      ) throws -> [Int64] {
        var request = request
        set(&request)
        return try sample.store.execute(request).transactions.map(\.transactionNumber)
      }
      try expect(try numbers(.fetchHistory(after: all[1].token)) == [3, 4], "after a token")
      try expect(try numbers(.fetchHistory(after: all[3].token)).isEmpty, "after the last")
      try expect(try numbers(.fetchHistory(afterTransaction: 3)) == [4], "after a transaction")
      try expect(try numbers(.fetchHistory(after: Date.distantPast)) == [1, 2, 3, 4], "after a date")
      try expect(try numbers(.fetchHistory(after: all[3].timestamp)).isEmpty, "after the last one's date")
      let whole = PersistentHistoryChangeRequest.fetchHistory(afterTransaction: 0)
      try expect(try numbers(whole) { $0.fetchLimit = 2 } == [1, 2], "the oldest two")
      try expect(try numbers(whole) { $0.entityNames = ["Work"] } == [1, 3], "of subentities")
      try expect(try numbers(whole) { $0.objectID = ids[1] } == [2], "of one object")
      try expect(
        try numbers(whole) { $0.transactionPredicate = .compare("transactionNumber", .greater, 2) } == [
          3, 4,
        ],
        "by a condition")
      for form in PersistentHistoryChangeRequest.ResultType.allCases {
        var request = whole
        request.resultType = form
        let result = try sample.store.execute(request)
        let isWhole = form == .transactionsAndChanges
        try expect(result.resultType == form && result.count == 4, "\(form) counts")
        try expect(result.objectIDs == (form == .objectIDs ? ids : []), "\(form): objects")
        try expect(
          result.changes.map(\.changedObjectID) == (form == .changesOnly ? ids : []), "\(form): changes")
        try expect(
          result.transactions.count == (isWhole || form == .transactionsOnly ? 4 : 0), "\(form): transactions"
        )
        try expect(result.transactions.allSatisfy { ($0.changes != nil) == isWhole }, "\(form): with changes")
      }
    },
  ]
}

/// A store with a small model, and requests that many checks need.
struct HistorySample {
  let store: any IncrementalStore
  let model: ManagedObjectModel

  /// Whether the store answers requests for its history at all.
  var isOffered: Bool {
    get throws {
      do {
        _ = try store.execute(.fetchHistory(afterTransaction: 0))
        return true
      } catch let error as StoreError where error.code == .unsupportedRequest {
        return false
      }
    }
  }

  static func model() throws -> ManagedObjectModel {
    var title = Attribute("title", .string)
    title.preservesValueInHistoryOnDeletion = true
    return try ManagedObjectModel {
      Entity("Work", abstract: true) {
        title
        Attribute("pages", .integer32)
        Relationship("author", to: "Person", inverse: "works")
        Relationship("tags", toMany: "Tag", inverse: "works")
      }
      Entity("Book", parent: "Work")
      Entity("Person") {
        Attribute("name", .string)
        Relationship("works", toMany: "Work", inverse: "author")
      }
      Entity("Tag") {
        Attribute("name", .string)
        Relationship("works", toMany: "Work", inverse: "tags", ordered: true)
      }
    }
  }

  @discardableResult
  func insert(_ entity: String, _ rows: [[String: AttributeValue]]) throws -> [ManagedObjectID] {
    try Sample.insert(store, model, entity, rows)
  }

  /// Saves a number of objects, each alone, and returns the place after each.
  func tokens(_ count: Int) throws -> [PersistentHistoryToken] {
    try (0..<count).map { number in
      try insert("Person", [["name": .string("\(number)")]])
      guard let token = try store.currentHistoryToken else {
        throw StoreCheckFailure(description: "there is no token after a save")
      }
      return token
    }
  }

  func transactions(
    _ set: (inout PersistentHistoryChangeRequest) -> Void = { _ in }
  ) throws -> [PersistentHistoryTransaction] {
    var request = PersistentHistoryChangeRequest.fetchHistory(afterTransaction: 0)
    set(&request)
    return try store.execute(request).transactions
  }

  func changes() throws -> [PersistentHistoryChange] { try transactions().flatMap { $0.changes ?? [] } }

  private func changes(of tag: ManagedObjectID) throws -> (RelationshipChanges, isOwner: Bool) {
    let works = try Sample.relationship(tag.entity, "works")
    return (RelationshipChanges(relationship: works.joinTableOwner), works.joinTableOwner === works)
  }

  /// Links a tag with works.
  func link(_ tag: ManagedObjectID, _ works: [ManagedObjectID]) throws {
    var (changes, isOwner) = try changes(of: tag)
    for work in works {
      changes.added.append(
        isOwner
          ? .init(source: tag.reference, destination: work.reference)
          : .init(source: work.reference, destination: tag.reference))
    }
    var save = SaveChangesRequest()
    save.relationshipChanges = [changes]
    try store.save(save)
  }

  /// Gives a tag's works another order.
  func order(_ tag: ManagedObjectID, _ works: [ManagedObjectID]) throws {
    var (changes, isOwner) = try changes(of: tag)
    let order = [(source: tag.reference, destinations: works.map(\.reference))]
    if isOwner { changes.orders = order } else { changes.inverseOrders = order }
    var save = SaveChangesRequest()
    save.relationshipChanges = [changes]
    try store.save(save)
  }
}
