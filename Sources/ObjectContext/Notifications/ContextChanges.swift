public import StoreContract

/// Which objects of a context were changed or saved.
///
/// Sendable: for other isolations, which fetch the objects themselves.
public struct ContextChanges: Sendable {
  /// The name of the context, if it has one.
  public let contextName: String?
  /// New objects.
  public internal(set) var inserted: [ManagedObjectID] = []
  /// Objects with changed attributes or relationships.
  public internal(set) var updated: [ManagedObjectID] = []
  /// Deleted objects.
  public internal(set) var deleted: [ManagedObjectID] = []
  /// Objects whose row was released or read again.
  public internal(set) var refreshed: [ManagedObjectID] = []

  init(contextName: String?) { self.contextName = contextName }

  /// Whether nothing changed.
  public var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty }
}
