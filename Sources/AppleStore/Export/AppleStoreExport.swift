import AppleModel
import CipherDatabase
public import Foundation
import KeyedArchive
import ObjectModel
public import SQLCipherStore
public import StoreContract

/// Writes a store as one that Core Data opens: readable by anybody.
public enum AppleStoreExport {
  /// What an export wrote, and what it could not say.
  public struct Summary: Sendable, Hashable {
    /// The number of objects.
    public internal(set) var objectCount = 0
    /// The number of links: of to-one relationships, and of the to-many ones without a to-one inverse.
    public internal(set) var linkCount = 0
    /// Whether Core Data's own hashes of the model's entities are known, as of a store that was
    /// imported and has its model still.
    ///
    /// Core Data takes a store with other hashes for one of an older model and migrates it: the
    /// container must infer the mapping.
    public internal(set) var hasVersionHashes = false
    /// What Core Data has no place for, one sentence each.
    public internal(set) var notes: [String] = []
  }

  /// Makes an unencrypted store of Core Data's of an encrypted one, which stays as it is.
  ///
  /// The new file has its name once it is whole. Objects keep their reference numbers as keys. Memory
  /// does not grow with the number of objects. Decimals become floating-point numbers, as Core Data
  /// stores them.
  /// - Parameters:
  ///   - description: The encrypted store.
  ///   - url: The new file.
  ///   - progress: Called now and then with the pages checked, then with the number of objects
  ///     written.
  /// - Returns: What was written.
  /// - Throws: `StoreError`: `fileExists`, `diskFull`, `cancelled`, and as opening and reading the
  ///   encrypted store does; `AppleStoreError.unsupportedModel` for entities that Core Data would give
  ///   one table; `AppleModelError` for a model that cannot be archived. There is no new file then.
  public static func write(
    _ description: PersistentStoreDescription, to url: URL,
    progress: @escaping @Sendable (StoreProgress) -> Void = { _ in }
  ) async throws -> Summary {
    try await StoreReader.read(description, progress: progress) { reader in
      let writer = try ExportWriter(reader, url.path, progress: progress)
      return try writer.write()
    }
  }
}
