package import ObjectModel

/// A kind of store that is made with rows and links from elsewhere: whole, or not at all.
package protocol FillableStore: IncrementalStore {
  /// Makes a store.
  ///
  /// - Parameters:
  ///   - description: Where it is to be. Nothing may be there yet.
  ///   - model: Its model.
  ///   - contents: Writes the rows and links.
  ///   - check: Reads the store before anybody else sees it.
  /// - Throws: `fileExists` where a store or a file is there already, and what the closures throw. There is
  ///   then no store.
  static func make(
    _ description: PersistentStoreDescription, _ model: ManagedObjectModel,
    contents: @escaping (any NewStoreContents) throws -> Void,
    check: @escaping (any IncrementalStore) throws -> Void
  ) async throws
}
