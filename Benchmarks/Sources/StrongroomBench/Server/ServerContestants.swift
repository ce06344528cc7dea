import BenchKit
import CPostgresLimit
import Foundation
import Strongroom
import StrongroomPostgres

/// One implementation of the workload on a PostgreSQL server, in a schema with the store's tables.
protocol ServerContestant {
  /// Runs a phase; connects first, outside of the time taken.
  func run(_ phase: Phase, in schema: ServerSchema) async throws -> PhaseRun
}

/// A schema of the server.
struct ServerSchema {
  let address: URL
  let name: String

  /// Opens the store, which makes its tables where there are none.
  func open(_ model: ManagedObjectModel) async throws -> PersistentContainer {
    PersistentStoreCoordinator.registerStoreClass(PostgresStore.self)
    var description = PersistentStoreDescription(type: PostgresStore.storeType, url: address)
    description.serverSchema = name
    let container = PersistentContainer(managedObjectModel: model, description: description)
    try container.persistentStoreCoordinator.register(Author.self, for: "Author")
    try container.persistentStoreCoordinator.register(Book.self, for: "Book")
    try container.persistentStoreCoordinator.register(Tag.self, for: "Tag")
    try await container.loadPersistentStores()
    return container
  }

  /// Gives the C a connection.
  func limit<R>(whole: Bool = true, _ body: (OpaquePointer) throws -> R) throws -> R {
    guard let connection = pl_open(address.absoluteString, name, whole ? 1 : 0) else {
      throw Rounds.Failure(description: "the limit cannot connect")
    }
    defer { pl_close(connection) }
    return try body(connection)
  }

  /// The checksum of all that is stored, and of the versions of the rows.
  func state() throws -> UInt64 {
    let sum = try limit { pl_state($0) }
    guard sum != 0 else { throw Rounds.Failure(description: "the state of \(name) cannot be read") }
    return sum
  }

  /// Vacuumed and analyzed, so that no run pays for what an earlier one left.
  func settle() throws {
    guard try limit({ pl_settle($0) }) == 0 else { throw Rounds.Failure(description: "no VACUUM") }
  }

  func drop() throws { _ = try limit { pl_run($0, "DROP SCHEMA \"\(name)\" CASCADE") } }
}

/// The hand-written C on libpq.
struct ServerLimitPath: ServerContestant {
  let workload: Workload
  /// Whether it promises what the store does, or reads and writes rows and links alone.
  let isWhole: Bool

  func run(_ phase: Phase, in schema: ServerSchema) throws -> PhaseRun {
    let (books, authors, tags) = (workload.books, workload.authors, workload.tags)
    return try schema.limit(whole: isWhole) { connection in
      let (sum, seconds) = timed { () -> UInt64 in
        switch phase {
        case .saveAll: pl_insert_all(connection, books, authors, tags)
        case .singleSavesFull: pl_single_saves(connection, books, workload.singleSaves, authors, tags)
        case .fetchAll: pl_fetch_all(connection)
        case .byID: pl_by_id(connection, workload.randomBooks(seed: 5), Int64(workload.picks))
        default: 0
        }
      }
      guard sum != 0 else { throw Rounds.Failure(description: "the limit failed in \(phase.rawValue)") }
      return PhaseRun(seconds: seconds, checksum: phase.writes ? try schema.state() : sum)
    }
  }
}

/// Managed objects of a store on a server, with history, as programs have them.
struct ServerManagedPath: ServerContestant {
  let workload: Workload
  let model: ManagedObjectModel

  func run(_ phase: Phase, in schema: ServerSchema) async throws -> PhaseRun {
    let container = try await schema.open(model)
    let result = try time(phase, container.newContext(), schema)
    try container.close()
    return result
  }

  private func time(
    _ phase: Phase, _ context: ManagedObjectContext, _ schema: ServerSchema
  ) throws -> PhaseRun {
    // What is made once per process.
    if phase == .fetchAll { _ = try context.fetch(FetchRequest("Author", fetchLimit: 1)) }
    var live: [Book] = []
    let (sum, seconds) = try timed { try perform(phase, context, &live) }
    withExtendedLifetime(live) {}
    return PhaseRun(seconds: seconds, checksum: phase.writes ? try schema.state() : sum)
  }

  private func perform(
    _ phase: Phase, _ context: ManagedObjectContext, _ live: inout [Book]
  ) throws -> UInt64 {
    let path = ManagedPath(workload: workload, model: model)
    switch phase {
    case .saveAll: try path.insertAll(context)
    case .singleSavesFull: try path.singleSaves(context)
    case .fetchAll:
      live = try context.fetch(FetchRequest("Book"), as: Book.self)
      return try read(live)
    case .byID: return try path.byID(context)
    default: break
    }
    return 0
  }
}

extension Phase {
  /// Whether rows are written.
  fileprivate var writes: Bool { makesStore || changesStore }
}
