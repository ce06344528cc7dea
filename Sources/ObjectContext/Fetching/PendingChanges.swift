import ObjectModel
import ObjectQuery
import StoreContract

/// The effect of a graph's pending changes on one request, computed once for each fetch.
struct PendingChanges {
  let entity: EntityDescription
  /// Whether the request's conditions or order traverse relationships to objects with unsaved
  /// changes.
  let areTraversed: Bool
  private let keyPaths: ReferencedKeyPaths
  private let tracker: ChangeTracker

  /// Nil when the request's result does not depend on any changed object.
  init?(of tracker: ChangeTracker, for request: FetchRequest, _ entity: EntityDescription) {
    self.entity = entity
    self.tracker = tracker
    keyPaths = ReferencedKeyPaths(request, from: entity)
    let roots = keyPaths.roots(from: entity)
    let pending = tracker.pending
    areTraversed = !roots.isEmpty && pending.contains { roots.contains($0.entity.root) }
    if !areTraversed, !pending.contains(where: { $0.entity.isKind(of: entity) }) { return nil }
  }

  /// The condition, or any that a row with a reference to a changed object meets; nil where such
  /// rows cannot be distinguished.
  func widened(_ predicate: FetchPredicate?) -> FetchPredicate? {
    guard let predicate, !keyPaths.hasOthers else { return nil }
    let changed = Dictionary(grouping: tracker.pending.filter { $0.reference > 0 }, by: \.entity.root)
    let traversing = keyPaths.paths.compactMap { path -> FetchPredicate? in
      guard let objects = changed[path.destination.root] else { return nil }
      let references = Set(objects.map(\.reference)).sorted().map { FetchExpression.value(.reference($0)) }
      return .comparison(
        FetchComparison(
          .keyPath(path.names), .in, .list(references), modifier: path.isToMany ? .any : .direct))
    }
    return .or([predicate] + traversing)
  }
}
