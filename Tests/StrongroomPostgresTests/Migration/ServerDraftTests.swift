import Foundation
import Locks
import ObjectContext
import ObjectModel
import ObjectQuery
import PostgresServer
import StoreContract
import StrongroomPostgres
import Testing

@Suite("A program's own work between two versions on a server", .enabled(if: PostgresServer.programs != nil))
struct ServerDraftTests {
  private static func model(_ attributes: String...) throws -> ManagedObjectModel {
    try ManagedObjectModel { Entity("Note") { for name in attributes { Attribute(name, .string) } } }
  }

  private static func stages(
    _ old: ManagedObjectModel, _ new: ManagedObjectModel,
    _ work: @escaping @Sendable (ManagedObjectContext) throws -> Void
  ) -> StagedMigrationManager {
    var stage = CustomMigrationStage(
      migratingFrom: ManagedObjectModelReference(model: old), to: ManagedObjectModelReference(model: new))
    stage.didMigrateHandler = { manager, _ in
      let container = try #require(manager.container)
      try work(container.newContext(isolation: nil))
    }
    return StagedMigrationManager([stage])
  }

  /// Opens the store with a coordinator, as programs do.
  private func open(
    _ schema: String, _ model: ManagedObjectModel, _ stages: StagedMigrationManager? = nil,
    on server: PostgresServer? = nil
  ) async throws -> PersistentContainer {
    PersistentStoreCoordinator.registerStoreClass(PostgresStore.self)
    var description = try PostgresFactory.description(schema: schema)
    if let server { description.url = try server.url }
    description.stagedMigrationManager = stages
    let container = PersistentContainer(
      name: "notes", managedObjectModel: model, persistentStoreDescription: description)
    try await container.loadPersistentStores()
    return container
  }

  private func titles(_ container: PersistentContainer) throws -> [String?] {
    try container.newContext(isolation: nil)
      .fetch(FetchRequest("Note", sortDescriptors: [FetchSortDescriptor("title")]))
      .map { try $0.get("title", as: String.self) }
  }

  private func fill(
    _ schema: String, _ model: ManagedObjectModel, on server: PostgresServer? = nil
  ) async throws -> PersistentContainer {
    let container = try await open(schema, model, on: server)
    let context = container.newContext(isolation: nil)
    for title in ["a", "b"] { try context.insert("Note").set("title", title) }
    try context.save()
    return container
  }

  private static func upper(_ context: ManagedObjectContext) throws {
    for note in try context.fetch(FetchRequest("Note")) {
      try note.set("title", note.get("title", as: String.self)?.uppercased())
    }
    try context.save()
  }

  @Test("others read what was there meanwhile, and a save of theirs waits and fails: none is lost")
  func others() async throws {
    let schema = try PostgresServer.shared().newSchema()
    let (old, new) = (try Self.model("title"), try Self.model("title", "more"))
    let reader = try await fill(schema, old)
    let late = try await open(schema, old)
    let saving = DispatchGroup()
    let outcome = Locked<Result<Void, any Error>?>(nil)
    let seen = Locked<[String?]>([])
    let stages = Self.stages(old, new) { context in
      DispatchQueue.global().async(group: saving) {
        let result = Result {
          let others = late.newContext(isolation: nil)
          try others.insert("Note").set("title", "late")
          try others.save()
        }
        outcome.withLock { $0 = result }
      }
      try Self.upper(context)
      usleep(300_000)
      #expect(outcome.withLock { $0 } == nil, "a save does not wait")
      let read = try titles(reader)
      seen.withLock { $0 = read }
    }
    let migrated = try await open(schema, new, stages)
    saving.wait()
    #expect(seen.withLock { $0 } == ["a", "b"])
    #expect(try titles(migrated) == ["A", "B"])
    #expect(outcome.withLock { $0 } != nil)
    do { try outcome.withLock { try $0?.get() } } catch let error as StoreError {
      #expect(error.code == .modelMismatch)
    }
    #expect(throws: StoreError.self) { try titles(reader) }
  }

  @Test("of several programs that open it at once one does its work, and the others find it done")
  func once() async throws {
    let schema = try PostgresServer.shared().newSchema()
    let (old, new) = (try Self.model("title"), try Self.model("title", "more"))
    try await fill(schema, old).close()
    let runs = Locked(0)
    let stages = Self.stages(old, new) { context in
      runs.withLock { $0 += 1 }
      for note in try context.fetch(FetchRequest("Note")) {
        try note.set("title", (note.get("title", as: String.self) ?? "") + "!")
      }
      try context.save()
      // Long enough for the others to come, and to wait.
      usleep(500_000)
    }
    try await withThrowingTaskGroup(of: [String?].self) { group in
      for _ in 0..<3 { group.addTask { try await titles(open(schema, new, stages)) } }
      for try await titles in group { #expect(titles == ["a!", "b!"]) }
    }
    #expect(runs.withLock { $0 } == 1)
    let left = try PostgresServer.shared().execute(
      "SELECT count(*) FROM pg_namespace WHERE starts_with(nspname, '\(schema)_')")
    #expect(left == "0\n")
  }

  @Test("a server that is killed meanwhile leaves the store as it was, and the next draft removes the rest")
  func killed() async throws {
    let server = try PostgresServer()
    let schema = server.newSchema()
    let (old, new) = (try Self.model("title"), try Self.model("title", "more"))
    try await fill(schema, old, on: server).close()
    let before = try server.dump(schema)
    func schemas() throws -> String {
      try server.execute("SELECT nspname FROM pg_namespace WHERE starts_with(nspname, '\(schema)_')")
    }
    let dying = Self.stages(old, new) { context in
      try Self.upper(context)
      server.crash()
    }
    var code: StoreError.Code?
    do { try await open(schema, new, dying, on: server).close() } catch let error as StoreError {
      code = error.code
    }
    #expect(code == .serverUnreachable)
    server.wait()
    #expect(try server.dump(schema) == before)
    // As a program leaves it that is killed itself.
    let identifier = try #require(
      try server.execute("SELECT value FROM \"\(schema)\"._store WHERE name = 'uuid'").split(separator: "\"")
        .first)
    try server.execute(
      "CREATE SCHEMA \"\(schema)_draft_1\"; COMMENT ON SCHEMA \"\(schema)_draft_1\""
        + " IS 'unfinished migration of \(schema), \(identifier)'; CREATE SCHEMA \"\(schema)_draft_mine\"")
    let container = try await open(schema, new, Self.stages(old, new, Self.upper), on: server)
    #expect(try titles(container) == ["A", "B"])
    #expect(try schemas().split(separator: "\n") == ["\(schema)_draft_mine"])
  }

  @Test("rights, history, numbers of objects and the program's metadata go on")
  func goingOn() async throws {
    let server = try PostgresServer.shared()
    let schema = server.newSchema()
    let (old, new) = (try Self.model("title"), try Self.model("title", "more"))
    let first = try await fill(schema, old)
    let coordinator = first.persistentStoreCoordinator
    let store = try coordinator.persistentStore
    try coordinator.setMetadata(["owner": "Ada"], for: store)
    let token = try #require(try coordinator.currentPersistentHistoryToken())
    let context = first.newContext(isolation: nil)
    let last = try context.insert("Note")
    try context.save()
    try first.close()
    try server.execute(
      """
      DO $$ BEGIN CREATE ROLE reader; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
      GRANT SELECT ON "\(schema)"."Note", "\(schema)"._store TO reader
      """)
    let second = try await open(schema, new, Self.stages(old, new, Self.upper))
    #expect(try second.persistentStoreCoordinator.persistentStore.metadata["owner"] == "Ada")
    #expect(try second.persistentStoreCoordinator.persistentStore.identifier == store.identifier)
    for table in ["Note", "_store"] {
      let right = try server.execute(
        "SELECT has_table_privilege('reader', '\"\(schema)\".\"\(table)\"', 'SELECT')")
      #expect(right.hasPrefix("t"))
    }
    let next = second.newContext(isolation: nil)
    let inserted = try next.insert("Note")
    try next.save()
    #expect(inserted.objectID.reference > last.objectID.reference)
    let changes = try next.execute(.fetchHistory(after: token))
    // The save before, the program's own work, and the one behind it.
    #expect(changes.transactions.count == 3)
  }

  @Test("a new entity's table has the rights that the schema gives each new one")
  func defaultRights() async throws {
    let server = try PostgresServer.shared()
    let schema = server.newSchema()
    let old = try Self.model("title")
    let new = try ManagedObjectModel {
      Entity("Note") { Attribute("title", .string) }
      Entity("Place") { Attribute("name", .string) }
    }
    try await fill(schema, old).close()
    try server.execute(
      """
      DO $$ BEGIN CREATE ROLE reader; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
      ALTER DEFAULT PRIVILEGES IN SCHEMA "\(schema)" GRANT SELECT ON TABLES TO reader
      """)
    try await open(schema, new, Self.stages(old, new, Self.upper)).close()
    let right = try server.execute(
      "SELECT has_table_privilege('reader', '\"\(schema)\".\"Place\"', 'SELECT')")
    #expect(right.hasPrefix("t"))
  }

  @Test("a program with the former version does not follow the history past what it cannot see")
  func followers() async throws {
    let schema = try PostgresServer.shared().newSchema()
    let (old, new) = (try Self.model("title"), try Self.model("title", "more"))
    let first = try await fill(schema, old)
    let coordinator = first.persistentStoreCoordinator
    try coordinator.registerHistoryConsumer("follower")
    let token = try #require(try coordinator.currentPersistentHistoryToken())
    let second = try await open(schema, new, Self.stages(old, new, Self.upper))
    let context = first.newContext(isolation: nil)
    for attempt in [
      { _ = try context.execute(.fetchHistory(after: token)) },
      { _ = try context.execute(.fetchHistory(forConsumer: "follower")) },
      { try coordinator.advanceHistoryConsumer("follower", to: token) },
    ] {
      do {
        try attempt()
        Issue.record("it follows")
      } catch let error as StoreError { #expect(error.code == .modelMismatch) }
    }
    let missed = try second.newContext(isolation: nil).execute(.fetchHistory(forConsumer: "follower"))
    #expect(!missed.transactions.isEmpty)
  }

  @Test("live results of the former version say that they are not what is stored")
  @MainActor func liveResults() async throws {
    let schema = try PostgresServer.shared().newSchema()
    let (old, new) = (try Self.model("title"), try Self.model("title", "more"))
    let first = try await fill(schema, old)
    let context = first.viewContext
    context.automaticallyMergesChangesFromParent = true
    let results = try FetchedResultsController(FetchRequest("Note"), in: context, as: ManagedObject.self)
    try results.performFetch()
    #expect(results.fetchedObjects.count == 2)
    let second = try await open(schema, new, Self.stages(old, new, Self.upper))
    let other = second.newContext(isolation: nil)
    try other.insert("Note")
    try other.save()
    for _ in 0..<8000 where results.failure == nil { try await Task.sleep(for: .milliseconds(5)) }
    #expect((results.failure as? StoreError)?.code == .modelMismatch)
    #expect(results.fetchedObjects.count == 2)
  }

  @Test("a member of the role that has the tables migrates, and the role has them still")
  func member() async throws {
    let server = try PostgresServer.shared()
    let schema = server.newSchema()
    let (old, new) = (try Self.model("title"), try Self.model("title", "more"))
    try await fill(schema, old).close()
    let tables = ["Note", "_store", "_sequence", "_history", "_transaction", "_consumer", "_commit"]
    let grants = tables.map { "ALTER TABLE \"\(schema)\".\"\($0)\" OWNER TO keeper;" }.joined()
    try server.execute(
      """
      DO $$ BEGIN CREATE ROLE keeper; CREATE ROLE ada LOGIN IN ROLE keeper;
      EXCEPTION WHEN duplicate_object THEN NULL; END $$;
      ALTER SCHEMA "\(schema)" OWNER TO keeper; \(grants) GRANT CREATE ON DATABASE postgres TO ada
      """)
    var description = try PostgresFactory.description(schema: schema)
    let address = try server.url.absoluteString.replacing("user=tester", with: "user=ada")
    description.url = URL(string: address)
    description.stagedMigrationManager = Self.stages(old, new, Self.upper)
    PersistentStoreCoordinator.registerStoreClass(PostgresStore.self)
    let container = PersistentContainer(
      name: "notes", managedObjectModel: new, persistentStoreDescription: description)
    try await container.loadPersistentStores()
    #expect(try titles(container) == ["A", "B"])
    let owners = try server.execute(
      "SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = '\(schema)'")
    #expect(owners == "keeper\n")
  }

  @Test("what views or publications show is not taken from them")
  func views() async throws {
    let server = try PostgresServer.shared()
    let (old, new) = (try Self.model("title"), try Self.model("title", "more"))
    for foreign in [
      "CREATE VIEW \"%\".seen AS SELECT title FROM \"%\".\"Note\"",
      "CREATE VIEW \"%\".seen AS SELECT name FROM \"%\"._store",
    ] {
      let schema = server.newSchema()
      try await fill(schema, old).close()
      try server.execute(foreign.replacing("%", with: schema))
      let before = try server.dump(schema)
      var code: StoreError.Code?
      do { try await open(schema, new, Self.stages(old, new, Self.upper)).close() } catch let error
        as StoreError
      { code = error.code }
      #expect(code == .schemaMismatch)
      #expect(try server.dump(schema) == before)
    }
  }
}
