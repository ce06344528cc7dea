import Foundation
import Locks
import ObjectContext
import ObjectModel
import ObjectQuery
import PostgresServer
import StoreContract
import StrongroomPostgres
import Testing

@Suite("Another version of the model on a server", .enabled(if: PostgresServer.programs != nil))
struct ServerMigrationTests {
  /// Ships with a name; in the second version with a flag that all have, and ports.
  private static func model(_ version: Int, _ others: () -> [Entity] = { [] }) throws -> ManagedObjectModel {
    var ship = Entity("Ship") { Attribute("name", .string) }
    if version > 1 {
      ship.attributes.append(Attribute("flag", .string, optional: false, default: "blue"))
    }
    if version > 2 { ship.attributes.removeAll { $0.name == "name" } }
    var entities = [ship]
    if version > 1 { entities.append(Entity("Port") { Attribute("depth", .double) }) }
    return try ManagedObjectModel(ModelDeclaration(entities: entities + others()))
  }

  private func context(_ store: PostgresStore, _ model: ManagedObjectModel) throws -> ManagedObjectContext {
    let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(store)
    return ManagedObjectContext(coordinator, isolation: nil)
  }

  private func filled(_ schema: String) async throws -> (PostgresStore, ManagedObjectContext) {
    let store = try await PostgresFactory.store(Self.model(1), schema: schema)
    let context = try context(store, Self.model(1))
    for name in ["Anna", "Berta"] { try context.insert("Ship").set("name", name) }
    try context.save()
    return (store, context)
  }

  @Test("a store that is saved to all the time is moved without a deadlock, with all that was saved")
  func busy() async throws {
    let server = try PostgresServer()
    for round in 0..<4 {
      let schema = "busy \(round)"
      let notes = try await NoteStore(server.url, schema: schema)
      let (saved, refused) = (Locked<[String]>([]), Locked<[StoreError.Code]>([]))
      let threads = (0..<3).map { thread in
        Background {
          for turn in 0..<5000 {
            do {
              try notes.save(["\(thread).\(turn)"])
              saved.withLock { $0.append("\(thread).\(turn)") }
            } catch let error as StoreError {
              return refused.withLock { $0.append(error.code) }
            }
          }
        }
      }
      while saved.withLock(\.count) < 100 { usleep(1_000) }
      let moved = try await NoteStore(server.url, schema: schema, more: ["well"])
      for thread in threads { try thread.value() }
      #expect(refused.withLock { $0 } == Array(repeating: .modelMismatch, count: 3))
      #expect(try moved.texts.sorted() == saved.withLock { $0.sorted() })
    }
    let log = try String(contentsOf: server.folder.appending(path: "log"), encoding: .utf8)
    #expect(!log.contains("deadlock detected"))
  }

  @Test("a program that has the store open gets an error from its next read and save, and writes nothing")
  func open() async throws {
    let server = try PostgresServer.shared()
    let schema = server.newSchema()
    let (_, context) = try await filled(schema)
    let waiting = try await PostgresFactory.store(Self.model(1), schema: schema)
    // What is said of the migration is not heard.
    try server.execute(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        + " WHERE query LIKE 'LISTEN%\(waiting.identifier)%'")
    try await PostgresFactory.store(Self.model(2), schema: schema).close()
    try context.insert("Ship").set("name", "late")
    #expect(throws: StoreError.self) { try context.save() }
    do { try context.save() } catch let error as StoreError { #expect(error.code == .modelMismatch) }
    do {
      _ = try waiting.fetchNodes(FetchRequest("Ship"), lookup: nil)
      Issue.record("it reads")
    } catch let error as StoreError { #expect(error.code == .modelMismatch) }
    let store = try await PostgresFactory.store(Self.model(2), schema: schema)
    let ships = try self.context(store, Self.model(2)).fetch(
      FetchRequest("Ship", sortDescriptors: [.init("name")]))
    #expect(try ships.map { try $0.get("name", as: String.self) } == ["Anna", "Berta"])
    #expect(try ships.map { try $0.get("flag", as: String.self) } == ["blue", "blue"])
  }

  @Test("of several programs that open it at once, one migrates, and the others find it done")
  func together() async throws {
    let schema = try PostgresServer.shared().newSchema()
    try await filled(schema).0.close()
    try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let store = try await PostgresFactory.store(Self.model(2), schema: schema)
          defer { try? store.close() }
          return try store.count(for: FetchRequest("Ship"))
        }
      }
      for try await count in group { #expect(count == 2) }
    }
  }

  @Test("a migration waits for a save in progress, and has what it saved")
  func inProgress() async throws {
    let schema = try PostgresServer.shared().newSchema()
    let (store, _) = try await filled(schema)
    let entity = try #require(store.storeEntities.first?.entity)
    let builder = NodeBuilder()
    builder.begin(fieldCount: entity.fieldCount)
    let id = try store.obtainPermanentIDs(for: [entity])[0]
    var save = SaveChangesRequest()
    save.inserted = [builder.finish(id.storeEntity, reference: id.reference, version: 1)]
    let started = DispatchSemaphore(value: 0)
    let migration = Task {
      await withCheckedContinuation { continuation in
        DispatchQueue.global().async {
          started.wait()
          continuation.resume()
        }
      }
      return try await PostgresFactory.store(Self.model(2), schema: schema)
    }
    try store.save(save) {
      started.signal()
      usleep(400_000)
    }
    #expect(try await migration.value.count(for: FetchRequest("Ship")) == 3)
  }

  @Test("what would be lost is refused where it may not be, and is in a copy where it may")
  func lossy() async throws {
    let server = try PostgresServer.shared()
    let schema = server.newSchema()
    let (store, _) = try await filled(schema)
    let identifier = store.identifier
    try store.close()
    do {
      _ = try await PostgresFactory.store(Self.model(3), schema: schema) { $0.allowsLossyMigration = false }
      Issue.record("it is migrated")
    } catch let error as StoreError {
      #expect(error.code == .lossyMigration && error.migrationForecast?.droppedValueCount == 2)
    }
    let migrated = try await PostgresFactory.store(Self.model(3), schema: schema)
    #expect(try migrated.identifier == identifier && migrated.count(for: FetchRequest("Ship")) == 2)
    let copies = try server.execute(
      "SELECT nspname FROM pg_namespace WHERE starts_with(nspname, '\(schema)_before_')"
    ).split(separator: "\n").map(String.init)
    let copy = try await PostgresFactory.store(Self.model(1), schema: copies.first ?? "") {
      $0.shouldMigrateStoreAutomatically = false
    }
    let ships = try context(copy, Self.model(1)).fetch(FetchRequest("Ship", sortDescriptors: [.init("name")]))
    #expect(try ships.map { try $0.get("name", as: String.self) } == ["Anna", "Berta"])
    #expect(try copy.execute(.fetchHistory(after: nil as PersistentHistoryToken?)).transactions.count == 1)
    #expect(copies.count == 1)
  }

  @Test("one that cannot be inferred leaves the store as it is, and a newer store is not moved back")
  func refused() async throws {
    let server = try PostgresServer.shared()
    let schema = server.newSchema()
    try await filled(schema).0.close()
    let before = try server.dump(schema)
    let other = try ManagedObjectModel { Entity("Ship") { Attribute("name", .double) } }
    func code(_ model: ManagedObjectModel) async throws -> StoreError.Code? {
      do { try await PostgresFactory.store(model, schema: schema).close() } catch let error as StoreError {
        return error.code
      }
      return nil
    }
    #expect(try await code(other) == .modelMismatch)
    #expect(try server.dump(schema) == before)
    let second = try await PostgresFactory.store(Self.model(2), schema: schema)
    let ports = try context(second, Self.model(2))
    try ports.insert("Port").set("depth", 9)
    try ports.save()
    try second.close()
    #expect(try await code(Self.model(1)) == .modelMismatch)
  }

  @Test("rights, numbers and derived attributes go on")
  func goingOn() async throws {
    let server = try PostgresServer.shared()
    let schema = server.newSchema()
    func model(_ isMoved: Bool) throws -> ManagedObjectModel {
      var size = Attribute("size", .integer64)
      size.derivationExpression = isMoved ? "ships.@count" : nil
      let ship = isMoved ? "Vessel" : "Ship"
      return try ManagedObjectModel {
        Entity("Fleet") {
          size
          Relationship("ships", toMany: ship, inverse: "fleet")
        }
        Entity(ship, renamingIdentifier: "Ship") {
          Attribute("name", .string)
          Relationship("fleet", to: "Fleet", inverse: "ships")
        }
      }
    }
    let first = try await PostgresFactory.store(model(false), schema: schema)
    let filling = try context(first, model(false))
    let fleet = try filling.insert("Fleet")
    let ships = try (0..<3).map { _ in
      let ship = try filling.insert("Ship")
      try ship.setObject(fleet, forKey: "fleet")
      return ship
    }
    try filling.save()
    try filling.delete(ships[2])
    try filling.save()
    let last = ships[2].objectID.reference
    try first.close()
    try server.execute(
      """
      DO $$ BEGIN CREATE ROLE reader; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
      GRANT SELECT ON "\(schema)"."Ship" TO reader
      """)
    let second = try await PostgresFactory.store(model(true), schema: schema)
    let context = try context(second, model(true))
    let found = try #require(try context.fetch(FetchRequest("Fleet")).first)
    #expect(try found.get("size", as: Int.self) == 2)
    let next = try context.insert("Vessel")
    try context.save()
    #expect(next.objectID.reference > last, "numbers are not given again")
    #expect(
      try server.execute("SELECT has_table_privilege('reader', '\"\(schema)\".\"Vessel\"', 'SELECT')")
        .hasPrefix("t") == true)
  }

  @Test("a query generation is waited for, and has what it had")
  func generations() async throws {
    let schema = try PostgresServer.shared().newSchema()
    let (store, _) = try await filled(schema)
    let moment = try store.snapshot()
    let count = Locked<Int?>(nil)
    // A thread of its own: the tests' threads may all be waiting for the server.
    Thread.detachNewThread {
      let waiting =
        "SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = '\"\(schema)\"._store'::regclass"
      while (try? PostgresServer.shared().execute(waiting)) == "0\n" { usleep(20_000) }
      count.withLock { $0 = try? moment.count(for: FetchRequest("Ship")) }
      try? moment.close()
    }
    let migrated = try await PostgresFactory.store(Self.model(3), schema: schema)
    #expect(try migrated.count(for: FetchRequest("Ship")) == 2)
    #expect(count.withLock(\.self) == 2)
  }

  @Test("a query generation is waited for though the server ended the connection that it began with")
  func generationWithoutItsBeginning() async throws {
    let server = try PostgresServer.shared()
    let schema = server.newSchema()
    let (store, _) = try await filled(schema)
    let moment = try store.snapshot()
    #expect(try moment.count(for: FetchRequest("Ship")) == 2)
    try server.execute(
      "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE pid IN (SELECT pid FROM pg_locks"
        + " WHERE relation = '\"\(schema)\"._store'::regclass) ORDER BY backend_start LIMIT 1")
    #expect(throws: PostgresServer.Failure.self) {
      try server.execute(
        "SET lock_timeout TO '300ms'; BEGIN; LOCK TABLE \"\(schema)\"._store IN ACCESS EXCLUSIVE MODE")
    }
    #expect(try moment.count(for: FetchRequest("Ship")) == 2)
    try moment.close()
  }

  @Test("a query generation of a store that was moved to another version is refused")
  func lateGeneration() async throws {
    let schema = try PostgresServer.shared().newSchema()
    let (store, _) = try await filled(schema)
    try await PostgresFactory.store(Self.model(2), schema: schema).close()
    #expect { try store.snapshot() } throws: { ($0 as? StoreError)?.code == .modelMismatch }
    #expect { try store.verify() } throws: { ($0 as? StoreError)?.code == .modelMismatch }
  }

  @Test("an entity that is removed and added again gives out no number twice")
  func comesAgain() async throws {
    let schema = try PostgresServer.shared().newSchema()
    let (store, _) = try await filled(schema)
    let last = try #require(try store.fetchObjectIDs(FetchRequest("Ship")).map(\.reference).max())
    try store.close()
    try await PostgresFactory.store(Self.model(2), schema: schema).close()
    let other = try ManagedObjectModel { Entity("Port") { Attribute("depth", .double) } }
    try await PostgresFactory.store(other, schema: schema).close()
    let again = try await PostgresFactory.store(Self.model(2), schema: schema)
    let ship = try #require(Self.model(2).entity(named: "Ship"))
    #expect(try again.obtainPermanentIDs(for: [ship])[0].reference > last)
  }

  @Test("what an administrator made on a table is not lost with it, and rows of no entity neither")
  func foreign() async throws {
    let server = try PostgresServer.shared()
    let numbers = try ManagedObjectModel { Entity("Ship") { Attribute("name", .integer32) } }
    let doubles = try ManagedObjectModel { Entity("Ship") { Attribute("name", .double) } }
    let cases: [(sql: String, code: StoreError.Code)] = [
      ("ALTER TABLE \"Ship\" ADD COLUMN audit text", .schemaMismatch),
      ("ALTER TABLE \"Ship\" ENABLE ROW LEVEL SECURITY", .schemaMismatch),
      ("GRANT SELECT (_id) ON \"Ship\" TO PUBLIC", .schemaMismatch),
      ("ALTER TABLE \"Ship\" ADD CHECK (_id > 0)", .schemaMismatch),
      ("ALTER TABLE \"Ship\" ADD UNIQUE (name, _entity)", .schemaMismatch),
      ("ALTER TABLE \"Ship\" ADD EXCLUDE USING btree (name WITH =)", .schemaMismatch),
      ("CREATE VIEW seen AS SELECT _id FROM \"Ship\"", .schemaMismatch),
      ("UPDATE \"Ship\" SET _entity = 77", .fileDamaged),
    ]
    for (sql, code) in cases {
      let schema = server.newSchema()
      let store = try await PostgresFactory.store(numbers, schema: schema)
      let filling = try context(store, numbers)
      try filling.insert("Ship").set("name", 1)
      try filling.save()
      try store.close()
      try server.execute("SET search_path TO \"\(schema)\"; \(sql)")
      let before = try server.dump(schema)
      do {
        _ = try await PostgresFactory.store(doubles, schema: schema)
        Issue.record("\(sql) is lost")
      } catch let error as StoreError { #expect(error.code == code, "\(sql)") }
      #expect(try server.dump(schema) == before, "\(sql)")
    }
  }

  @Test("two names that are cut to the same bytes, of which the second comes first")
  func cutNames() async throws {
    let schema = try PostgresServer.shared().newSchema()
    func model(_ names: [String]) throws -> ManagedObjectModel {
      try ManagedObjectModel(
        ModelDeclaration(entities: names.map { name in Entity(name) { Attribute("a", .string) } }))
    }
    let long = String(repeating: "A", count: 61)
    try await PostgresFactory.store(model([long + "BB"]), schema: schema).close()
    let both = try await PostgresFactory.store(model([long + "BB", long + "BA"]), schema: schema)
    #expect(try both.count(for: FetchRequest(long + "BA")) == 0)
  }
}
