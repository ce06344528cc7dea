import ObjectContext
public import ObjectModel
public import StoreContract

extension MigrationManager {
  /// Fills a store of the new version of a model from a store of the old version, of any kind.
  ///
  /// The old store is only read. Works through the objects in batches, five statements or so for
  /// each; a save for each batch.
  /// - Parameters:
  ///   - source: The old store.
  ///   - sourceModel: The version that it has.
  ///   - destination: The new store, which is made where its description allows.
  ///   - destinationModel: The version that it is to have.
  ///   - mapping: The mapping model.
  ///   - progress: Called with how far the migration is, from 0 to 1.
  /// - Throws: `MappingModelError`, what policies throw, and as opening and saving do; what was made
  ///   of the new store is to be removed by the caller.
  public static func migrateStore(
    _ source: PersistentStoreDescription, of sourceModel: ManagedObjectModel,
    to destination: PersistentStoreDescription, of destinationModel: ManagedObjectModel,
    with mapping: MappingModel, progress: @escaping @Sendable (Double) -> Void = { _ in }
  ) async throws {
    let old = PersistentContainer(
      name: "source", managedObjectModel: sourceModel, persistentStoreDescription: source)
    let new = PersistentContainer(
      name: "destination", managedObjectModel: destinationModel, persistentStoreDescription: destination)
    do {
      try await old.loadPersistentStores()
      try await new.loadPersistentStores()
      try run(mapping, from: old, to: new, progress)
    } catch {
      try? new.close()
      try? old.close()
      throw error
    }
    try new.close()
    try old.close()
  }

  private static func run(
    _ mapping: MappingModel, from old: PersistentContainer, to new: PersistentContainer,
    _ progress: @escaping @Sendable (Double) -> Void
  ) throws {
    let manager = try MigrationManager(
      mapping, from: old.newContext(isolation: nil), to: new.newContext(isolation: nil))
    try manager.run(progress)
  }
}
