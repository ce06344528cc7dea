import Foundation
import Strongroom
import Testing

@Suite("A place in a history")
struct HistoryTokenTests {
  private func refusal(
    _ context: ManagedObjectContext, after token: PersistentHistoryToken
  ) throws -> StoreError? {
    do {
      _ = try context.execute(.fetchHistory(after: token))
      return nil
    } catch let error as StoreError {
      return error
    }
  }

  private func save(_ context: ManagedObjectContext, _ count: Int) throws -> [PersistentHistoryToken] {
    try (0..<count).map { _ in
      try context.insert("Author")
      try context.save()
      return try #require(try context.persistentStoreCoordinator.currentPersistentHistoryToken())
    }
  }

  @Test("is Codable, and goes on from there in another run")
  func coding() async throws {
    let shelf = try await Shelf()
    let context = shelf.container.newContext()
    #expect(try context.persistentStoreCoordinator.currentPersistentHistoryToken() == nil)
    let tokens = try save(context, 3)
    let data = try JSONEncoder().encode(tokens[1])
    let token = try JSONDecoder().decode(PersistentHistoryToken.self, from: data)
    #expect(token == tokens[1] && token != tokens[2])
    #expect(try context.execute(.fetchHistory(after: token)).transactions.map(\.token) == [tokens[2]])
  }

  @Test("that was purged is refused with one to go on from")
  func expired() async throws {
    let shelf = try await Shelf()
    let context = shelf.container.newContext()
    let tokens = try save(context, 4)
    let deleted = try context.execute(.deleteHistory(before: tokens[1]))
    #expect(deleted.count == 2 && deleted.limitingConsumer == nil)
    #expect(try refusal(context, after: tokens[1]) == nil, "it has read up to there")
    let error = try #require(try refusal(context, after: tokens[0]))
    #expect(error.code == .historyTokenExpired && error.historyToken == tokens[3])
    #expect(error.message.contains("read the objects again"))
    #expect(try context.execute(.fetchHistory(after: error.historyToken)).transactions.isEmpty)
    #expect(try context.execute(.deleteHistory(before: nil as PersistentHistoryToken?)).count == 2)
    let next = try save(context, 1)
    let identifier = try shelf.identifier
    #expect(next[0].position(in: identifier)?.transactionNumber == 5, "numbers go on")
    #expect(try context.execute(.fetchHistory(after: tokens[3])).transactions.map(\.token) == next)
  }

  @Test("of another store is refused, and so is one of a copy that went another way, at the same number")
  func foreign() async throws {
    let (shelf, other) = (try await Shelf(), try await Shelf())
    let (here, there) = (shelf.container.newContext(), other.container.newContext())
    let (tokens, others) = (try save(here, 2), try save(there, 2))
    #expect(try refusal(here, after: others[1])?.code == .historyTokenForeign)
    try shelf.container.close()
    // A copy in the file's place, as a restored backup is.
    let copy = shelf.url.appendingPathExtension("copy")
    try FileManager.default.copyItem(at: shelf.url, to: copy)
    let later = try await shelf.opened { try save($0, 2) }
    try FileManager.default.removeItem(at: shelf.url)
    try FileManager.default.moveItem(at: copy, to: shelf.url)
    try await shelf.opened { context in
      #expect(try refusal(context, after: tokens[1]) == nil)
      #expect(try refusal(context, after: later[0])?.code == .historyTokenForeign, "it is beyond the end")
      let own = try save(context, 2)
      #expect(try refusal(context, after: later[1])?.code == .historyTokenForeign, "another of that number")
      #expect(try refusal(context, after: later[1])?.historyToken == own[1])
    }
  }

  @Test("of several stores has a place in each")
  func several() async throws {
    let shelf = try await Shelf()
    let context = shelf.container.newContext()
    let token = try save(context, 1)[0]
    let identifier = try shelf.identifier
    let position = try #require(token.position(in: identifier))
    let other = UUID()
    let both = token.merging(PersistentHistoryToken([other: position]))
    #expect(both.position(in: other) == position && both.position(in: identifier) == position)
    #expect(try refusal(context, after: both) == nil)
  }
}

extension Shelf {
  var url: URL { folder.appendingPathComponent("l.strongroom") }
  var identifier: UUID {
    get throws { try #require(container.persistentStoreCoordinator.persistentStores.first).identifier }
  }

  /// Runs some work in a container of its own on the same file, which is closed then.
  func opened<R>(_ body: (ManagedObjectContext) throws -> R) async throws -> R {
    let other = PersistentContainer(
      name: "Library", managedObjectModel: container.managedObjectModel, url: url, vault: vault)
    try await other.loadPersistentStores()
    let result = Result { try body(other.newContext()) }
    try other.close()
    return try result.get()
  }
}
