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
    for _ in 0..<8000 where try theirs.remoteChangeCount == 0 { try await Task.sleep(for: .milliseconds(5)) }
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

  @Test("while one waits for another's unique value, a third saves")
  func waiting() async throws {
    let (mine, theirs) = try await pair()
    let server = try PostgresServer.shared()
    let waiting = try context(mine)
    try waiting.insert("Ship").set("name", "Anna")
    try waiting.save()
    let table = "\"\(mine.description.serverSchema)\".\"Ship\""
    // As a batch does that is not done, which records itself in the history at its end.
    let unfinished = try LongTransaction(
      "INSERT INTO \(table) SELECT (r).* FROM (SELECT jsonb_populate_record(s,"
        + " '{\"_id\": 99999, \"berth\": 7}') r FROM \(table) s LIMIT 1) x", on: server)
    let saving = Background { [model = try Self.model()] in
      let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
      try coordinator.addPersistentStore(mine)
      let context = ManagedObjectContext(coordinator, isolation: nil)
      try context.insert("Ship").set("berth", 7)
      try context.save()
    }
    try unfinished.awaitWaiting()
    let other = try context(theirs)
    try other.insert("Ship").set("name", "Berta")
    try other.save()
    #expect(!saving.isDone && !unfinished.isDone)
    try unfinished.end()
    try saving.value()
    #expect(try theirs.count(for: FetchRequest("Ship")) == 3)
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

  @Test("a moment is there for more threads than connections are left open, until its connection is lost")
  func manyReaders() async throws {
    let (mine, theirs) = try await pair()
    let writer = try context(mine)
    for _ in 0..<200 { try writer.insert("Ship").set("name", "Anna") }
    try writer.save()
    let moment = try theirs.snapshot()
    let failures = Locked(0)
    for _ in 0..<4 {
      DispatchQueue.concurrentPerform(iterations: 20) { _ in
        if (try? moment.fetchNodes(FetchRequest("Ship"), lookup: nil).count) != 200 {
          failures.withLock { $0 += 1 }
        }
      }
    }
    #expect(failures.withLock { $0 } == 0)
    try moment.close()
    #expect(throws: StoreError.self) { try moment.count(for: FetchRequest("Ship")) }
  }

  @Test("others are heard among many saves of one's own")
  func hearingOften() async throws {
    let (mine, theirs) = try await pair()
    let (own, other) = (try context(mine), try context(theirs))
    for number in 0..<1000 {
      try own.insert("Ship").set("name", "\(number)")
      try own.save()
    }
    try other.insert("Ship").set("name", "Anna")
    try other.save()
    // A look takes in all that was said: one buffer a look would take six. A busy server may be slow.
    var heard: Int64?
    for _ in 0..<3 where heard != 1 {
      try await Task.sleep(for: .seconds(2))
      heard = try mine.remoteChangeCount
    }
    #expect(heard == 1)
  }

  @Test("numbers that are taken in a save that fails are not given to others")
  func numbersOfFailures() async throws {
    let (mine, theirs) = try await pair()
    let entity = try #require(mine.storeEntities.first?.entity)
    struct Refusal: Error {}
    var taken: [ManagedObjectID] = []
    var save = SaveChangesRequest()
    let builder = NodeBuilder()
    builder.begin(fieldCount: entity.fieldCount)
    let id = try mine.obtainPermanentIDs(for: [entity])[0]
    save.inserted = [builder.finish(id.storeEntity, reference: id.reference, version: 1)]
    #expect(throws: Refusal.self) {
      try mine.save(save) {
        taken = try mine.obtainPermanentIDs(for: Array(repeating: entity, count: 500))
        throw Refusal()
      }
    }
    let others = try theirs.obtainPermanentIDs(for: Array(repeating: entity, count: 500))
    #expect(Set(others.map(\.reference)).isDisjoint(with: taken.map(\.reference)))
  }

  @Test("what is derived counts what two saved at once")
  func derived() async throws {
    var size = Attribute("size", .integer64)
    size.derivationExpression = "ships.@count"
    let derived = size
    let model = try ManagedObjectModel {
      Entity("Fleet") {
        derived
        Relationship("ships", toMany: "Ship", inverse: "fleet")
      }
      Entity("Ship") { Relationship("fleet", to: "Fleet", inverse: "ships") }
    }
    let schema = try PostgresServer.shared().newSchema()
    func context() async throws -> ManagedObjectContext {
      let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
      try coordinator.addPersistentStore(await PostgresFactory.store(model, schema: schema))
      return ManagedObjectContext(coordinator, isolation: nil)
    }
    let first = try await context()
    try first.insert("Fleet")
    try first.save()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          let own = try await context()
          for _ in 0..<10 {
            let fleet = try #require(try own.fetch(FetchRequest("Fleet")).first)
            try own.insert("Ship").setObject(fleet, forKey: "fleet")
            try own.save()
          }
        }
      }
      try await group.waitForAll()
    }
    let fleet = try #require(try first.fetch(FetchRequest("Fleet")).first)
    #expect(try fleet.get("size", as: Int.self) == 40)
  }

  @Test("two that save metadata at once both do")
  func metadata() async throws {
    let (mine, theirs) = try await pair()
    let failures = Locked(0)
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      for number in 0..<20 {
        var save = SaveChangesRequest()
        save.metadata = ["name": "\(thread) \(number)"]
        do { try (thread % 2 == 0 ? mine : theirs).save(save) } catch { failures.withLock { $0 += 1 } }
      }
    }
    #expect(failures.withLock { $0 } == 0)
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
