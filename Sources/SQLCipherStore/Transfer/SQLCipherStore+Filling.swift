package import ObjectModel
package import StoreContract

extension SQLCipherStore {
  /// Makes a store whose contents come from elsewhere: whole under its name, or not at all.
  ///
  /// - Parameters:
  ///   - description: Where the store is to be, and who gets its key.
  ///   - model: Its model.
  ///   - contents: Writes the rows and links.
  /// - Throws: `StoreError`: `fileExists` when there is a file already; what making a store throws,
  ///   and what the closure throws. There is then neither a file nor a key.
  package static func create(
    _ description: PersistentStoreDescription, _ model: ManagedObjectModel,
    contents: @escaping (StoreFiller) throws -> Void
  ) async throws {
    let path = description.url?.path ?? ""
    guard case .missing(let place) = try StoreFile.state(path, waiting: description.busyTimeoutMilliseconds)
    else { throw occupied(path) }
    let creation = StoreCreation(description: description, path: place) { connection, schema in
      try connection.transaction(.immediate) {
        let filler = StoreFiller(connection, schema)
        try contents(filler)
        try filler.finish()
        try HistoryContents(connection, schema).record()
      }
    }
    guard let opened = try await creation.run(model, over: nil) else { throw occupied(path) }
    opened.pool.close()
  }

  private static func occupied(_ path: String) -> StoreError {
    StoreError(.fileExists, "there is a file at \(path) already; give the new store another name")
  }
}
