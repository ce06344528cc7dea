/// What shows objects of a context and observes their changes.
protocol ChangeObserver: AnyObject {
  /// The root entities of what it shows, and of what its conditions reference.
  var rootNames: Set<String> { get }
  /// Whether changes happened that are not reported one by one, so that it has to be fetched anew.
  var isStale: Bool { get set }
  /// Whether it shows what is stored only.
  var isOfStoreOnly: Bool { get }
  /// Objects have permanent IDs now.
  func objectsWereRenamed()
  func receive(_ log: ChangeLog)
}

/// A weak reference to an observer.
struct WeakObserver { weak var results: (any ChangeObserver)? }
