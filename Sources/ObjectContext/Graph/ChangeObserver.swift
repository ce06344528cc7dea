/// Live results that show objects of a context and observe their changes.
protocol ChangeObserver: AnyObject {
  /// The root entities of the objects that it shows and of those that its predicate references.
  var rootNames: Set<String> { get }
  /// Whether it has to fetch again because some changes were not reported object by object.
  var isStale: Bool { get set }
  /// Whether it shows only stored objects, without pending changes.
  var isOfStoreOnly: Bool { get }
  /// Called after objects received permanent IDs.
  func objectsWereRenamed()
  func receive(_ log: ChangeLog)
}

/// A weak reference to an observer.
struct WeakObserver { weak var results: (any ChangeObserver)? }
