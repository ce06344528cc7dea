package import ObjectModel
package import StoreContract

extension SQLCipherStore: FillableStore {
  package static func make(
    _ description: PersistentStoreDescription, _ model: ManagedObjectModel,
    contents: @escaping (any NewStoreContents) throws -> Void,
    check: @escaping (any IncrementalStore) throws -> Void
  ) async throws {
    try await create(description, model, contents: contents, check: check)
  }
}

extension StoreFiller: NewStoreContents {
  package func link(
    _ relationship: RelationshipDescription, _ source: Int64, _ destination: Int64, position: Int64
  ) throws { try link(relationship, source, destination, position: position, inversePosition: 0) }

  package func endRows() throws {
    try finishRows()
    guard let first = refused.first else { return }
    throw StoreError(
      .notUnique,
      "\(refused.count.counted("object", "breaks", "break")) a uniqueness constraint of the model, first"
        + " \(first.entity.name) \(first.reference); nothing was made")
  }
}

extension SQLCipherStore: NumberedStore {
  package func lastNumber(of root: EntityDescription) throws -> Int64 {
    let opened = try open
    return try translating(path) {
      try opened.pool.read { try ReferenceSequence.last(root, $0, opened.schema) }
    }
  }
}
