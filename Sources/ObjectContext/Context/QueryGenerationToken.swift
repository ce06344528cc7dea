import Foundation
import ObjectModel
import StoreContract

/// One moment of the stores, which contexts can be pinned to: they read what was stored then, whatever others save.
///
/// Sendable: a generation taken from one context pins others. The encrypted store holds its moment by a read
/// transaction of its own: while it is held, the write-ahead log is not cut, so let go of generations in time.
public final class QueryGenerationToken: Sendable {
  /// Stands for the moment at which a context is pinned to it.
  public static let current = QueryGenerationToken()

  let coordinator: PersistentStoreCoordinator?
  private let snapshots: [UUID: any IncrementalStore]

  private init() {
    coordinator = nil
    snapshots = [:]
  }

  /// Takes a moment of each open store.
  init(of coordinator: PersistentStoreCoordinator) throws {
    self.coordinator = coordinator
    var moments: [UUID: any IncrementalStore] = [:]
    for store in coordinator.persistentStores { moments[store.identifier] = try store.snapshot() }
    self.snapshots = moments
  }
}

extension QueryGenerationToken: RoutedSource {
  func persistentStore(for entity: EntityDescription) throws -> any IncrementalStore {
    try snapshot(of: now.persistentStore(for: entity))
  }

  func store(forEntityNamed name: String) throws -> any IncrementalStore {
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
        .noStore, "the store was added after the context was pinned; pin it anew, or unpin it with nil")
    }
    return moment
  }
}

extension ManagedObjectContext {
  /// The moment this context reads; nil while it reads what is stored now.
  public var queryGenerationToken: QueryGenerationToken? { source as? QueryGenerationToken }

  /// Pins this context to a moment: `QueryGenerationToken.current` for now, one taken from another context for its, nil for
  /// what is stored whenever it reads. Unchanged objects turn into faults. A statement or two a store for `current`.
  ///
  /// Saving writes to the stores as they are now, where what others changed since is a conflict as ever; then this
  /// context is pinned to what it saved. Merging pins it anew too.
  /// - Throws: `StoreError` with code `unsupportedRequest` when a store cannot keep a moment; `foreignObject` for a moment
  ///   of another coordinator, and in a child context, which reads what its parent does.
  public func setQueryGenerationFrom(_ generation: QueryGenerationToken?) throws {
    guard parent == nil else {
      throw ContextError(
        .objectOfAnotherContext, "a child context reads what its parent does; pin the parent")
    }
    if let generation {
      let pinned =
        generation === QueryGenerationToken.current
        ? try QueryGenerationToken(of: persistentStoreCoordinator) : generation
      guard pinned.coordinator === persistentStoreCoordinator else {
        throw ContextError(.objectOfAnotherContext, "the moment is of another coordinator's stores")
      }
      source = pinned
    } else {
      source = persistentStoreCoordinator
    }
    refreshAllObjects()
    notifications.markStale()
    endEvent()
  }

  /// Moves on to what is stored now, after this context saved or merged.
  func renewQueryGeneration() throws {
    if queryGenerationToken == nil { return }
    source = try QueryGenerationToken(of: persistentStoreCoordinator)
    // What was not there yet may be there now.
    for object in registry.objects where object.state.contains(.deletedInStore) && object.node?.version == 0 {
      turnBackIntoFault(object)
    }
    notifications.markStale()
  }
}
