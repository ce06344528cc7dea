public import ObjectModel
public import ObjectQuery

/// Anything a store may be asked to execute. Stores answer a request they do not know with
/// `unsupportedRequest`.
public protocol PersistentStoreRequest: Sendable {}

extension FetchRequest: PersistentStoreRequest {}

/// The result of a request.
public enum StoreResult: Sendable {
  /// Rows, in the order asked for.
  case nodes([IncrementalStoreNode])
  /// IDs, in the order asked for.
  case objectIDs([ManagedObjectID])
  /// Dictionaries, in the order asked for.
  case dictionaries([[String: AttributeValue]])
  /// A count.
  case count(Int)
  /// The changes are saved.
  case saved
  /// The result of a custom store's own request.
  case other(any Sendable)
}

/// Lets a store skip decoding rows that the calling context already has in the same version.
public protocol NodeLookup {
  /// The registered node of an object, if any. Stores return it in place of a new one when its
  /// version is current.
  func registeredNode(_ root: EntityDescription, _ reference: Int64) -> IncrementalStoreNode?
}

extension FetchRequest {
  /// The result of a request that no store executes.
  package var emptyResult: StoreResult {
    switch resultType {
    case .objects: .nodes([])
    case .objectIDs: .objectIDs([])
    case .dictionaries: .dictionaries([])
    case .count: .count(0)
    }
  }
}
