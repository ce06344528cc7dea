public import Foundation
import StoreContract

/// Somebody else committed to a store: another process, or another coordinator of this one.
///
/// It does not say which objects changed; `ManagedObjectContext.mergeChanges(from:)` finds out
/// about those that a context has registered.
public struct PersistentStoreRemoteChange: Sendable, Hashable {
  /// The store's UUID.
  public let storeIdentifier: UUID

  /// Makes a change of a store, for `ManagedObjectContext.mergeChanges(from:)`: to merge what others
  /// committed whenever the program wants to.
  public init(storeIdentifier: UUID) { self.storeIdentifier = storeIdentifier }
}

extension PersistentStoreCoordinator {
  /// Tells whenever others have committed to one of the stores since they were opened; several
  /// commits within a few milliseconds at once.
  ///
  /// Never tells saves of this coordinator's own contexts: those are in `didSaveObjects()`.
  ///
  /// The stores' files are watched from the first call on, until they are closed. While nobody
  /// writes to them, nothing is done. Each burst of writing, also by this coordinator, costs a few
  /// looks at a counter, which are no statements and read no page. Stores that cannot tell
  /// (`IncrementalStore.remoteChangeCount`) are not watched.
  public func remoteChanges() -> AsyncStream<PersistentStoreRemoteChange> {
    defer { watchStores() }
    return remoteStreams.stream()
  }

  func post(_ store: any IncrementalStore) {
    post(.committed(store: store.identifier), from: nil)
    remoteStreams.yield(PersistentStoreRemoteChange(storeIdentifier: store.identifier))
  }
}
