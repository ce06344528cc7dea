import CipherDatabase
import Foundation
import Glibc
import ObjectModel
import StoreContract
import StoreKeyring

/// Opens a store's file with the key its vault holds, or has key and file made.
struct StoreOpening {
  let description: PersistentStoreDescription
  let model: ManagedObjectModel

  /// An attempt passes the key that it found on to the next one.
  init(description: PersistentStoreDescription, model: ManagedObjectModel) {
    var description = description
    description.knownCipher = description.knownCipher ?? KnownCipher()
    self.description = description
    self.model = model
  }

  var path: String { description.url?.path ?? "" }

  /// Whether a store of another version of the model is moved to the program's.
  var mayMigrate: Bool { description.shouldMigrateStoreAutomatically && !description.isReadOnly }

  func open() async throws -> SQLCipherStore.Opened {
    for _ in 0..<Self.attempts {
      if let opened = try await attempt() { return opened }
    }
    throw StoreError(.busy, "the file at \(path) is being replaced again and again; try again later")
  }

  private static let attempts = 10

  /// Nil when another process made or replaced the file meanwhile, so that it is to be looked at
  /// again.
  private func attempt() async throws -> SQLCipherStore.Opened? {
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
          "the file at \(path) is empty, so its data was lost or it never was a store; restore a copy, or"
            + " ask for"
            + " a new store to be made over it")
      }
      return try await StoreCreation(description: description, path: file.path).run(model, over: file)
    case .store(let file, let identifier):
      defer { file.release() }
      do {
        return try await existing(file, identifier)
      } catch let error as StoreError where error.code == .fileReplaced {
        description.log?.openingAgain(error)
        return nil
      }
    default: throw state.refusal(path)
    }
  }

  /// The model that a store describes itself with.
  static func storedModel(_ description: PersistentStoreDescription) async throws -> ManagedObjectModel {
    try await reading(description) { connection, _ in try StoreTable(connection).model() }
  }

  /// Reads a store's file, whatever the version of its model, also where it cannot be written to.
  static func reading<R: Sendable>(
    _ description: PersistentStoreDescription, _ body: (Connection, UUID) throws -> R
  ) async throws -> R {
    let (file, identifier) = try StoreFile.store(description)
    defer { file.release() }
    var description = description
    if Glibc.access(file.path, W_OK) != 0 { description.isReadOnly = true }
    let session = try await OpenSession.open(file, identifier, description)
    defer { session.pool.close() }
    return try translating(file.path) { try session.pool.read { try body($0, identifier) } }
  }

  // MARK: Existing file

  private func existing(_ file: DatabaseFile, _ identifier: UUID) async throws -> SQLCipherStore.Opened {
    let session = try await OpenSession.open(file, identifier, description)
    if let opened = try SQLCipherStore.Opened.ifCurrent(session, model) { return opened }
    session.pool.close()
    if let opened = try openedForReading(file, session.cipher) { return opened }
    // The migrated file was replaced by a copy without free pages.
    if try migrate(file, session.cipher) {
      throw StoreError(.fileReplaced, "the store was compacted after its migration")
    }
    let options = try description.connectionOptions(for: file)
    let migrated = try translating(path) { try OpenSession(file, session.cipher, options) }
    return try SQLCipherStore.Opened.reading(migrated, model)
  }

  /// Moves the file to another version of its model, alone; another process may have done so in
  /// between.
  /// - Returns: Whether another file has the store's name now.
  private func migrate(_ file: DatabaseFile, _ cipher: StoreCipher) throws -> Bool {
    guard mayMigrate else {
      throw StoreError(
        .modelMismatch,
        "the store was made with another version of the model; open it with that version, or let it be"
          + " moved over by"
          + " shouldMigrateStoreAutomatically")
    }
    let access = try WholeFileAccess(file, cipher, description)
    defer { access.close() }
    guard try access.takeAlone(others: 1, givesWay: true) else {
      throw StoreError(.fileReplaced, "somebody else moves the store meanwhile, or works on its file")
    }
    return try translating(path) {
      if try StoreTable(access.connection).contents(model) != nil { return false }
      try StoreMigration(access, description).run(to: model)
      if description.defersLightweightMigration { return false }
      // The store is migrated; that it is larger than it need be is no reason to fail.
      return (try? access.giveBackFreePages()) ?? false
    }
  }
}

extension SQLCipherStore.Opened {
  /// Reads what an open file says of itself; closes it on an error.
  /// - Throws: `StoreError`: `modelMismatch` when it has another version of the model by now.
  static func reading(_ session: OpenSession, _ model: ManagedObjectModel) throws -> SQLCipherStore.Opened {
    if let opened = try ifCurrent(session, model) { return opened }
    session.pool.close()
    throw StoreError(.modelMismatch, "another process moves the store to another version of its model")
  }

  /// The same; nil, with the file still open, when it has another version of the model.
  static func ifCurrent(_ session: OpenSession, _ model: ManagedObjectModel) throws -> SQLCipherStore.Opened?
  {
    let contents = try session.closingOnError {
      try session.pool.read { try StoreTable($0).contents(model) }
    }
    guard var contents else { return nil }
    if !contents.hasHistory, session.pool.isWritable {
      try session.closingOnError { try session.pool.write { try HistoryTable.add(to: $0) } }
      contents.hasHistory = true
    }
    return SQLCipherStore.Opened(
      session, contents.schema, contents.metadata, hasHistory: contents.hasHistory)
  }

  /// What an open file has under a schema.
  convenience init(
    _ session: OpenSession, _ schema: StoreSchema, _ metadata: [String: String], isOfNewerModel: Bool = false,
    hasHistory: Bool = false
  ) {
    self.init(
      session: session, schema: schema,
      plans: schema.model.entities.map { SelectPlan(entity: $0, schema: schema) },
      storeEntities: StoreEntity.all(of: schema.model, in: session.store),
      references: ReferenceSequence(entityNumbers: schema.entityNumbers), metadata: metadata,
      isOfNewerModel: isOfNewerModel, hasHistory: hasHistory)
  }
}
