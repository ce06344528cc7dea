import CipherDatabase
public import Foundation
import Locks
public import ObjectModel
import ObjectQuery
public import StoreContract
import StoreKeyring

/// The encrypted store: one SQLCipher file, its key in a vault.
///
/// Thread safe: one writer at a time, readers beside it. The statements each call issues are stated
/// with the call.
public final class SQLCipherStore: IncrementalStore {
  /// The name it is registered under.
  public static let storeType = "SQLCipher"

  let model: ManagedObjectModel
  package let storeDescription: PersistentStoreDescription
  private let opened = Locked<Opened?>(nil)
  /// The number of values that are open for reading.
  let openReaders = Locked(0)

  /// Makes a store that is not open yet.
  /// - Throws: `StoreError` with code `notFound` when the description has no file URL.
  public init(model: ManagedObjectModel, description: PersistentStoreDescription) throws {
    guard let url = description.url, url.isFileURL else {
      throw StoreError(.notFound, "a SQLCipher store needs the URL of a file")
    }
    self.model = model
    storeDescription = description
    path = url.path
    isSnapshot = false
  }

  /// A store whose pool is pinned to a snapshot.
  init(momentOf store: SQLCipherStore, _ pinned: Opened) {
    model = store.model
    var description = store.storeDescription
    description.isReadOnly = true
    storeDescription = description
    path = store.path
    isSnapshot = true
    opened.withLock { $0 = pinned }
  }

  /// The store's file.
  public let path: String
  let isSnapshot: Bool

  var open: Opened {
    get throws {
      guard let opened = opened.withLock({ $0 }) else {
        throw StoreError(.other, "the store is closed; load it first")
      }
      return opened
    }
  }

  /// Whether the store refuses to be written to: it was opened for reading only, or is newer than the
  /// program's model (`PersistentStoreDescription.opensNewerStoreReadOnly`).
  public var isReadOnly: Bool {
    storeDescription.isReadOnly || opened.withLock { $0?.isOfNewerModel ?? false }
  }

  var tracksHistory: Bool { storeDescription.tracksHistory }
  var historyLimits: PersistentHistoryLimits { storeDescription.historyLimits }

  /// - Throws: `StoreError` with code `readOnly`.
  func checkWritable() throws {
    guard isReadOnly else { return }
    throw StoreError(
      .readOnly,
      storeDescription.isReadOnly
        ? "the store is open for reading only"
        : "the store is newer than this program and open for reading only; update the program")
  }

  var isOpen: Bool { opened.withLock { $0 != nil } }

  func adopt(_ new: Opened?) { opened.withLock { $0 = new } }

  /// After a rotation; a store that was closed meanwhile stays closed.
  func updateSession(_ new: OpenSession) {
    opened.withLock { if $0?.session.pool === new.pool { $0 = $0?.with(new) } }
  }

  func updateMetadata(_ metadata: [String: String]) { opened.withLock { $0 = $0?.with(metadata) } }

  /// The store's UUID, which is also the first 16 bytes of its file; all zero before it is loaded.
  public var identifier: UUID {
    opened.withLock { $0?.identifier } ?? UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  }

  /// What the store says of itself, and the program's metadata; none before it is loaded.
  public var metadata: [String: String] {
    guard let programs = opened.withLock({ $0?.metadata }) else { return [:] }
    return StoreMetadata.whole(
      programs, of: self, versionIdentifiers: model.declaration.versionIdentifiers)
  }

  /// One per entity of the model, at the entity's index; empty before the store is loaded.
  public var storeEntities: [StoreEntity] { opened.withLock { $0?.storeEntities } ?? [] }

  /// SQL statements executed on all connections since the store was opened; for tests and
  /// benchmarks.
  public var executedStatements: Int { opened.withLock { $0?.pool.executionCount } ?? 0 }

  /// SQL statements prepared on all connections since the store was opened; for tests and
  /// benchmarks.
  public var preparedStatements: Int { opened.withLock { $0?.pool.preparedCount } ?? 0 }

  /// Closes the file; unused reference numbers are given back.
  public func close() throws {
    guard
      let old = opened.withLock({ opened in
        defer { opened = nil }; return opened
      })
    else { return }
    if !isSnapshot { try translating(path) { try old.references.giveBack(in: old.pool) } }
    old.pool.close()
  }

  /// Permanent IDs in the order given; a statement or two per few hundred objects.
  public func obtainPermanentIDs(for entities: [EntityDescription]) throws -> [ManagedObjectID] {
    let opened = try open
    try checkWritable()
    return try translating(path) {
      try opened.references.take(entities, in: opened.pool).enumerated().map { index, reference in
        ManagedObjectID(opened.storeEntities[entities[index].index], reference: reference)
      }
    }
  }
}
