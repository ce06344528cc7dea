import StoreContract

extension ManagedObjectContext {
  /// Saves every change in one transaction: checks the model's rules, gives new objects IDs, writes.
  ///
  /// One prepared statement per entity and kind of change, run once per object; none in a child context,
  /// which saves into its parent. On an error nothing is saved and every change is still in the context, also
  /// what a merge policy had dropped before; new objects may have permanent IDs. Conflicts that `mergePolicy`
  /// decides take one statement per root entity or uniqueness constraint, and another try.
  /// - Throws: `ContextError`: `validation` with every broken rule; `conflict` and `notUnique` with the
  ///   objects' snapshots. `StoreError`: `diskFull` and others.
  public func save() throws { try graph.saving.save() }

  /// Drops every change: new objects are removed, changed and deleted ones are as last read or saved.
  public func rollback() { graph.saving.rollback() }

  /// Removes every object from the context; the program can no longer use those that it still refers to.
  public func reset() { graph.saving.reset() }

  /// Undoes the last group of changes that the undo manager recorded.
  ///
  /// What was saved meanwhile is undone as a new unsaved change; an object whose deletion was saved is
  /// restored with its ID, and so are relationships that other contexts set to a deleted one. Does nothing
  /// without a manager or a group. Fires faults, one statement for each batch, and checks saved deletions,
  /// one for each root entity.
  /// - Throws: when an object or a relationship cannot be read; the next `undo()` undoes the rest.
  public func undo() throws { try graph.undoing.revert(undoManager, isRedo: false) }

  /// Redoes what was undone last.
  /// - Throws: as `undo()`.
  public func redo() throws { try graph.undoing.revert(undoManager, isRedo: true) }

  /// Ends the event: closes the undo group of what was changed since the last one, and notifies observers.
  ///
  /// Merges what other contexts saved before, where that is automatic. What cannot be merged now stays
  /// pending: the next fetch or save throws the reason, and live results have it as their `failure`.
  public func processPendingChanges() {
    do { try mergeChanges() } catch { graph.notifications.markStale() }
    graph.endEvent()
  }

  /// Merges what batches of other contexts changed since this was last called, and where
  /// `automaticallyMergesChangesFromParent` is set, what other contexts saved and others committed to the
  /// stores.
  ///
  /// Called by every fetch and save; call it yourself before you read objects that another context may have
  /// changed. Without automatic merging a pinned context stays at its query generation. After a batch one
  /// statement per root entity with changed objects, and one more after a batch that deletes; for saves and
  /// commits as `mergeChanges(from:)`; else none.
  /// - Throws: `StoreError` when the store cannot be read.
  public func mergeChanges() throws { try graph.merging.mergeChanges() }

  /// Merges what another context of the same coordinator saved.
  ///
  /// Unchanged objects turn into faults that fire together; changed ones keep their changes over the new row,
  /// one statement for each root entity; deleted ones are deleted here too and keep their values. A changed
  /// object that was deleted stays, and saving it is a conflict.
  /// - Throws: `StoreError` when the changed objects' rows cannot be read.
  public func mergeChanges(from changes: ContextChanges) throws {
    try graph.merging.mergeChanges(from: changes)
  }

  /// Merges what other processes committed to a store: objects whose rows have another version get the new
  /// row, one statement for each root entity, and keep their changes; objects whose rows were deleted become
  /// deleted.
  ///
  /// A changed object that was deleted stays, and saving it is a conflict. Faults stay faults. To-manys that
  /// were read are compared with the store's and live results fetched again, one statement for each.
  /// - Throws: `StoreError` when the store cannot be read; nothing was merged then.
  public func mergeChanges(from change: PersistentStoreRemoteChange) throws {
    try graph.merging.mergeChanges(from: change)
  }

  /// Pins this context to a query generation: `QueryGenerationToken.current` for the present state of the
  /// stores, another context's token for its state, nil to unpin.
  ///
  /// Unchanged objects turn into faults. A statement or two per store for `current`. Saving writes to the
  /// present state of the stores, where a row changed since is a conflict as without pinning; the context is
  /// then pinned to the state that it saved. Merging pins it again too.
  /// - Throws: `StoreError` with code `unsupportedRequest` when a store has no generations;
  ///   `objectOfAnotherContext` for a generation of another coordinator, and in a child context, which reads
  ///   from its parent.
  public func setQueryGenerationFrom(_ generation: QueryGenerationToken?) throws {
    try graph.merging.setQueryGeneration(from: generation)
  }

  /// Yields before each save what it will save; IDs of new objects may be temporary.
  public func willSaveObjects() -> AsyncStream<ContextChanges> { graph.notifications.willSave.stream() }

  /// Yields after each save of this context what was saved, by permanent IDs (in a child context: the
  /// parent's IDs).
  public func didSaveObjects() -> AsyncStream<ContextChanges> { graph.notifications.didSave.stream() }

  /// Yields at the end of each event what was changed in this context since the last one, saved or not.
  ///
  /// Events end with `processPendingChanges()`, with every save, merge and undo, and with every closure of a
  /// `BackgroundContext`; in a container's `viewContext` soon after the code that changed something.
  public func didChangeObjects() -> AsyncStream<ContextChanges> { graph.notifications.changes() }
}
