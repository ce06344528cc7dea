import Foundation
public import SQLCipherStore
public import StoreContract

/// What a comparison of a store of Core Data's with an encrypted one found.
public struct AppleStoreComparison: Sendable, Hashable {
  /// Something that the two do not have alike.
  public struct Difference: Sendable, Hashable, CustomStringConvertible {
    /// The entity.
    public let entity: String
    /// The object's key.
    public let key: Int64
    /// The property; nil for the object itself.
    public let property: String?
    /// What differs; never holds a stored value.
    public let message: String

    /// Where it is and what it is, in one line.
    public var description: String {
      "\([entity, property].compactMap { $0 }.joined(separator: ".")) of row \(key): \(message)"
    }
  }

  /// The number of objects compared.
  public internal(set) var objectCount = 0
  /// The number of values compared, links not counted.
  public internal(set) var valueCount = 0
  /// The number of bytes in binary and transformable values compared.
  public internal(set) var byteCount = 0
  /// The number of links compared.
  public internal(set) var linkCount = 0
  /// The number of differences.
  public internal(set) var differenceCount = 0
  /// The first hundred differences.
  public internal(set) var differences: [Difference] = []

  private static let mostDifferences = 100

  mutating func add(_ entity: String, _ key: Int64, _ property: String?, _ message: String) {
    differenceCount += 1
    if differences.count < Self.mostDifferences {
      differences.append(Difference(entity: entity, key: key, property: property, message: message))
    }
  }
}

extension AppleStore {
  /// Compares this store with the one that was made of it: every object, value, link and order.
  ///
  /// It reads both again, in another way than the import does. Where this store has a fault, what
  /// the import does about it is what is expected.
  /// - Parameters:
  ///   - description: The encrypted store, which must have this store's model.
  ///   - progress: Called now and then with the pages checked, then with the objects compared.
  /// - Returns: What was compared and what differs.
  /// - Throws: `AppleStoreError` and `StoreError` as opening and reading the two does;
  ///   `AppleStoreError.wrongModel` where the encrypted store has another model, `wrongSource` where
  ///   it was imported from another store.
  public func comparison(
    with description: PersistentStoreDescription,
    progress: @escaping @Sendable (StoreProgress) -> Void = { _ in }
  ) async throws -> AppleStoreComparison {
    try await StoreReader.read(description, progress: progress) { [self] reader in
      try AppleStoreError.translating(url.path) {
        try check(reader)
        var rows = RowComparison(self, reader, progress: progress)
        try rows.run()
        var links = LinkComparison(self, reader, rows.result)
        try links.run()
        return links.result
      }
    }
  }

  private func check(_ reader: StoreReader) throws {
    if let source = reader.metadata[ExportMetadata.uuidKey], source != metadata.identifier {
      throw AppleStoreError(.wrongSource, "the store was imported from another one than \(url.path)")
    }
    if let mark = reader.metadata[ExportMetadata.modelKey], mark != ExportMetadata.mark(reader.model) {
      throw AppleStoreError(
        .wrongModel, "the store has another model than \(url.path) by now; compare before it is migrated")
    }
    try ModelComparison.check(reader.model, isModelOf: url.path, model)
  }
}
