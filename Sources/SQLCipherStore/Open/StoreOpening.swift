import CipherDatabase
import Foundation
import Glibc
import ObjectModel
import StoreContract
import StoreKeyring

/// Opens a store's file with the key its vault holds, or has key and file made.
struct StoreOpening {
  let description: PersistentStoreDescription

  private var path: String { description.url?.path ?? "" }

  func open(_ model: ManagedObjectModel) async throws -> SQLCipherStore.Opened {
    for _ in 0..<Self.attempts {
      if let opened = try await attempt(model) { return opened }
    }
    throw StoreError(.busy, "the file at \(path) is being replaced again and again; try again later")
  }

  private static let attempts = 10

  /// Nil when another process made or replaced the file meanwhile, so that it is to be looked at again.
  private func attempt(_ model: ManagedObjectModel) async throws -> SQLCipherStore.Opened? {
    let state = try StoreFile.state(path, waiting: description.busyTimeoutMilliseconds)
    switch state {
    case .missing(let place):
      guard description.createsIfMissing, !description.isReadOnly else {
        throw StoreError(
          .fileMissing, "there is no store at \(path); check the path, or ask for a new store to be made")
      }
      return try await StoreCreation(description: description, path: place).run(model, over: nil)
    case .empty(let file):
      guard description.createsIfMissing, description.replacesEmptyFile, !description.isReadOnly else {
        throw StoreError(
          .fileEmpty,
          "the file at \(path) is empty, so its data is gone or it never was a store; restore a copy, or ask for"
            + " a new store to be made over it")
      }
      return try await StoreCreation(description: description, path: file.path).run(model, over: file)
    case .store(let file, let identifier):
      defer { file.release() }
      do {
        return try await existing(model, file, identifier)
      } catch let error as StoreError where error.code == .fileReplaced {
        return nil
      }
    default: throw state.refusal(path)
    }
  }

  /// The model that a store describes itself with.
  func storedModel() async throws -> ManagedObjectModel {
    let (file, identifier) = try StoreFile.store(description)
    defer { file.release() }
    let (pool, _) = try await pool(file, identifier)
    defer { pool.close() }
    return try translating(path) { try pool.read { try StoreTable($0).model() } }
  }

  // MARK: Existing file

  private func existing(
    _ model: ManagedObjectModel, _ file: DatabaseFile, _ identifier: UUID
  ) async throws -> SQLCipherStore.Opened {
    let (pool, found) = try await pool(file, identifier)
    if let contents = try closing(pool, { try pool.read { try StoreTable($0).contents(model) } }) {
      return SQLCipherStore.Opened(model, pool, identifier, contents)
    }
    pool.close()
    // The copy that has no free pages was put in place.
    if try migrate(to: model, file, identifier, found) {
      throw StoreError(.fileReplaced, "the store was compacted after its migration")
    }
    let new = try self.pool(found.key, identifier, found.format, file)
    return try closing(new) {
      guard let contents = try new.read({ try StoreTable($0).contents(model) }) else {
        throw StoreError(.modelMismatch, "another process moves the store to another version of its model")
      }
      return SQLCipherStore.Opened(model, new, identifier, contents)
    }
  }

  /// Moves the file to another version of its model, alone; another process may have done so in between.
  /// - Returns: Whether another file has the store's name now.
  private func migrate(
    to model: ManagedObjectModel, _ file: DatabaseFile, _ identifier: UUID, _ found: KeySearch.Found
  ) throws -> Bool {
    guard description.shouldMigrateStoreAutomatically, !description.isReadOnly else {
      throw StoreError(
        .modelMismatch,
        "the store was made with another version of the model; open it with that version, or let it be moved over by"
          + " shouldMigrateStoreAutomatically")
    }
    let access = try StoreAccess(file, identifier, found, description)
    defer { access.close() }
    guard try access.takeAlone(others: 1, givesWay: true) else {
      throw StoreError(.fileReplaced, "somebody else moves the store meanwhile, or works on its file")
    }
    return try translating(path) {
      let table = StoreTable(access.connection)
      if try table.contents(model) != nil { return false }
      try access.checkPages { _ in }
      let old = try table.model()
      if let only = description.migratesOnlyFrom, only != old.versionHash {
        throw StoreError(
          .modelMismatch,
          "another program gave the store another version of its model meanwhile; open it again")
      }
      let (migration, losesData) = try inferred(access.connection, from: old, to: model)
      let keepsake = try losesData ? copy(access) : nil
      try Self.run(migration, keepsake, access)
      if keepsake != nil { description.migrationCopies?.recordMade() }
      // The store is migrated; that it is larger than it need be is no reason to fail.
      return (try? access.giveBackFreePages()) ?? false
    }
  }

  /// What is to be done, and whether data has no place afterwards. Nothing is written before it is known that all will be done.
  private func inferred(
    _ connection: Connection, from old: ManagedObjectModel, to model: ManagedObjectModel
  ) throws -> (InferredMigration, losesData: Bool) {
    let table = StoreTable(connection)
    func isOfBefore() throws -> Bool { try table.formerHashes().contains(model.versionHash.hex) }
    do {
      let schema = try StoreSchema(model: old, entityNumbers: table.entityNumbers(old))
      let migration = try InferredMigration(connection, from: schema, to: model)
      try migration.checkRows()
      let losesData = try migration.losesData()
      if losesData, try isOfBefore() { throw Self.storeIsNewer }
      return (migration, losesData)
    } catch let error as StoreError {
      // What an older model asks of the rows is not what is wrong.
      throw try isOfBefore() ? Self.storeIsNewer : error
    }
  }

  /// The copy of a store that is about to lose data, where there is none from an earlier stage.
  private func copy(_ access: StoreAccess) throws -> PreMigrationCopy? {
    let copies = description.migrationCopies
    if description.isDraft {
      copies?.want()
      return nil
    }
    return copies?.needsCopy() == false ? nil : try PreMigrationCopy(access)
  }

  private static func run(
    _ migration: InferredMigration, _ keepsake: PreMigrationCopy?, _ access: StoreAccess
  ) throws {
    var keepsake = keepsake
    do {
      try access.connection.transaction(.exclusive) {
        try migration.run()
        try keepsake?.makePermanent()
      }
    } catch {
      keepsake?.end(failedWith: error)
      throw error
    }
    keepsake?.end()
  }

  /// A program of before must not drop what one of after has added, back and forth at every start.
  private static var storeIsNewer: StoreError {
    StoreError(
      .modelMismatch,
      "the store is newer than this program: it was moved on from this version of the model, and moving it back would lose"
        + " data; update the program, or open a copy from before the migration; nothing was changed")
  }

  private func closing<R>(_ pool: ConnectionPool, _ body: () throws -> R) throws -> R {
    do {
      return try translating(path, body)
    } catch {
      pool.close()
      throw error
    }
  }

  /// A pool on the file with whichever of its keys opens it.
  private func pool(
    _ file: DatabaseFile, _ identifier: UUID
  ) async throws -> (ConnectionPool, KeySearch.Found) {
    var search = KeySearch(description, file: file, store: identifier)
    let (pool, found) = try await search.first { found -> ConnectionPool in
      try self.pool(found.key, identifier, found.format, file)
    }
    try closing(pool) { try pool.read { try checkWhole($0) } }
    return (pool, found)
  }

  /// A file whose end is missing opens as long as nobody asks for a page of it. When the log is empty, the file must have
  /// every page that its header counts.
  private func checkWhole(_ connection: Connection) throws {
    let file = connection.file
    guard !hasLog(file) else { return }
    let pages = Int(try connection.text("PRAGMA page_count") ?? "") ?? 0
    let size = file.size
    if size < pages * 4096, !hasLog(file) {
      throw StoreError(
        .fileTruncated,
        "the file at \(path) is cut off: it has \(size / 4096) of \(pages) pages; restore a copy")
    }
  }

  private func hasLog(_ file: DatabaseFile) -> Bool {
    var log = stat()
    return lstat(file.path + "-wal", &log) == 0 && log.st_size > 0
  }

  func pool(
    _ key: StoreKey, _ identifier: UUID, _ format: CipherFormat, _ file: DatabaseFile
  ) throws -> ConnectionPool {
    var options = ConnectionOptions.ofStore
    options.format = format
    options.access = try description.isReadOnly ? StoreFile.access(file, isReadOnly: true) : .readWrite
    options.pageCacheBytes = description.pageCacheBytes
    options.synchronous = description.durability == .full ? .full : .normal
    options.exclusiveLocking = description.isExclusive
    options.busyTimeoutMilliseconds = description.busyTimeoutMilliseconds
    return try ConnectionPool(
      file: file, key: CipherKeySpec(key, store: identifier), options: options,
      maximumReaders: description.isExclusive ? 0 : 4)
  }
}

extension SQLCipherStore.Opened {
  init(
    _ model: ManagedObjectModel, _ pool: ConnectionPool, _ identifier: UUID, _ contents: StoreTable.Contents
  ) {
    let schema = contents.schema
    self.init(
      pool: pool, schema: schema, plans: model.entities.map { SelectPlan(entity: $0, schema: schema) },
      identifier: identifier, storeEntities: StoreEntity.all(of: model, in: identifier),
      references: ReferenceSequence(entityNumbers: schema.entityNumbers), metadata: contents.metadata)
  }
}

extension CipherKeySpec {
  init(_ key: StoreKey, store: UUID) throws {
    self = try key.withUnsafeBytes { key in
      try withUnsafeBytes(of: store.uuid) { try CipherKeySpec(key: key, salt: $0) }
    }
  }
}
