import ObjectModel

/// Records changes of a graph, so that they can be undone.
protocol UndoRecorder: AnyObject {
  /// Whether changes are recorded.
  var isUndoRegistrationEnabled: Bool { get }
  func disableUndoRegistration()
  func enableUndoRegistration()
  func record(_ step: UndoStep)
  /// Records what a closure does before the last step of a kind, in the group of that step; nowhere
  /// when there is none.
  func recording(before isStep: (UndoStep) -> Bool, _ body: () throws -> Void) rethrows
  /// Closes the group of the event.
  func endEvent()
  /// Replaces reference numbers by others; see `UndoStep.rename`.
  func rename(_ permanent: RenamedReferences, root: EntityDescription?)
  /// Removes everything, and ends groups that were begun.
  func removeAllActions()
  /// Removes everything that was recorded; a group that was begun goes on.
  func removeRecordedSteps()
  /// A closure that restores what is recorded now.
  func restoration() -> () -> Void
  /// In debug builds, between operations.
  func checkInvariants()
}

extension ObjectGraph {
  /// Whether changes are recorded, so that they can be undone.
  var recordsUndo: Bool { undoRecorder?.isUndoRegistrationEnabled == true }

  /// Records a step for undo.
  ///
  /// - `object`: One that observers are to be notified of.
  func record(_ step: UndoStep, updating object: ManagedObject? = nil) {
    undoRecorder?.record(step)
    if let object { notifications.record(.updated, object) }
    notifications.scheduleEventEnd()
  }

  /// Runs a closure whose changes are not recorded.
  ///
  /// A merge changes relationships so that they agree with their inverses; undoing that may change
  /// one side only.
  func withoutUndo<Result>(_ body: () throws -> Result) rethrows -> Result {
    undoRecorder?.disableUndoRegistration()
    defer { undoRecorder?.enableUndoRegistration() }
    return try body()
  }

  /// Runs a closure whose changes are undone along with an earlier deletion.
  func asPartOfDeletion(of object: ManagedObject, _ body: () throws -> Void) rethrows {
    guard let undoRecorder else { return try body() }
    try undoRecorder.recording(
      before: { if case .deleted(let one) = $0 { one === object } else { false } }, body)
  }

  /// Records the value of a property that is about to be set.
  func willSet(_ object: ManagedObject, _ index: Int) {
    if let undoRecorder, undoRecorder.isUndoRegistrationEnabled {
      let old = (try? object.slotValue(object.entity.properties[index])) ?? .null
      undoRecorder.record(.set(object, index: index, old: old))
    }
    notifications.record(.updated, object)
    notifications.scheduleEventEnd()
  }
}
