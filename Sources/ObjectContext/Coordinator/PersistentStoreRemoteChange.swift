public import Foundation
import StoreContract

/// Another process, or another coordinator in this one, committed to a store.
///
/// It does not say which objects changed; `ManagedObjectContext.mergeChanges(from:)` finds those
/// that a context has registered.
public struct PersistentStoreRemoteChange: Sendable, Hashable {
  /// The store's UUID.
  public let storeIdentifier: UUID

  /// Makes a change of a store, for `ManagedObjectContext.mergeChanges(from:)`: to merge what others
  /// committed whenever the program wants to.
  public init(storeIdentifier: UUID) { self.storeIdentifier = storeIdentifier }
}

extension PersistentStoreCoordinator {
  /// Reports commits of other processes and coordinators to the stores; several commits within a
  /// few milliseconds are reported once.
  ///
  /// Saves of this coordinator's own contexts are not reported: those are in `didSaveObjects()`.
  ///
  /// The stores' files are watched from the first call on, until they are closed. Without writes
  /// this costs nothing. Each burst of writes, also by this coordinator, costs a few reads of a
  /// counter, without a statement or a page read. Stores that detect no changes
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
