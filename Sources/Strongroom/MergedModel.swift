/// Opens a store with its stored model, changed by the caller, so that entities of other programs
/// in the same file stay.
package enum MergedModel {
  private static let attempts = 20

  /// Opens the store, or creates it when there is no file.
  ///
  /// - Parameters:
  ///   - description: The store, with the vaults that hold its key.
  ///   - change: Adds the caller's entities to the stored model. Called again when another program
  ///     migrated the store first.
  /// - Returns: A container whose store is loaded.
  /// - Throws: what `change` throws, `StoreError` and the vaults' errors.
  package static func open(
    _ description: PersistentStoreDescription, _ change: @Sendable (inout ModelDeclaration) throws -> Void
  ) async throws -> PersistentContainer {
    var attempt = 0
    // Reading the stored model and opening with it read the vaults once.
    let known = KnownCipher()
    defer { known.end() }
    while true {
      attempt += 1
      var description = description
      description.knownCipher = known
      var model = ModelDeclaration(entities: [])
      if hasContent(description) {
        let stored = try await SQLCipherStore.storedModel(description)
        model = stored.declaration
        description.migratesOnlyFrom = stored.versionHash
      } else {
        // A program that creates the file first has a model that must be merged, not migrated.
        description.shouldMigrateStoreAutomatically = false
      }
      try change(&model)
      let container = PersistentContainer(
        managedObjectModel: try ManagedObjectModel(model), description: description)
      do {
        try await container.loadPersistentStores()
        return container
      } catch let error as StoreError where error.code == .modelMismatch && attempt < attempts {
        guard try await isChanged(description) else { throw error }
      }
    }
  }

  private static func hasContent(_ description: PersistentStoreDescription) -> Bool {
    guard let path = description.url?.path,
      let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber
    else { return false }
    return size.intValue > 0
  }

  /// Whether another program changed the store's model since it was read.
  private static func isChanged(_ description: PersistentStoreDescription) async throws -> Bool {
    try await SQLCipherStore.storedModel(description).versionHash != description.migratesOnlyFrom
  }
}
