import Foundation
import MigrationPlace
import Strongroom
import Testing

/// What users of other histories complain about, each with what becomes of it here.
@Suite("Complaints about histories")
struct HistoryComplaintTests {
  private func numbers(_ context: ManagedObjectContext) throws -> [Int64] {
    try context.execute(.fetchHistory(afterTransaction: 0)).transactions.map(\.transactionNumber)
  }

  private func save(_ context: ManagedObjectContext, _ count: Int) throws {
    for _ in 0..<count {
      try context.insert("Author")
      try context.save()
    }
  }

  private func refusal(_ body: () throws -> Void) throws -> StoreError? {
    do {
      try body()
      return nil
    } catch let error as StoreError {
      return error
    }
  }

  @Test("It grows for ever, though nobody reads it")
  func growth() async throws {
    let standard = PersistentStoreDescription(url: try MigrationPlace().url, vault: InMemoryVault())
    #expect(standard.historyLimits == .standard, "it has limits unless a program says otherwise")
    let month = PersistentHistoryLimits(age: 30 * 86_400, byteCount: 32 << 20)
    #expect(PersistentHistoryLimits.standard == month)
    // The same amount of saves again and again: the file's length and the history do not follow.
    let place = try MigrationPlace()
    func round(_ place: MigrationPlace, _ limits: PersistentHistoryLimits) async throws -> (Int, Int) {
      let count = try await place.with(Library.model(), { $0.historyLimits = limits }) { context in
        let author = try context.fetch(FetchRequest("Author")).first ?? context.insert("Author")
        for number in 0..<640 {
          try author.set("name", "name \(number)")
          try context.save()
        }
        return try numbers(context).count
      }
      return (count, try #require(place.url.resourceValues(forKeys: [.fileSizeKey]).fileSize))
    }
    let limits = PersistentHistoryLimits(age: nil, byteCount: 20_000)
    let first = try await round(place, limits)
    for _ in 0..<2 { _ = try await round(place, limits) }
    let last = try await round(place, limits)
    #expect(first.0 < 400 && last.0 < 400, "\(first.0), then \(last.0) of 2560")
    #expect(last.1 <= first.1 + 32_768, "\(first.1) bytes, then \(last.1)")
    let other = try MigrationPlace()
    _ = try await round(other, .none)
    let unlimited = try await round(other, .none)
    #expect(unlimited.0 == 1280 && unlimited.1 > last.1, "it does grow where a program wants it to")
  }

  @Test("A purge by one consumer breaks another")
  func purge() async throws {
    let shelf = try await Neighbour()
    let (widget, cloud) = (shelf.container, try await shelf.other())
    try widget.persistentStoreCoordinator.registerHistoryConsumer("widget")
    try cloud.persistentStoreCoordinator.registerHistoryConsumer("cloud")
    try shelf.tell("insert Emma")
    try shelf.tell("insert Persuasion")
    let context = widget.newContext()
    let read = try context.execute(.fetchHistory(forConsumer: "widget")).transactions
    #expect(read.count == 2)
    let last = try #require(read.last)
    try widget.persistentStoreCoordinator.advanceHistoryConsumer("widget", to: last.token)
    let purge = try context.execute(.deleteHistory(before: last.token))
    #expect(purge.count == 0 && purge.limitingConsumer?.name == "cloud", "it says who has not read it")
    let uploading = cloud.newContext()
    let unread = try uploading.execute(.fetchHistory(forConsumer: "cloud")).transactions
    #expect(unread.map(\.token) == read.map(\.token), "nothing is lost to the other")
    try cloud.persistentStoreCoordinator.advanceHistoryConsumer("cloud", to: last.token)
    #expect(try context.execute(.deleteHistory(before: last.token)).count == 2)
    #expect(try uploading.execute(.fetchHistory(forConsumer: "cloud")).transactions.isEmpty)
  }

  @Test("An expired token stops the app from refreshing")
  func expiry() async throws {
    let shelf = try await Neighbour()
    let context = shelf.container.newContext()
    try shelf.tell("insert Emma")
    let stored = try JSONEncoder().encode(
      #require(try shelf.container.persistentStoreCoordinator.currentPersistentHistoryToken()))
    try shelf.tell("insert Persuasion")
    let cleaning = try await shelf.other()
    _ = try cleaning.newContext().execute(.deleteHistory(before: nil as PersistentHistoryToken?))
    try cleaning.close()
    // What a program does that was not started for long.
    var token: PersistentHistoryToken? = try JSONDecoder().decode(PersistentHistoryToken.self, from: stored)
    let error = try #require(try refusal { _ = try context.execute(.fetchHistory(after: token)) })
    #expect(error.code == .historyTokenExpired && error.message.contains("read the objects again"))
    token = error.historyToken
    #expect(try context.count(for: FetchRequest("Book")) == 2, "it reads the objects again")
    #expect(try context.execute(.fetchHistory(after: token)).transactions.isEmpty)
    try shelf.tell("insert Sanditon")
    let next = try context.execute(.fetchHistory(after: token)).transactions
    #expect(next.count == 1 && next.first?.changes?.map(\.changeType) == [.insert], "and is refreshed again")
  }

  @Test("An unreadable token means a replay of everything, and a loop of crashes")
  func unreadable() async throws {
    let shelf = try await Shelf()
    let context = shelf.container.newContext()
    let coordinator = shelf.container.persistentStoreCoordinator
    try save(context, 3)
    try coordinator.registerHistoryConsumer("app")
    let token = try #require(try coordinator.currentPersistentHistoryToken())
    var data = try JSONEncoder().encode(token)
    data.removeLast(data.count / 2)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(PersistentHistoryToken.self, from: data) }
    // The place is in the store as well, by name: nothing is replayed, and no token is needed.
    try save(context, 2)
    try shelf.container.close()
    try await shelf.opened { context in
      let unread = try context.execute(.fetchHistory(forConsumer: "app")).transactions
      #expect(unread.map(\.transactionNumber) == [4, 5])
    }
    // One that can be read and says something else is refused, with one to go on from.
    let forged = PersistentHistoryToken([
      try shelf.storeIdentifier(of: token): .init(transactionNumber: 2, fingerprint: Data(count: 32))
    ])
    try await shelf.opened { context in
      let error = try #require(try refusal { _ = try context.execute(.fetchHistory(after: forged)) })
      #expect(error.code == .historyTokenForeign)
      #expect(try context.execute(.fetchHistory(after: error.historyToken)).transactions.isEmpty)
    }
  }

  @Test("A token from before a backup was restored is of another store")
  func restore() async throws {
    let shelf = try await Shelf()
    let context = shelf.container.newContext()
    try shelf.container.persistentStoreCoordinator.registerHistoryConsumer("app")
    try save(context, 2)
    try shelf.container.close()
    let backup = shelf.url.appendingPathExtension("backup")
    try FileManager.default.copyItem(at: shelf.url, to: backup)
    let lost = try await shelf.opened { context in
      try save(context, 2)
      let token = try #require(try context.persistentStoreCoordinator.currentPersistentHistoryToken())
      try context.persistentStoreCoordinator.advanceHistoryConsumer("app", to: token)
      return token
    }
    try FileManager.default.removeItem(at: shelf.url)
    try FileManager.default.moveItem(at: backup, to: shelf.url)
    try await shelf.opened { context in
      // The restored store goes another way, to the same number.
      try save(context, 2)
      let token = try #require(try context.persistentStoreCoordinator.currentPersistentHistoryToken())
      let error = try #require(try refusal { _ = try context.execute(.fetchHistory(after: lost)) })
      #expect(error.code == .historyTokenForeign && error.historyToken == token)
      #expect(
        try refusal { try context.persistentStoreCoordinator.advanceHistoryConsumer("app", to: lost) }?.code
          == .historyTokenForeign)
      // A consumer's place was restored with the objects, so that it reads what was saved since.
      let unread = try context.execute(.fetchHistory(forConsumer: "app")).transactions
      #expect(unread.map(\.transactionNumber) == [1, 2, 3, 4] && unread.last?.token == token)
    }
  }

  @Test("The values that changed are wanted, and only names are there")
  func values() async throws {
    let model = try ManagedObjectModel {
      Entity("Account", userInfo: [EntityDescription.recordsHistoryValuesKey: "YES"]) {
        Attribute("balance", .decimal)
        Relationship("owner", to: "Owner", inverse: "accounts")
      }
      Entity("Owner") { Relationship("accounts", toMany: "Account", inverse: "owner") }
    }
    let shelf = try await Shelf(model)
    let context = shelf.container.newContext()
    let (account, owner) = (try context.insert("Account"), try context.insert("Owner"))
    try account.set("balance", Decimal(10))
    try context.save()
    try account.set("balance", Decimal(25))
    try account.setObject(owner, forKey: "owner")
    try context.save()
    try context.delete(account)
    try context.save()
    let (id, owning) = (account.objectID, owner.objectID)
    try shelf.container.close()
    try await shelf.opened { context in
      var request = PersistentHistoryChangeRequest.fetchHistory(afterTransaction: 0)
      request.objectID = id
      request.resultType = .changesOnly
      let changes = try context.execute(request).changes
      #expect(changes.map(\.changeType) == [.insert, .update, .delete])
      #expect(changes[1].oldValues == ["balance": .attribute(.decimal(10)), "owner": .object(nil)])
      #expect(changes[1].newValues == ["balance": .attribute(.decimal(25)), "owner": .object(owning)])
      #expect(changes[2].oldValues == ["balance": .attribute(.decimal(25)), "owner": .object(owning)])
    }
  }

  @Test("Live queries miss what other processes save")
  func liveQueries() async throws {
    let shelf = try await Neighbour()
    let context = shelf.container.newContext()
    context.automaticallyMergesChangesFromParent = true
    let books = try FetchedResultsController(
      FetchRequest("Book", sortDescriptors: [FetchSortDescriptor("title")]), in: context)
    try books.performFetch()
    #expect(books.fetchedObjects.isEmpty)
    func titles() throws -> [String] {
      try books.fetchedObjects.map { try $0.get("title", as: String.self) ?? "" }
    }
    func wait(for wanted: [String]) async throws {
      for _ in 0..<8000 {
        context.processPendingChanges()
        if try titles() == wanted { return }
        try await Task.sleep(for: .milliseconds(5))
      }
    }
    for (line, wanted) in [
      ("insert Emma", ["Emma"]), ("insert Persuasion", ["Emma", "Persuasion"]),
      ("rename Emma Sanditon", ["Persuasion", "Sanditon"]), ("delete Persuasion", ["Sanditon"]),
    ] {
      try shelf.tell(line)
      try await wait(for: wanted)
      #expect(try titles() == wanted, "after \(line)")
    }
    let transactions = try context.execute(.fetchHistory(afterTransaction: 0)).transactions
    #expect(transactions.allSatisfy { $0.processName == "sharing-probe" && $0.processIdentifier != getpid() })
    #expect(
      transactions.flatMap { $0.changes ?? [] }.map(\.changeType) == [.insert, .insert, .update, .delete])
  }
}

extension Shelf {
  /// The UUID of the store, which a token has a place in; the container may be closed.
  fileprivate func storeIdentifier(of token: PersistentHistoryToken) throws -> UUID {
    let json = try JSONSerialization.jsonObject(with: JSONEncoder().encode(token)) as? [String: Any]
    let positions = json?["positions"] as? [String: Any]
    return try #require(positions?.keys.first.flatMap { UUID(uuidString: $0) })
  }
}
