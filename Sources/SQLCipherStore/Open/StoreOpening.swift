import CipherDatabase
import Foundation
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
      return try closing(pool) {
        assemble(model, pool, identifier, try pool.read { try StoreTable($0).check(model: model) })
      }
    case let other: throw other.refusal(path)
    }
  }

  /// The model that a store describes itself with.
  func storedModel() async throws -> ManagedObjectModel {
    let state = try StoreFile.state(path)
    guard case .store(let identifier) = state else { throw state.refusal(path) }
    let pool = try await existing(identifier)
    defer { pool.close() }
    guard let json = try translating(path, { try pool.read { try StoreTable($0).read("model") } }) else {
      throw StoreError(.modelMismatch, "the file opens with its key but is no Strongroom store")
    }
    return try ManagedObjectModel(jsonData: Data(json.utf8))
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
    var refusal: (any Error)?
    for key in try await existingKeys(identifier) {
      do {
        return try pool(key, identifier, creating: false)
      } catch let error as CipherError where error.code == .wrongKeyOrDamaged {
        refusal = error
      } catch let error as CipherError {
        throw StoreError(error, path: path)
      }
    }
    if let refusal {
      throw StoreError(
        .wrongKey,
        "no key found for the store at \(path) opens it: the key is another store's, or the file's first page is"
          + " damaged; try a copy of the file, or the key of the copy it was restored from", cause: refusal)
    }
    throw StoreError(
      .keyMissing,
      "the key of the store at \(path) is not in \(description.keyVault?.name ?? "any vault"); no new one is made,"
        + " since it could not open the file; bring the old key back")
  }

  private func existingKeys(_ identifier: UUID) async throws -> [StoreKey] {
    if let key = description.storeKey { return [key] }
    guard let vault = description.keyVault else { throw Self.noVault }
    return try await vault.keys(for: identifier, interaction: description.keyInteraction).map(\.key)
  }

  private static var noVault: StoreError {
    StoreError(.keyMissing, "the store's description names no key vault and no key; set keyVault")
  }

  private func assemble(
    _ model: ManagedObjectModel, _ pool: ConnectionPool, _ identifier: UUID, _ contents: StoreTable.Contents
  ) -> SQLCipherStore.Opened {
    let schema = StoreSchema(model: model, entityNumbers: contents.entityNumbers)
    return SQLCipherStore.Opened(
      pool: pool, schema: schema, plans: model.entities.map { SelectPlan(entity: $0, schema: schema) },
      identifier: identifier, storeEntities: StoreEntity.all(of: model, in: identifier),
      references: ReferenceSequence(entityNumbers: contents.entityNumbers), metadata: contents.metadata)
  }

  // MARK: New file

  private func create(_ model: ManagedObjectModel, overEmptyFile: Bool) async throws -> SQLCipherStore.Opened
  {
    try StoreFile.checkWritable(path)
    let identifier = SQLCipherStore.identifierForNewStore()
    if let key = description.storeKey { return try create(model, key, identifier, overEmptyFile) }
    guard let vault = description.keyVault else { throw Self.noVault }
    let stored = try await KeyLife(vault: vault).createKey(
      for: identifier, storeFileExists: false, label: description.keyLabel,
      interaction: description.keyInteraction)
    do {
      return try create(model, stored.key, identifier, overEmptyFile)
    } catch {
      // No byte was ever written with this key, so nothing is lost with it.
      try? await vault.remove(stored.identifier, for: identifier, interaction: .silent)
      throw error
    }
  }

  private func create(
    _ model: ManagedObjectModel, _ key: StoreKey, _ identifier: UUID, _ overEmptyFile: Bool
  ) throws -> SQLCipherStore.Opened {
    do {
      let pool = try pool(key, identifier, creating: true, overEmptyFile: overEmptyFile)
      do {
        let numbers = model.entities.indices.map { Int64($0 + 1) }
        let schema = StoreSchema(model: model, entityNumbers: numbers)
        try pool.write { connection in
          try connection.transaction(.exclusive) {
            try StoreTable(connection).create(model: model, entityNumbers: numbers)
            for statement in schema.creation { try connection.execute(statement) }
          }
        }
        return assemble(model, pool, identifier, StoreTable.Contents(entityNumbers: numbers, metadata: [:]))
      } catch {
        pool.close()
        StoreFile.removeUnfinished(path)
        throw error
      }
    } catch let error as CipherError {
      throw StoreError(error, path: path)
    }
  }

  private func pool(
    _ key: StoreKey, _ identifier: UUID, creating: Bool, overEmptyFile: Bool = false
  ) throws -> ConnectionPool {
    var options = ConnectionOptions()
    options.access = description.isReadOnly ? .readOnly : .readWrite
    options.createIfMissing = creating
    options.allowEmptyFile = overEmptyFile
    options.pageCacheBytes = description.pageCacheBytes
    options.synchronous = description.durability == .full ? .full : .normal
    options.exclusiveLocking = description.isExclusive
    options.busyTimeoutMilliseconds = description.busyTimeoutMilliseconds
    let spec = try key.withUnsafeBytes { key in
      try withUnsafeBytes(of: identifier.uuid) { try CipherKeySpec(key: key, salt: $0) }
    }
    return try ConnectionPool(
      path: path, key: spec, options: options, maximumReaders: description.isExclusive ? 0 : 4)
  }
}
