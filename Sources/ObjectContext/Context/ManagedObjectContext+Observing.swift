import StoreContract

/// Being told of what happens in a context, and ends of events.
extension ManagedObjectContext {
  /// Tells before each save what it will save. IDs of new objects may be temporary.
  public func willSaveObjects() -> AsyncStream<ContextChanges> { notifications.willSave.stream() }

  /// Tells after each save of this context what was saved, by permanent IDs (in a child context: as the parent has them).
  public func didSaveObjects() -> AsyncStream<ContextChanges> { notifications.didSave.stream() }

  /// Tells at the end of each event what was changed in this context since the last one, saved or not.
  ///
  /// Events end with `processPendingChanges()`, with every save, merge and undo, and with every closure of a
  /// `BackgroundContext`; in a container's `viewContext` soon after the code that changed something.
  public func didChangeObjects() -> AsyncStream<ContextChanges> {
    notifications.changes()
  }

  /// Ends the event: closes the undo group of what was changed since the last one, and tells observers of it. Takes in
  /// what other contexts saved before, where that is automatic. What cannot be taken in now is kept, and the next fetch or save
  /// throws the reason.
  public func processPendingChanges() {
    try? mergeChanges()
    endEvent()
  }

  /// The end of an event without a look at the others.
  func endEvent() {
    undoManager?.endEvent()
    notifications.endEvent(name)
    checkInvariants()
  }
}
