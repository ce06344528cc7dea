public import ObjectModel
public import StoreContract

/// A model, its coordinator, its store and a context for the main actor, in one.
public final class PersistentContainer: Sendable {
  /// The container's name.
  public let name: String
  /// The coordinator.
  public let coordinator: PersistentStoreCoordinator
  /// Where and how the store is opened.
  public let storeDescription: PersistentStoreDescription

  /// Makes a container; `load()` opens its store.
  public init(name: String, model: ManagedObjectModel, storeDescription: PersistentStoreDescription) {
    self.name = name
    self.storeDescription = storeDescription
    coordinator = PersistentStoreCoordinator(model: model)
  }

  /// The model.
  public var model: ManagedObjectModel { coordinator.model }

  /// Opens the store, or makes it when the description allows.
  /// - Throws: `StoreError` and the vault's errors, each saying what to do; nothing is changed then.
  public func load() async throws { try await coordinator.addStore(storeDescription) }

  /// Closes the store.
  /// - Throws: whatever the store throws.
  public func close() throws { try coordinator.removeStore() }

  /// A new context, for the isolation that calls. Make one for each task; keep one on the main actor for what is
  /// shown.
  public func newContext() -> ManagedObjectContext { ManagedObjectContext(coordinator) }

  /// Runs work on a context of its own off the calling actor.
  /// - Throws: what the work throws.
  public func performBackgroundTask<R: Sendable>(
    _ body: @Sendable (ManagedObjectContext) throws -> R
  ) async throws -> R {
    try await Self.concurrently { try body(self.newContext()) }
  }

  @concurrent
  private static func concurrently<R: Sendable>(_ body: @Sendable () throws -> R) async throws -> R {
    try body()
  }
}
