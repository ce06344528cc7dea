import AppleModel
import CipherDatabase
public import Foundation
import KeyedArchive
public import ObjectModel

/// A store that Core Data or SwiftData wrote, opened for reading.
///
/// The file and its folder are not changed. Not Sendable.
public final class AppleStore {
  /// The store's file.
  public let url: URL
  /// What the store says of itself.
  public let metadata: AppleStoreMetadata
  /// The model: the store's own, or the one given.
  public let model: ManagedObjectModel
  /// What the archived model says and no model here can, one sentence each.
  public let notes: [String]
  /// What the store has that its model does not explain, and what it lacks.
  public var layoutFaults: [AppleStoreFault] { layout.faults }

  let database: PlainDatabase
  let layout: AppleLayout

  /// Opens a store.
  ///
  /// Reads the file; one with a log is copied into `scratch` first, since the log may have rows
  /// that the file has not.
  /// - Parameters:
  ///   - url: The store's file.
  ///   - given: The model of a store that has none in it, as those of before 2015; one of any other
  ///     store must be the same as its own.
  ///   - scratch: A folder that only its owner should be able to read; the system's unless given.
  /// - Throws: `AppleStoreError`; `ModelError` for a model that is not valid.
  public init(url: URL, model given: ManagedObjectModel? = nil, scratch: URL? = nil) throws {
    self.url = url
    let path = url.path
    let folder = (scratch ?? FileManager.default.temporaryDirectory).path
    (database, metadata, model, notes, layout) = try AppleStoreError.translating(path) {
      let database = try PlainDatabase(path: path, scratch: folder)
      let tables = try database.tables()
      guard tables["Z_METADATA"] != nil, tables["Z_PRIMARYKEY"] != nil else {
        throw AppleStoreError(
          .notAStore, "\(path) is a SQLite database, but no store of Core Data's: it has no table Z_METADATA")
      }
      let metadata = try AppleStoreMetadata(database)
      let own = tables["Z_MODELCACHE"] == nil ? nil : try Self.archivedModel(database)
      guard let model = try own?.managedObjectModel() ?? given else {
        throw AppleStoreError(
          .noModel,
          "\(path) has no model in it, as stores of before 2015; give its model (.xcdatamodeld or .mom)")
      }
      if let given, own != nil { try ModelComparison.check(given, isModelOf: path, model) }
      let layout = try AppleLayout(model, tables, database)
      return (database, metadata, model, own?.notes.map(\.description) ?? [], layout)
    }
  }

  private static func archivedModel(_ database: PlainDatabase) throws -> AppleModel? {
    let query = try database.query("SELECT Z_CONTENT FROM Z_MODELCACHE")
    guard try query.step(), query.kind(0) == .blob else { return nil }
    return try AppleModel(modelCache: Data(query.bytes(0)))
  }
}
