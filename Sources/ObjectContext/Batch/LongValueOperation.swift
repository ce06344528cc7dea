import Foundation
import ObjectModel
import StoreContract

/// Binary values of any length, written and read in pieces past the objects, so that memory holds a
/// piece and not the value.
///
/// Give the attribute `allowsExternalBinaryDataStorage`, so that fetches leave long values out too.
/// In the encrypted store memory stays the same where no external attribute that is declared later
/// has a value in the object; else writing takes about twice the value. Stores that know no pieces,
/// as the in-memory store, hold the whole value.
struct LongValueOperation: GraphOperation {
  let graph: ObjectGraph

  /// Gives a binary attribute of a saved object a value of `count` bytes, which a closure writes in
  /// pieces, in one transaction of its own.
  func write(
    count: Int, to id: ManagedObjectID, _ key: String, _ fill: (ValueWriter) throws -> Void
  ) throws {
    let attribute = try storedAttribute(key, of: id)
    let storeEntity = try persistentStoreCoordinator.storeEntity(of: id)
    if let object = graph.registeredObject(for: id) { try checkUnchanged(object, attribute) }
    var failure: (any Error)?
    let version = try telling(id, unless: { failure != nil }) {
      try graph.batches.writing {
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
    persistentStoreCoordinator.post(.batch(.update), from: inbox)
    childInboxes.post(.batch(.update), from: inbox)
    try graph.merging.renewQueryGeneration()
    try takeInValue(of: id, version)
    graph.faulting.refreshDerived(Set(id.entity.derivedEntities))
    graph.batches.showBatch()
  }

  /// The same with the bytes of a file, from its beginning to its end as it is when this begins.
  func write(contentsOf file: URL, to id: ManagedObjectID, _ key: String) throws {
    let handle = try FileHandle(forReadingFrom: file)
    defer { try? handle.close() }
    let count = try handle.seekToEnd()
    try handle.seek(toOffset: 0)
    try write(count: Int(clamping: count), to: id, key) { writer in
      while writer.offset < writer.count {
        let length = min(ValueWriter.pieceLength, writer.count - writer.offset)
        guard let piece = try handle.read(upToCount: length), !piece.isEmpty else { return }
        try writer.write(contentsOf: piece)
      }
    }
  }

  /// Opens the stored value of a binary attribute for reading in pieces; nil when it is null.
  func open(of id: ManagedObjectID, _ key: String) throws -> ValueReader? {
    let attribute = try storedAttribute(key, of: id)
    _ = try persistentStoreCoordinator.storeEntity(of: id)
    return try telling(id) { try source.openValue(of: attribute, of: id) }
  }

  private func storedAttribute(_ key: String, of id: ManagedObjectID) throws -> AttributeDescription {
    graph.forgetClosedStores()
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
        .unsaved, "the \(object.entity.name) is marked for deletion; save or undo that first")
    }
    if object.changes?.value(attribute.index) != nil {
      throw ContextError(
        .unsaved,
        "\(object.entity.name).\(attribute.name) has an unsaved value; save or refresh the object first")
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

  /// An unchanged object turns into a fault.
  ///
  /// A changed one gets the new row under its changes,
  /// unless the former row was changed elsewhere: saving then stays the conflict that it was.
  private func takeInValue(of id: ManagedObjectID, _ version: Int64) throws {
    tracker.didChange()
    guard let object = graph.registeredObject(for: id), !object.state.contains(.deletedInStore) else {
      return
    }
    if !object.hasChanges {
      graph.faulting.turnIntoFault(object)
    } else if object.changes?.committedRow == nil, graph.merging.registeredVersion(object) == version - 1,
      let row = try source.newValues(for: [object.reference], of: object.entity)[0], row.version == version
    {
      try graph.relationships.rebase(object, on: row)
    }
    notifications.record(.refreshed, object)
  }
}

extension ValueWriter {
  /// How many bytes of a file are in memory at a time.
  static let pieceLength = 256 << 10
}

extension ObjectGraph {
  var values: LongValueOperation { LongValueOperation(graph: self) }
}
