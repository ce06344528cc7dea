import StoreContract

/// Who observes a context, and what happened to its objects since the last event ended.
final class ContextNotifications {
  let (willSave, didSave, didChange) = (
    ChangeStreams<ContextChanges>(), ChangeStreams<ContextChanges>(), ChangeStreams<ContextChanges>()
  )
  private var log = ChangeLog()
  private var observers: [WeakObserver] = []
  private let tracker: ChangeTracker
  /// Ends the event later, where the isolation allows.
  var eventEnd: (() -> Void)?
  private var isEventEndScheduled = false

  /// Whether each value that is set has to be recorded, for the undo manager or for observers.
  @exclusivity(unchecked) private(set) var isWatched = false
  private(set) var isObserved = false { didSet { updateWatch() } }
  /// Whether there is an undo manager.
  var recordsUndo = false { didSet { updateWatch() } }

  init(_ tracker: ChangeTracker) { self.tracker = tracker }

  deinit { for streams in [willSave, didSave, didChange] { streams.finish() } }

  private func updateWatch() {
    let wasWatched = isWatched
    isWatched = isObserved || recordsUndo
    guard isWatched, !wasWatched else { return }
    for object in tracker.pending { object.changes?.overwritable = nil }
  }

  // MARK: Observers

  /// What changes at the end of each event from now on.
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

  /// Objects have permanent IDs now.
  func objectsWereRenamed() {
    for observer in observers { observer.results?.objectsWereRenamed() }
  }

  /// Has live results fetched anew when the event ends: what changed is not known object by object.
  func markStale(where isConcerned: (any ChangeObserver) -> Bool = { _ in true }) {
    for case let results? in observers.map(\.results) where isConcerned(results) { results.isStale = true }
  }

  // MARK: Events

  /// Records what happened to an object, if anybody observes the context.
  func record(_ kind: ChangeLog.Kind, _ object: ManagedObject) {
    if object.reportsChanges, kind != .updated { object.valuesDidChange(at: nil) }
    guard isObserved else { return }
    log.note(kind, object)
    scheduleEventEnd()
  }

  /// Records objects that others inserted and that are not registered here.
  func recordInsertions(_ ids: [ManagedObjectID]) {
    if ids.isEmpty { return }
    log.arrived += ids
    scheduleEventEnd()
  }

  /// A context on the main actor ends its event once the code that changed something is done.
  func scheduleEventEnd() {
    guard let eventEnd, !isEventEndScheduled else { return }
    isEventEndScheduled = true
    eventEnd()
  }

  /// Reports what was recorded to live results and to streams.
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
      // Nobody observes any more.
      isObserved = false
      self.log = ChangeLog()
    }
  }

  /// In debug builds: without observers nothing is recorded.
  func checkInvariants() {
    assert(isObserved || log.isEmpty, "changes were recorded, and nobody observes the context")
    assert(isWatched == (isObserved || recordsUndo), "values are recorded for nobody, or not for an observer")
  }
}
