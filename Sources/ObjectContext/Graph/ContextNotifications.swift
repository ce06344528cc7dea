import StoreContract

/// The observers of a context, and the changes to its objects since the last event ended.
final class ContextNotifications {
  let (willSave, didSave, didChange) = (
    ChangeStreams<ContextChanges>(), ChangeStreams<ContextChanges>(), ChangeStreams<ContextChanges>()
  )
  private var log = ChangeLog()
  private var observers: [WeakObserver] = []
  private let tracker: ChangeTracker
  /// Schedules the end of the event; nil if the context's events do not end automatically.
  var eventEnd: (() -> Void)?
  private var isEventEndScheduled = false

  /// Whether each value that is set has to be recorded: for the undo manager, for observers, or for the
  /// layer above.
  @exclusivity(unchecked) private(set) var isWatched = false
  private(set) var isObserved = false { didSet { updateWatch() } }
  /// Whether there is an undo manager.
  var recordsUndo = false { didSet { updateWatch() } }
  /// Whether the tracker's `didReceiveChanges` is called for changes of objects that have some, too.
  var reportsEveryChange = false { didSet { updateWatch() } }

  init(_ tracker: ChangeTracker) { self.tracker = tracker }

  deinit { for streams in [willSave, didSave, didChange] { streams.finish() } }

  private func updateWatch() {
    let wasWatched = isWatched
    isWatched = isObserved || recordsUndo || reportsEveryChange
    guard isWatched, !wasWatched else { return }
    for object in tracker.pending { object.changes?.overwritable = nil }
  }

  // MARK: Observers

  /// A stream of the changes of each event from now on.
  func changes() -> AsyncStream<ContextChanges> {
    isObserved = true
    return didChange.stream()
  }

  /// Adds live results, which are referenced weakly.
  func add(_ observer: any ChangeObserver) {
    isObserved = true
    observers.append(WeakObserver(results: observer))
  }

  var hasLiveResults: Bool { !observers.isEmpty }

  /// The root entities that live results depend on.
  var observedRoots: Set<String> { Set(observers.flatMap { $0.results?.rootNames ?? [] }) }

  /// Notifies live results that objects received permanent IDs.
  func objectsWereRenamed() {
    for observer in observers { observer.results?.objectsWereRenamed() }
  }

  /// Makes live results fetch again when the event ends, since changes are not known by object.
  func markStale(where isConcerned: (any ChangeObserver) -> Bool = { _ in true }) {
    for case let results? in observers.map(\.results) where isConcerned(results) { results.isStale = true }
  }

  // MARK: Events

  /// Reports a change to the layer above, if that wants to know of each.
  func reportChange() { if reportsEveryChange { tracker.didReceiveChanges?() } }

  /// Records a change of an object if the context has observers.
  func record(_ kind: ChangeLog.Kind, _ object: ManagedObject) {
    if object.reportsChanges, kind != .updated { object.valuesDidChange(at: nil) }
    guard isObserved else { return }
    log.note(kind, object)
    scheduleEventEnd()
  }

  /// Whether objects were inserted in this event.
  var hasInsertions: Bool { !log.inserted.isEmpty }

  /// Records objects that other contexts inserted and that this context has not registered.
  func recordInsertions(_ ids: [ManagedObjectID]) {
    if ids.isEmpty { return }
    log.arrived += ids
    scheduleEventEnd()
  }

  /// Schedules the end of the event, once per event.
  ///
  /// A context on the main actor ends its event after the code that changed something returns.
  func scheduleEventEnd() {
    guard let eventEnd, !isEventEndScheduled else { return }
    isEventEndScheduled = true
    eventEnd()
  }

  /// Reports the recorded changes to live results and to streams.
  /// - Parameter name: The context's name.
  func endEvent(_ name: String?) {
    isEventEndScheduled = false
    if !isObserved { return }
    observers.removeAll { $0.results == nil }
    guard !log.isEmpty || observers.contains(where: { $0.results?.isStale == true }) else { return }
    let log = log
    self.log = ChangeLog()
    for results in observers.compactMap(\.results) { results.receive(log) }
    if !didChange.isEmpty {
      didChange.yield(log.changes(name))
    } else if observers.isEmpty {
      // No observer is left.
      isObserved = false
      self.log = ChangeLog()
    }
  }

  /// Checks, in debug builds, that nothing is recorded without observers.
  func checkInvariants() {
    assert(isObserved || log.isEmpty, "changes were recorded, and nobody observes the context")
    assert(
      isWatched == (isObserved || recordsUndo || reportsEveryChange),
      "values are recorded without an observer, or not recorded for one")
  }
}
