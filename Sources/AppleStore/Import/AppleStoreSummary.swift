/// What an import brought along.
public struct AppleStoreSummary: Sendable, Hashable {
  /// The number of objects by the name of their entity.
  public internal(set) var objects: [String: Int] = [:]
  /// The number of links: of to-one relationships, and of the to-many ones without a to-one inverse.
  public internal(set) var linkCount = 0
  /// The number of faults by their kind.
  public internal(set) var faults: [AppleStoreFault.Kind: Int] = [:]
  /// The number of changes in the store's history, which is not taken over.
  public internal(set) var droppedHistoryCount = 0

  /// The number of objects.
  public var objectCount: Int { objects.values.reduce(0, +) }
  /// The number of faults.
  public var faultCount: Int { faults.values.reduce(0, +) }
}
