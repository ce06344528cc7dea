public import Foundation
import ObjectModel
public import StoreContract

/// Binary values of any length, written and read in pieces past the objects, so that memory holds a piece and not the value.
///
/// Give the attribute `allowsExternalBinaryDataStorage`, so that fetches leave long values out too. In the encrypted store memory
/// stays the same where no external attribute that is declared later has a value in the object; else writing takes about
/// twice the value. Stores that know no pieces, as the in-memory store, hold the whole value.
extension ManagedObjectContext {
  /// Gives a binary attribute of a saved object a value of `count` bytes, which a closure writes in pieces, in one transaction of
  /// its own. Four statements, whatever the length, and one more where the object has unsaved changes here.
  ///
  /// The value is saved when this returns. Other unsaved changes of the object stay and can be saved: no conflict comes of it. Other
  /// contexts, live results and processes see it as they do a batch. Hooks and validation of objects are not called. While the
  /// closure runs nobody else writes to the store, so it should have its bytes at hand; it may read, but not save.
  /// - Parameters:
  ///   - count: The length in bytes, 0 for a value that is there and empty. The encrypted store takes up to 1,000,000,000 a row.
  ///   - id: The object's permanent ID.
  ///   - key: The attribute: stored, of type binary, in no index and no uniqueness constraint, and nothing is derived from it.
  ///   - fill: Writes exactly `count` bytes. Whatever it throws is passed on, and the former value stays.
  /// - Throws: `ContextError`: `unsaved` for a new object, a deleted one, and an attribute that was set here and not saved;
  ///   `unknownName`, `objectGone`, `foreignObject`. `StoreError`: `invalidValue` for an attribute that has no pieces, for a
  ///   length that no value has, and for too few or too many bytes; `diskFull`, `busy`, `readOnly`. Nothing is changed then.
  public func writeValue(
    count: Int, to id: ManagedObjectID, _ key: String, _ fill: (ValueWriter) throws -> Void
  ) throws {
    let attribute = try storedAttribute(key, of: id)
    let storeEntity = try persistentStoreCoordinator.storeEntity(of: id)
    if let object = registeredObject(for: id) { try checkUnchanged(object, attribute) }
    var failure: (any Error)?
    let version = try telling(id, unless: { failure != nil }) {
      try writing {
        try persistentStoreCoordinator.persistentStore(for: storeEntity.entity).writeValue(
          count: count, of: attribute, to: id.reference
        ) { writer in
          do { try fill(writer) } catch {
            failure = error
            throw error
          }
        }
      }
    }
    persistentStoreCoordinator.post(.batchUpdated, from: inbox)
    childInboxes.post(.batchUpdated, from: inbox)
    try renewQueryGeneration()
    try takeInValue(of: id, version)
    refreshDerived(Set(id.entity.derivedEntities))
    showBatch()
  }

  /// The same with the bytes of a file, from its beginning to its end as it is when this begins.
  /// - Throws: as `writeValue(count:to:_:_:)`, and what reading the file throws.
  public func writeValue(contentsOf file: URL, to id: ManagedObjectID, _ key: String) throws {
    let handle = try FileHandle(forReadingFrom: file)
    defer { try? handle.close() }
    let count = try handle.seekToEnd()
    try handle.seek(toOffset: 0)
    try writeValue(count: Int(clamping: count), to: id, key) { writer in
      while writer.offset < writer.count {
        let length = min(ValueWriter.pieceLength, writer.count - writer.offset)
        guard let piece = try handle.read(upToCount: length), !piece.isEmpty else { return }
        try writer.write(contentsOf: piece)
      }
    }
  }

  /// Opens the stored value of a binary attribute for reading in pieces; nil when it is null. Unsaved changes are left out, here
  /// and in a parent. A few statements, whatever the length.
  ///
  /// The reader sees the value as it is now, or in a pinned context as it was at its moment, whatever is written meanwhile. In the
  /// encrypted store each one but a pinned context's has a connection of its own, of about a megabyte, and until it is closed
  /// the write-ahead log grows and work that wants the file alone, as `rotateKey` and `compact` do, is told `busy`.
  /// - Throws: `ContextError`: `unsaved` for a new object, `unknownName`, `objectGone`, `foreignObject`. `StoreError`:
  ///   `invalidValue` for an attribute that is not binary, `busy` when 64 values of the encrypted store are open already.
  public func openValue(of id: ManagedObjectID, _ key: String) throws -> ValueReader? {
    let attribute = try storedAttribute(key, of: id)
    _ = try persistentStoreCoordinator.storeEntity(of: id)
    return try telling(id) { try source.openValue(of: attribute, of: id) }
  }

  private func storedAttribute(_ key: String, of id: ManagedObjectID) throws -> AttributeDescription {
    forgetClosedStores()
    guard let attribute = model.entity(named: id.entity.name)?.attribute(named: key) else {
      throw ContextError(.unknownKey, "\(id.entity.name) has no attribute \(key)")
    }
    try attribute.checkPieces()
    if id.isTemporaryID {
      throw ContextError(
        .unsaved, "a new \(id.entity.name) has no stored value; save it first, then use its permanent ID")
    }
    return attribute
  }

  private func checkUnchanged(_ object: ManagedObject, _ attribute: AttributeDescription) throws {
    if object.isDeleted, !object.state.contains(.deletedInStore) {
      throw ContextError(
        .unsaved, "the \(object.entity.name) is to be deleted; save or take the deletion back")
    }
    if object.changes?.value(attribute.index) != nil {
      throw ContextError(
        .unsaved,
        "\(object.entity.name).\(attribute.name) was set and not saved; save it or take it back first")
    }
  }

  /// Tells of an object that others deleted as faults do, unless the error is the program's own.
  private func telling<R>(
    _ id: ManagedObjectID, unless isOwn: () -> Bool = { false }, _ body: () throws -> R
  ) throws -> R {
    do { return try body() } catch let error as StoreError where error.code == .notFound && !isOwn() {
      throw ContextError(
        .objectNotFound, "\(id.entity.name) \(id) is no longer in the store: it was deleted", cause: error)
    }
  }

  /// An unchanged object is a fault; beneath changes lies the new row, unless others had changed the former one: then saving them
  /// is the conflict that it was.
  private func takeInValue(of id: ManagedObjectID, _ version: Int64) throws {
    tracker.didChange()
    guard let object = registeredObject(for: id), !object.state.contains(.deletedInStore) else { return }
    if !object.hasChanges {
      turnIntoFault(object)
    } else if object.changes?.committedRow == nil, registeredVersion(object) == version - 1,
      let row = try source.newValues(for: [object.reference], of: object.entity)[0], row.version == version
    {
      try rebase(object, on: row)
    }
    notifications.record(.refreshed, object)
  }
}

extension ValueWriter {
  /// How many bytes of a file are in memory at a time.
  static let pieceLength = 256 << 10
}
