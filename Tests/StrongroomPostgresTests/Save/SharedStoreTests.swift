import Foundation
import Locks
import ObjectContext
import ObjectModel
import ObjectQuery
import PostgresServer
import StoreContract
import StrongroomPostgres
import Testing

@Suite("Several programs on one server", .enabled(if: PostgresServer.programs != nil))
struct SharedStoreTests {
  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Ship") {
        Attribute("name", .string)
        Attribute("berth", .integer64, optional: true)
        UniquenessConstraint("berth")
      }
    }
  }

  /// Two store objects on one store, as two programs have them.
  private func pair() async throws -> (PostgresStore, PostgresStore) {
    let schema = try PostgresServer.shared().newSchema()
    let model = try Self.model()
    return (
      try await PostgresFactory.store(model, schema: schema),
      try await PostgresFactory.store(model, schema: schema)
    )
  }

  private func context(_ store: any IncrementalStore) throws -> ManagedObjectContext {
    let coordinator = PersistentStoreCoordinator(managedObjectModel: try Self.model())
    try coordinator.addPersistentStore(store)
    return ManagedObjectContext(coordinator, isolation: nil)
  }

  @Test("each hears of the others' saves, and not of its own")
  func hearing() async throws {
    let (mine, theirs) = try await pair()
    #expect(mine.identifier == theirs.identifier)
    let context = try context(mine)
    try context.insert("Ship").set("name", "Anna")
    try context.save()
    for _ in 0..<400 where try theirs.remoteChangeCount == 0 { try await Task.sleep(for: .milliseconds(5)) }
    #expect(try mine.remoteChangeCount == 0 && theirs.remoteChangeCount == 1)
  }

  @Test("one that changes what another has changed has a conflict, and nothing is saved")
  func conflict() async throws {
    let (mine, theirs) = try await pair()
    let first = try context(mine)
    let ship = try first.insert("Ship")
    try ship.set("name", "Anna")
    try first.save()
    let second = try context(theirs)
    let same = try #require(try second.fetch(FetchRequest("Ship")).first)
    try same.set("name", "Berta")
    try second.save()
    try ship.set("name", "Clara")
    #expect(throws: ContextError.self) { try first.save() }
    #expect(
      try context(theirs).fetch(FetchRequest("Ship")).map { try $0.get("name", as: String.self) } == ["Berta"]
    )
  }

  @Test("a moment stays as it was while others save")
  func moment() async throws {
    let (mine, theirs) = try await pair()
    let writer = try context(mine)
    try writer.insert("Ship").set("name", "Anna")
    try writer.save()
    let moment = try theirs.snapshot()
    try writer.insert("Ship").set("name", "Berta")
    try writer.save()
    let counts = Locked<[Int]>([])
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for _ in 0..<20 {
        let count = try? moment.count(for: FetchRequest("Ship"))
        counts.withLock { $0.append(count ?? -1) }
      }
    }
    #expect(counts.withLock { $0 } == Array(repeating: 1, count: 160))
    #expect(try theirs.count(for: FetchRequest("Ship")) == 2)
    #expect(throws: StoreError.self) { try moment.save(SaveChangesRequest()) }
  }

  @Test("objects exchange their unique values in one save")
  func exchange() async throws {
    let (mine, theirs) = try await pair()
    let context = try context(mine)
    let ships = try (1...2).map { number in
      let ship = try context.insert("Ship")
      try ship.set("name", "Ship \(number)")
      try ship.set("berth", number)
      return ship
    }
    try context.save()
    try ships[0].set("berth", 2)
    try ships[1].set("berth", 1)
    try context.save()
    let request = FetchRequest("Ship", sortDescriptors: [FetchSortDescriptor("berth")])
    let names = try self.context(theirs).fetch(request).map { try $0.get("name", as: String.self) }
    #expect(names == ["Ship 2", "Ship 1"])
    try ships[0].set("berth", 1)
    #expect(throws: ContextError.self) { try context.save() }
  }

  @Test("two that make the store at once make one")
  func making() async throws {
    let schema = try PostgresServer.shared().newSchema()
    let model = try Self.model()
    let identifiers = try await withThrowingTaskGroup(of: UUID.self) { group in
      for _ in 0..<8 {
        group.addTask { try await PostgresFactory.store(model, schema: schema).identifier }
      }
      return try await group.reduce(into: Set()) { $0.insert($1) }
    }
    #expect(identifiers.count == 1)
  }

  @Test("no number is given twice")
  func numbers() async throws {
    let (mine, theirs) = try await pair()
    let entity = try #require(try Self.model().entity(named: "Ship"))
    let numbers = try await withThrowingTaskGroup(of: [Int64].self) { group in
      for store in [mine, theirs, mine, theirs] {
        group.addTask {
          try (0..<200).flatMap { count in
            try store.obtainPermanentIDs(for: Array(repeating: entity, count: count % 5)).map(\.reference)
          }
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    #expect(Set(numbers).count == numbers.count && numbers.count == 4 * 400)
  }
}
