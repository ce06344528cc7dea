import ObjectModel
import ObjectQuery
import StoreContract

extension CustomStore {
  /// Lets a store delete that does so itself; else deletes as a save.
  /// - Throws: what the store throws, also where it leaves the deletion to the container.
  func delete(matching request: FetchRequest) throws -> BatchResult {
    guard let call = StoreCall.current, call.isBatchDeletion,
      let entity = model.entity(named: request.entityName)
    else { return try deleteBySaving(matching: request) }
    return try withLock {
      func open<T: PersistentModel, Store: DataStoreBatching>(_ type: T.Type, _ store: Store) throws {
        guard let descriptor = call.descriptor(for: request, type) else {
          throw DataStoreError.unsupportedFeature
        }
        try store.delete(
          DataStoreBatchDeleteRequest(
            editingState: editingState, includeSubclasses: request.includesSubentities,
            predicate: descriptor.predicate))
      }
      func open<T: PersistentModel>(_ type: T.Type) throws {
        guard let store = base as? any DataStoreBatching else { throw DataStoreError.unsupportedFeature }
        try open(type, store)
      }
      try open(type(entity))
      // Which rows are deleted, or were changed by a rule, shows when they are read.
      for (root, known) in rows { stale[root, default: []].formUnion(known.keys) }
      return BatchResult(count: 1)
    }
  }
}
