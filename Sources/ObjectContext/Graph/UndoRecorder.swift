import ObjectModel

/// Records changes of a graph, so that they can be undone.
protocol UndoRecorder: AnyObject {
  /// Whether changes are recorded.
  var isUndoRegistrationEnabled: Bool { get }
  func disableUndoRegistration()
  func enableUndoRegistration()
  func record(_ step: UndoStep)
  /// Records a closure's changes before the last matching step, in the group of that step.
  ///
  /// Records nothing if no step matches.
  func recording(before isStep: (UndoStep) -> Bool, _ body: () throws -> Void) rethrows
  /// Closes the group of the event.
  func endEvent()
  /// Replaces reference numbers by others; see `UndoStep.rename`.
  func rename(_ permanent: RenamedReferences, root: EntityDescription?)
  /// Removes all recorded steps and closes open groups.
  func removeAllActions()
  /// Removes all recorded steps; an open group stays open.
  func removeRecordedSteps()
  /// A closure that restores the steps that are recorded now.
  func restoration() -> () -> Void
  /// Checks the recorder's invariants in debug builds, between operations.
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
    notifications.reportChange()
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
    notifications.reportChange()
  }
}
