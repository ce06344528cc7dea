import StoreContract

/// Being told of what happens in a context, and ends of events.
extension ManagedObjectContext {
  /// Tells before each save what it will save. IDs of new objects may be temporary.
  public func willSaveObjects() -> AsyncStream<ContextChanges> { willSaveStreams.stream() }

  /// Tells after each save of this context what was saved, by permanent IDs (in a child context: as the parent has them).
  public func didSaveObjects() -> AsyncStream<ContextChanges> { saveStreams.stream() }

  /// Tells at the end of each event what was changed in this context since the last one, saved or not.
  ///
  /// Events end with `processPendingChanges()`, with every save, merge and undo, and with every closure of a
  /// `BackgroundContext`; in a container's `viewContext` soon after the code that changed something.
  public func didChangeObjects() -> AsyncStream<ContextChanges> {
    isObserved = true
    return changeStreams.stream()
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
    isEventEndScheduled = false
    undoManager?.endEvent()
    if !isObserved { return }
    liveResults.removeAll { $0.results == nil }
    guard !changeLog.isEmpty || liveResults.contains(where: { $0.results?.isStale == true }) else { return }
    let log = changeLog
    changeLog = ChangeLog()
    for results in liveResults.compactMap(\.results) { results.receive(log) }
    if !changeStreams.isEmpty {
      changeStreams.yield(log.changes(name))
    } else if liveResults.isEmpty {
      // Nobody listens any more.
      isObserved = false
      changeLog = ChangeLog()
    }
  }

  /// Has live results fetched anew when the event ends: what changed cannot be told object by object.
  func markStale(where isConcerned: (any ChangeObserver) -> Bool = { _ in true }) {
    for case let results? in liveResults.map(\.results) where isConcerned(results) { results.isStale = true }
  }

  /// Keeps account of what happened to an object, if anybody wants to know.
  func recordChange(_ kind: ChangeLog.Kind, _ object: ManagedObject) {
    if object.reportsChanges, kind != .updated { object.valuesDidChange(at: nil) }
    guard isObserved else { return }
    changeLog.note(kind, object)
    scheduleEventEnd()
  }

  /// A context on the main actor ends its event once the code that changed something is done.
  func scheduleEventEnd() {
    guard let eventEnd, !isEventEndScheduled else { return }
    isEventEndScheduled = true
    eventEnd()
  }
}

/// What shows objects of a context and wants to hear of their changes.
protocol ChangeObserver: AnyObject {
  /// The root entities of what it shows, and of what its conditions lead to.
  var rootNames: Set<String> { get }
  /// Whether changes happened that it is not told one by one, so that it has to be fetched anew.
  var isStale: Bool { get set }
  /// Whether it shows what is stored only.
  var isOfStoreOnly: Bool { get }
  /// Objects have permanent IDs now.
  func objectsWereRenamed()
  func receive(_ log: ChangeLog)
}

/// A weak reference to an observer.
struct WeakObserver { weak var results: (any ChangeObserver)? }
