import StoreContract

extension PersistentStoreCoordinator {
  /// Whether a store has columns or tables that a deferred migration left to be removed
  /// (`PersistentStoreDescription.defersLightweightMigration`).
  ///
  /// The store itself remembers it. Issues one statement for each store.
  /// - Throws: `StoreError`.
  public var hasDeferredLightweightMigration: Bool {
    get throws { try migratableStores.contains { try $0.hasDeferredLightweightMigration } }
  }

  /// Removes all that deferred migrations left in the stores, piece by piece.
  ///
  /// As `finishDeferredLightweightMigrationTask()` until nothing is left. If it throws, or the process
  /// is killed, what was removed stays removed, and the next call does the rest.
  /// - Throws: `StoreError`, as `finishDeferredLightweightMigrationTask()`; `CancellationError`
  ///   between two pieces when the task is cancelled.
  public func finishDeferredLightweightMigration() throws {
    while try finishDeferredLightweightMigrationTask() { try Task.checkCancellation() }
  }

  /// Removes one piece of what deferred migrations left: drops one table, or writes one table again
  /// without the columns that were left in it.
  ///
  /// This removes the values for good: back the store up before, if they may be wanted. Contexts and
  /// other processes may use the store meanwhile; their saves wait until the piece is done. A piece is
  /// one transaction: about ten statements, and one for each trigger, and for each index of the table.
  /// - Returns: Whether something is left to be done.
  /// - Throws: `StoreError`: `readOnly`, `fileDamaged`, `busy`, `diskFull`, `diskFailed`; the store is
  ///   then as it was.
  @discardableResult
  public func finishDeferredLightweightMigrationTask() throws -> Bool {
    for store in migratableStores where try store.hasDeferredLightweightMigration {
      _ = try store.finishDeferredLightweightMigrationTask()
      return try hasDeferredLightweightMigration
    }
    return false
  }

  private var migratableStores: [any MigratableStore] {
    persistentStores.compactMap { $0 as? any MigratableStore }
  }
}
