import ObjectModel

/// What a context recorded, so that it can be taken back and done again.
///
/// Changes come in groups, which are undone whole. With `groupsByEvent` all changes of an event are
/// one (see `ManagedObjectContext.processPendingChanges()`); an outermost pair of
/// `beginUndoGrouping()` and `endUndoGrouping()` is always a group of its own. Saving clears
/// nothing: an undo after a save makes changes that the next save stores. Not Sendable: it lives
/// where its context does. Recording a change costs some twenty nanoseconds and memory for it.
public final class UndoManager {
  struct Group {
    var name: String?
    var steps: [UndoStep] = []
    /// What the program registered, in order.
    var handlers: [Handler] = []
    var isEmpty: Bool { steps.isEmpty && handlers.isEmpty }
  }

  /// A closure of the program's; dropped with its target.
  struct Handler {
    weak var target: AnyObject?
    let body: (AnyObject) -> Void
  }

  /// The context that records here.
  weak var target: (any UndoTarget)?
  /// How many groups can be undone; older ones are forgotten.
  ///
  /// 0, as at first, for all.
  public var levelsOfUndo = 0 { didSet { trim() } }
  /// Whether the end of an event ends the group.
  public var groupsByEvent = true
  /// How many `beginUndoGrouping()` have no `endUndoGrouping()` yet.
  public private(set) var groupingLevel = 0
  /// Whether an undo is at work.
  public private(set) var isUndoing = false
  /// Whether a redo is at work.
  public private(set) var isRedoing = false
  private var open = Group()
  private var undoGroups: [Group] = []
  private var redoGroups: [Group] = []
  private var disabled = 0

  /// Makes a manager with nothing recorded; give it to `ManagedObjectContext.undoManager`.
  public init() {}

  /// Whether there is something to undo.
  public var canUndo: Bool { !undoGroups.isEmpty || !open.isEmpty }
  /// Whether something was undone and nothing changed since.
  public var canRedo: Bool { !redoGroups.isEmpty }
  /// The name of what `undo()` takes back; empty when it has none.
  public var undoActionName: String { (open.isEmpty ? undoGroups.last?.name : open.name) ?? "" }
  /// The name of what `redo()` does again; empty when it has none.
  public var redoActionName: String { redoGroups.last?.name ?? "" }
  /// The title of a menu item for `undo()`: `Undo` and the name of what it takes back.
  public var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }
  /// The title of a menu item for `redo()`: `Redo` and the name of what it does again.
  public var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }
  /// The title of a menu item for the undo of an action; not translated.
  public func undoMenuTitle(forUndoActionName name: String) -> String {
    name.isEmpty ? "Undo" : "Undo \(name)"
  }
  /// The title of a menu item for the redo of an action; not translated.
  public func redoMenuTitle(forUndoActionName name: String) -> String {
    name.isEmpty ? "Redo" : "Redo \(name)"
  }
  /// Whether changes are recorded.
  public var isUndoRegistrationEnabled: Bool { disabled == 0 }

  /// Names the group being recorded, or the last one when nothing was recorded since.
  public func setActionName(_ name: String) {
    if open.isEmpty, groupingLevel == 0, let last = undoGroups.indices.last {
      undoGroups[last].name = name
    } else {
      open.name = name
    }
  }

  /// Begins a group, or one inside another, which is undone together with it.
  public func beginUndoGrouping() {
    if groupingLevel == 0 { close() }
    groupingLevel += 1
  }

  /// Ends a group.
  /// - Precondition: One was begun.
  public func endUndoGrouping() {
    precondition(groupingLevel > 0, "endUndoGrouping was called without a beginUndoGrouping")
    groupingLevel -= 1
    if groupingLevel == 0 { close() }
  }

  /// Registers what undoes a change that no model records, as part of the group being recorded.
  ///
  /// An undo calls it when the group's changes are taken back, the last one first; what it registers or
  /// changes then is what a redo takes back. A group of nothing else ends with the next event that changes
  /// objects.
  /// - Parameters:
  ///   - target: Whom it is for; not retained, and the closure is dropped with it.
  ///   - handler: Called with the target.
  public func registerUndo<TargetType: AnyObject>(
    withTarget target: TargetType, handler: @escaping (TargetType) -> Void
  ) {
    guard disabled == 0 else { return }
    if !isUndoing, !isRedoing, !redoGroups.isEmpty { redoGroups = [] }
    open.handlers.append(Handler(target: target) { if let target = $0 as? TargetType { handler(target) } })
  }

  /// Forgets what was registered for a target.
  public func removeAllActions(withTarget target: Any) {
    let target = target as AnyObject
    change { $0.handlers.removeAll { $0.target === target } }
    undoGroups.removeAll(where: \.isEmpty)
    redoGroups.removeAll(where: \.isEmpty)
  }

  /// Stops recording, until as many `enableUndoRegistration()` were called.
  public func disableUndoRegistration() { disabled += 1 }

  /// Records again.
  /// - Precondition: Recording was stopped.
  public func enableUndoRegistration() {
    precondition(disabled > 0, "enableUndoRegistration was called without a disableUndoRegistration")
    disabled -= 1
  }

  /// Forgets everything.
  public func removeAllActions() {
    open = Group()
    undoGroups = []
    redoGroups = []
    groupingLevel = 0
  }

  /// Takes the last group back, as `ManagedObjectContext.undo()`.
  ///
  /// What cannot be read shows in the context's next save.
  public func undo() {
    guard target != nil else { return run(isRedo: false) { $0 = [] } }
    deferringNotification { try $0.undo() }
  }

  /// Does the last undone group again, as `ManagedObjectContext.redo()`.
  ///
  /// What cannot be read shows in the context's next save.
  public func redo() {
    guard target != nil else { return run(isRedo: true) { $0 = [] } }
    deferringNotification { try $0.redo() }
  }

  private func deferringNotification(_ body: (any UndoTarget) throws -> Void) {
    guard let target else { return }
    do { try body(target) } catch { target.recordFaultFailure(error) }
  }

  // MARK: Inside

  func record(_ step: UndoStep) {
    guard disabled == 0 else { return }
    if !isUndoing, !isRedoing, !redoGroups.isEmpty { redoGroups = [] }
    open.steps.append(step)
  }

  func recording(before isStep: (UndoStep) -> Bool, _ body: () throws -> Void) rethrows {
    let present = open
    open = Group()
    defer {
      let steps = open.steps
      open = present
      insert(steps, before: isStep)
    }
    try body()
  }

  private func insert(_ steps: [UndoStep], before isStep: (UndoStep) -> Bool) {
    if steps.isEmpty { return }
    if let place = open.steps.lastIndex(where: isStep) {
      return open.steps.insert(contentsOf: steps, at: place)
    }
    for group in undoGroups.indices.reversed() {
      guard let place = undoGroups[group].steps.lastIndex(where: isStep) else { continue }
      return undoGroups[group].steps.insert(contentsOf: steps, at: place)
    }
  }

  func endEvent() { if groupsByEvent, groupingLevel == 0, !isUndoing, !isRedoing { close() } }

  private func close() {
    defer { open = Group() }
    if open.isEmpty { return }
    undoGroups.append(open)
    trim()
  }

  private func trim() {
    if levelsOfUndo > 0, undoGroups.count > levelsOfUndo {
      undoGroups.removeFirst(undoGroups.count - levelsOfUndo)
    }
  }

  /// Hands the last group to a closure, which takes it back from the end; what that records can be
  /// redone, or undone again.
  ///
  /// What it leaves is a group still.
  func run(isRedo: Bool, _ body: (inout [UndoStep]) throws -> Void) rethrows {
    groupingLevel = 0
    close()
    guard var group = isRedo ? redoGroups.popLast() : undoGroups.popLast() else { return }
    if isRedo { isRedoing = true } else { isUndoing = true }
    defer {
      isUndoing = false
      isRedoing = false
      let done = Group(name: group.name, steps: open.steps, handlers: open.handlers)
      open = Group()
      if !done.isEmpty {
        if isRedo { undoGroups.append(done) } else { redoGroups.append(done) }
      }
      if !group.isEmpty {
        if isRedo { redoGroups.append(group) } else { undoGroups.append(group) }
      }
    }
    try body(&group.steps)
    for handler in group.handlers.reversed() {
      if let target = handler.target { handler.body(target) }
    }
    group.handlers = []
  }

  func rename(_ permanent: RenamedReferences, root: EntityDescription?) {
    change { group in
      for index in group.steps.indices { group.steps[index].rename(permanent, root: root) }
    }
  }

  func restoration() -> () -> Void {
    let (open, undoGroups, redoGroups) = (open, undoGroups, redoGroups)
    return { (self.open, self.undoGroups, self.redoGroups) = (open, undoGroups, redoGroups) }
  }

  func removeRecordedSteps() {
    open = Group(name: open.name)
    undoGroups = []
    redoGroups = []
  }

  /// In debug builds, between operations: no undo is at work, no closed group is empty, and there are at
  /// most as many groups as wanted.
  func checkInvariants() {
    assert(!isUndoing && !isRedoing, "an event ended during an undo")
    assert(groupingLevel >= 0 && disabled >= 0, "a group or a pause was ended twice")
    assert((undoGroups + redoGroups).allSatisfy { !$0.isEmpty }, "an empty group can be undone")
    assert(levelsOfUndo <= 0 || undoGroups.count <= levelsOfUndo, "more groups than levelsOfUndo")
  }

  private func change(_ body: (inout Group) -> Void) {
    body(&open)
    for index in undoGroups.indices { body(&undoGroups[index]) }
    for index in redoGroups.indices { body(&redoGroups[index]) }
  }
}

extension UndoManager: UndoRecorder {}

/// What an undo manager undoes changes of.
protocol UndoTarget: AnyObject {
  func undo() throws
  func redo() throws
  func recordFaultFailure(_ error: any Error)
}
