public import StoreContract

extension PersistentStoreCoordinator {
  /// What a store says of itself, by the names of `StoreMetadata`, and the program's own metadata.
  ///
  /// Issues no statement.
  public func metadata(for store: any IncrementalStore) -> [String: String] {
    StoreMetadata.whole(
      store.metadata, of: store, versionIdentifiers: managedObjectModel.declaration.versionIdentifiers)
  }

  /// Stores the program's own metadata of a store, in place of what it had, in a transaction of its
  /// own.
  ///
  /// What the store says of itself stays as it is. One statement on a table.
  /// - Throws: `noStore` when the store does not belong to this coordinator; `StoreError`.
  public func setMetadata(_ metadata: [String: String], for store: any IncrementalStore) throws {
    _ = try entities(of: store)
    var save = SaveChangesRequest()
    save.metadata = StoreMetadata.programs(metadata)
    try writing.shared { try store.save(save) }
  }
}
