import CipherDatabase
import Foundation
import Glibc
import ObjectModel
import StoreContract
import StoreKeyring

/// Opens a store's file with the key its vault holds, or makes key and file.
///
/// A key is made only where there is no file, and lies in its vault, read back, before the file exists.
struct StoreOpening {
  let description: PersistentStoreDescription

  private var path: String { description.url?.path ?? "" }

  func open(_ model: ManagedObjectModel) async throws -> SQLCipherStore.Opened {
    switch try StoreFile.state(path) {
    case .missing:
      guard description.createsIfMissing, !description.isReadOnly else {
        throw StoreError(
          .fileMissing, "there is no store at \(path); check the path, or ask for a new store to be made")
      }
      return try await create(model, overEmptyFile: false)
    case .empty:
      guard description.createsIfMissing, description.replacesEmptyFile, !description.isReadOnly else {
        throw StoreError(
          .fileEmpty,
          "the file at \(path) is empty, so its data is gone or it never was a store; restore a copy, or ask for"
            + " a new store to be made over it")
      }
      return try await create(model, overEmptyFile: true)
    case .store(let identifier):
      let pool = try await existing(identifier)
      if let contents = try closing(pool, { try pool.read { try StoreTable($0).contents(model) } }) {
        return assemble(model, pool, identifier, contents)
      }
      pool.close()
      try await migrate(to: model)
      return try await assemble(model, existing(identifier), identifier)
    case let other: throw other.refusal(path)
    }
  }

  /// The model that a store describes itself with.
  func storedModel() async throws -> ManagedObjectModel {
    let state = try StoreFile.state(path)
    guard case .store(let identifier) = state else { throw state.refusal(path) }
    let pool = try await existing(identifier)
    defer { pool.close() }
    return try translating(path) { try pool.read { try StoreTable($0).model() } }
  }

  /// Moves the file to another version of its model, alone; another process may have done so in between.
  private func migrate(to model: ManagedObjectModel) async throws {
    guard description.shouldMigrateStoreAutomatically, !description.isReadOnly else {
      throw StoreError(
        .modelMismatch,
        "the store was made with another version of the model; open it with that version, or let it be moved over by"
          + " shouldMigrateStoreAutomatically")
    }
    let access = try await StoreAccess.open(description)
    defer { access.connection.close() }
    try translating(path) {
      try access.connection.lockExclusively()
      let table = StoreTable(access.connection)
      if try table.contents(model) != nil { return }
      let old = try table.model()
      if let only = description.migratesOnlyFrom, only != old.versionHash {
        throw StoreError(
          .modelMismatch,
          "another program gave the store another version of its model meanwhile; open it again")
      }
      let schema = try StoreSchema(model: old, entityNumbers: table.entityNumbers(old))
      let migration = try InferredMigration(access.connection, from: schema, to: model)
      if try migration.losesData() { try copy(access.connection) }
      try access.connection.transaction(.exclusive) { try migration.run() }
    }
  }

  /// Keeps the file as it is beside the store, under the store's own key.
  private func copy(_ connection: Connection) throws {
    try connection.checkpoint()
    var place = path + ".before-migration"
    var number = 2
    while FileManager.default.fileExists(atPath: place) {
      place = "\(path).before-migration-\(number)"
      number += 1
    }
    let new = StoreAccess.temporary(place)
    defer { File.removeDatabase(new) }
    do {
      try FileManager.default.copyItem(atPath: path, toPath: new)
    } catch {
      throw StoreError(
        StoreError.isOfFullDisk(error) ? .diskFull : .notWritable,
        "the new version of the model has no place for some of the store's data, and the store could not be copied to"
          + " \(place) first; nothing was changed", cause: error)
    }
    try File.sync(new)
    try File.place(new, at: place)
  }

  private func closing<R>(_ pool: ConnectionPool, _ body: () throws -> R) throws -> R {
    do {
      return try translating(path, body)
    } catch {
      pool.close()
      throw error
    }
  }

  // MARK: Existing file

  /// A pool on the file with whichever of its keys opens it.
  private func existing(_ identifier: UUID) async throws -> ConnectionPool {
    for _ in 0..<Self.attempts {
      var search = KeySearch(description, store: identifier)
      do {
        let (pool, _) = try await search.first { found -> ConnectionPool in
          try self.pool(found.key, identifier, found.format)
        }
        return try closing(pool) {
          try pool.read { try checkWhole($0) }
          return pool
        }
      } catch let error as StoreError where error.code == .busy && error.isReplacement {
        continue
      }
    }
    throw StoreError(.busy, "the file at \(path) is being replaced again and again; try again later")
  }

  private static let attempts = 10

  /// A file whose end is missing opens as long as nobody asks for a page of it. When the log is empty, the file must have
  /// every page that its header counts.
  private func checkWhole(_ connection: Connection) throws {
    var file = stat()
    var log = stat()
    guard stat(path, &file) == 0, stat(path + "-wal", &log) != 0 || log.st_size == 0 else { return }
    let pages = Int(try connection.text("PRAGMA page_count") ?? "") ?? 0
    if Int(file.st_size) < pages * 4096, stat(path + "-wal", &log) != 0 || log.st_size == 0 {
      throw StoreError(
        .fileTruncated,
        "the file at \(path) is cut off: it has \(Int(file.st_size) / 4096) of \(pages) pages; restore a copy"
      )
    }
  }

  private func assemble(
    _ model: ManagedObjectModel, _ pool: ConnectionPool, _ identifier: UUID
  ) throws -> SQLCipherStore.Opened {
    try closing(pool) {
      guard let contents = try pool.read({ try StoreTable($0).contents(model) }) else {
        throw StoreError(.modelMismatch, "another process moves the store to another version of its model")
      }
      return assemble(model, pool, identifier, contents)
    }
  }

  private func assemble(
    _ model: ManagedObjectModel, _ pool: ConnectionPool, _ identifier: UUID, _ contents: StoreTable.Contents
  ) -> SQLCipherStore.Opened {
    let schema = contents.schema
    return SQLCipherStore.Opened(
      pool: pool, schema: schema, plans: model.entities.map { SelectPlan(entity: $0, schema: schema) },
      identifier: identifier, storeEntities: StoreEntity.all(of: model, in: identifier),
      references: ReferenceSequence(entityNumbers: schema.entityNumbers), metadata: contents.metadata)
  }

  // MARK: New file

  /// Makes key and file. The file is made whole under another name and then given its own, so that of many processes that
  /// make the same store one does, and the others open what it made; and a kill leaves no half a store.
  private func create(_ model: ManagedObjectModel, overEmptyFile: Bool) async throws -> SQLCipherStore.Opened
  {
    try StoreFile.checkWritable(path)
    let identifier = SQLCipherStore.identifierForNewStore()
    let life = KeyLife(vaults: description.keyVaults, interaction: description.keyInteraction)
    let key: StoreKey
    var kept: [KeptKey] = []
    if let own = description.storeKey {
      key = own
    } else {
      guard !description.keyVaults.isEmpty else { throw KeySearch.noVault }
      kept = try await life.createKey(for: identifier, storeFileExists: false, label: description.keyLabel)
      key = kept[0].stored.key
    }
    do {
      try make(model, key, identifier, overEmptyFile)
    } catch {
      // No byte that anybody can read was ever written with this key.
      await life.forget(kept)
      guard let error = error as? CipherError else { throw error }
      if error.code == .alreadyExists { return try await open(model) }
      throw StoreError(error, path: path)
    }
    let opened = try assemble(
      model, translating(path) { try pool(key, identifier, .version3) }, identifier)
    description.recoveryCodeHandler?(RecoveryCode(key, for: identifier))
    return opened
  }

  private func make(
    _ model: ManagedObjectModel, _ key: StoreKey, _ identifier: UUID, _ overEmptyFile: Bool
  ) throws {
    let new = StoreAccess.temporary(path)
    defer { File.removeDatabase(new) }
    var options = ConnectionOptions.ofStore
    options.createIfMissing = true
    let connection = try Connection(
      path: new, key: CipherKeySpec(key, store: identifier), options: options)
    defer { connection.close() }
    let numbers = model.entities.indices.map { Int64($0 + 1) }
    let schema = StoreSchema(model: model, entityNumbers: numbers)
    try connection.transaction(.exclusive) {
      try StoreTable(connection).create(model: model, entityNumbers: numbers)
      for statement in schema.creation { try connection.execute(statement) }
    }
    // Closing would move the log into the file too, and say nothing where the disk is full.
    try connection.checkpoint()
    connection.close()
    try File.sync(new)
    if overEmptyFile {
      try File.replace(path, with: new)
    } else {
      try File.place(new, at: path)
    }
  }

  private func pool(_ key: StoreKey, _ identifier: UUID, _ format: CipherFormat) throws -> ConnectionPool {
    var options = ConnectionOptions.ofStore
    options.format = format
    options.access = description.isReadOnly ? .readOnly : .readWrite
    options.pageCacheBytes = description.pageCacheBytes
    options.synchronous = description.durability == .full ? .full : .normal
    options.exclusiveLocking = description.isExclusive
    options.busyTimeoutMilliseconds = description.busyTimeoutMilliseconds
    return try ConnectionPool(
      path: path, key: CipherKeySpec(key, store: identifier), options: options,
      maximumReaders: description.isExclusive ? 0 : 4)
  }
}

extension CipherKeySpec {
  init(_ key: StoreKey, store: UUID) throws {
    self = try key.withUnsafeBytes { key in
      try withUnsafeBytes(of: store.uuid) { try CipherKeySpec(key: key, salt: $0) }
    }
  }
}
