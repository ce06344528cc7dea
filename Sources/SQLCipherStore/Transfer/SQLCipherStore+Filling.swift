package import ObjectModel
package import StoreContract

extension SQLCipherStore {
  /// Makes a store whose contents come from elsewhere: whole under its name, or not at all.
  ///
  /// - Parameters:
  ///   - description: Where the store is to be, and who gets its key.
  ///   - model: Its model.
  ///   - contents: Writes the rows and links.
  ///   - check: Reads the store before it has its name.
  /// - Throws: `StoreError`: `fileExists` when there is a file already; what making a store throws,
  ///   and what the closures throw. There is then neither a file nor a key.
  package static func create(
    _ description: PersistentStoreDescription, _ model: ManagedObjectModel,
    contents: @escaping (StoreFiller) throws -> Void,
    check: ((any IncrementalStore) throws -> Void)? = nil
  ) async throws {
    let path = description.url?.path ?? ""
    guard case .missing(let place) = try StoreFile.state(path, waiting: description.busyTimeoutMilliseconds)
    else { throw occupied(path) }
    let creation = StoreCreation(
      description: description, path: place,
      contents: { connection, schema in
        try connection.transaction(.immediate) {
          let filler = StoreFiller(connection, schema)
          try contents(filler)
          try filler.finish()
          try HistoryContents(connection, schema).record()
        }
      }, check: check)
    guard let opened = try await creation.run(model, over: nil) else { throw occupied(path) }
    opened.pool.close()
  }

  private static func occupied(_ path: String) -> StoreError {
    StoreError(.fileExists, "there is a file at \(path) already; give the new store another name")
  }
}
