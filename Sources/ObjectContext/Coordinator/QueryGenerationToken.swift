import Foundation
package import ObjectModel
package import StoreContract

/// A state of the stores that contexts can be pinned to: they read what was stored then, whatever
/// others save.
///
/// Sendable: a generation taken from one context pins others. The encrypted store has a read
/// transaction open for each: meanwhile the write-ahead log grows, so release generations in time.
public final class QueryGenerationToken: Sendable {
  /// Stands for the state at the time a context is pinned to it.
  public static let current = QueryGenerationToken()

  let coordinator: PersistentStoreCoordinator?
  private let snapshots: [UUID: any IncrementalStore]

  private init() {
    coordinator = nil
    snapshots = [:]
  }

  /// Takes a snapshot of each open store.
  init(of coordinator: PersistentStoreCoordinator) throws {
    self.coordinator = coordinator
    var moments: [UUID: any IncrementalStore] = [:]
    for store in coordinator.persistentStores { moments[store.identifier] = try store.snapshot() }
    self.snapshots = moments
  }
}

extension QueryGenerationToken: RoutedSource {
  package func persistentStore(for entity: EntityDescription) throws -> any IncrementalStore {
    try snapshot(of: now.persistentStore(for: entity))
  }

  package func store(forEntityNamed name: String) throws -> any IncrementalStore {
    try snapshot(of: now.store(forEntityNamed: name))
  }

  private var now: PersistentStoreCoordinator {
    get throws {
      guard let coordinator else { throw ContextError(.noStore, "no moment was taken yet") }
      return coordinator
    }
  }

  private func snapshot(of store: any IncrementalStore) throws -> any IncrementalStore {
    guard let moment = snapshots[store.identifier] else {
      throw ContextError(
        .noStore,
        "the store was added after the context was pinned; pin the context again, or unpin it with nil")
    }
    return moment
  }
}
