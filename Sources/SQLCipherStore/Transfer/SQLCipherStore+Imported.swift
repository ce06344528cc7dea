package import ObjectModel
package import StoreContract

extension SQLCipherStore {
  /// The entry of a store's metadata in which an import leaves which version of the model it came
  /// with.
  package static let importedModelKey = "apple.model"

  /// The model of a store that has the one that it was imported with; nil for any other store.
  ///
  /// - Throws: `StoreError` as `storedModel(_:)`.
  package static func importedModel(
    _ description: PersistentStoreDescription
  ) async throws -> ManagedObjectModel? {
    try await StoreOpening.reading(description) { connection, _ in
      let table = StoreTable(connection)
      let model = try table.model()
      let mark = try table.contents(model)?.metadata[importedModelKey]
      return mark == model.versionHash.base64EncodedString() ? model : nil
    }
  }
}
