public import ObjectModel
public import StoreContract

/// A model, its coordinator, its store and a context for the main actor, in one.
public final class PersistentContainer: Sendable {
  /// The container's name.
  public let name: String
  /// The coordinator.
  public let coordinator: PersistentStoreCoordinator
  /// Where and how the stores are opened.
  public let storeDescriptions: [PersistentStoreDescription]
  /// The first store's.
  public var storeDescription: PersistentStoreDescription { storeDescriptions[0] }

  /// Makes a container; `load()` opens its store.
  public init(name: String, model: ManagedObjectModel, storeDescription: PersistentStoreDescription) {
    self.name = name
    storeDescriptions = [storeDescription]
    coordinator = PersistentStoreCoordinator(model: model)
  }

  /// Makes a container of several stores, each with the entities of its description's `configuration`.
  /// - Precondition: There is one description at least.
  public init(name: String, model: ManagedObjectModel, storeDescriptions: [PersistentStoreDescription]) {
    precondition(!storeDescriptions.isEmpty, "a container needs a store")
    self.name = name
    self.storeDescriptions = storeDescriptions
    coordinator = PersistentStoreCoordinator(model: model)
  }

  /// The model.
  public var model: ManagedObjectModel { coordinator.model }

  /// Opens the stores, or makes them when their descriptions allow.
  /// - Throws: `StoreError`, `ContextError` for configurations that do not fit, and the vaults' errors, each saying what to do;
  ///   none is open then.
  public func load() async throws {
    do {
      for description in storeDescriptions { try await coordinator.addStore(description) }
    } catch {
      if storeDescriptions.count > 1 { try? coordinator.removeStore() }
      throw error
    }
  }

  /// Closes the stores.
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
