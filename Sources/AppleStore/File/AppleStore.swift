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
  /// What the archived model says and no model here can, what may be missing beside the file, and
  /// which values an import computes again; one sentence each.
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
  ///   - models: For a store that has no model in it, as those of before 2015, the versions of its
  ///     model, of which the one that fits is taken. For any other store one of them must be its own.
  ///   - scratch: A folder that only its owner should be able to read; the system's unless given.
  /// - Throws: `AppleStoreError`; `ModelError` for a model that is not valid.
  public init(url: URL, models: [ManagedObjectModel] = [], scratch: URL? = nil) throws {
    // The log and the external files lie beside the file, not beside a link to it.
    let file = url.resolvingSymlinksInPath()
    let path = file.path
    let folder = (scratch ?? FileManager.default.temporaryDirectory).path
    self.url = file
    (database, metadata, model, notes, layout) = try AppleStoreError.translating(path) {
      let database = try PlainDatabase(path: path, scratch: folder)
      let tables = try database.tables()
      for name in ["Z_METADATA", "Z_PRIMARYKEY"] where tables[name] == nil {
        throw AppleStoreError(
          .notAStore, "\(path) is a SQLite database, but no store of Core Data's: it has no table \(name)")
      }
      let metadata = try AppleStoreMetadata(database)
      let own = tables["Z_MODELCACHE"] == nil ? nil : try Self.archivedModel(database)
      let layout = try Self.layout(own?.managedObjectModel(), models, path, tables, database)
      let notes = (own?.notes.map(\.description) ?? []) + database.logNotes + Self.derivedNotes(layout.model)
      return (database, metadata, layout.model, notes, layout)
    }
  }

  private static func layout(
    _ own: ManagedObjectModel?, _ given: [ManagedObjectModel], _ path: String, _ tables: [String: [String]],
    _ database: PlainDatabase
  ) throws -> AppleLayout {
    if let own {
      let layout = try AppleLayout(own, tables, database)
      if !layout.isOfAnotherStore {
        try ModelComparison.check(given, haveModelOf: path, own)
        return layout
      }
      if given.isEmpty {
        throw AppleStoreError(
          .wrongModel,
          "the model in \(path) is of another store: it has none of its entities; give the store's own"
            + " (.xcdatamodeld or .mom)")
      }
    }
    return try ModelComparison.fittingLayout(given, of: path, tables, database)
  }

  private static func derivedNotes(_ model: ManagedObjectModel) -> [String] {
    model.entities.flatMap { entity in
      entity.attributes.filter { $0.entity === entity && $0.derivation != nil }.map {
        "\(entity.name).\($0.name) is derived: it is computed again, and compared by verify-import"
      }
    }
  }

  private static func archivedModel(_ database: PlainDatabase) throws -> AppleModel? {
    let query = try database.query("SELECT Z_CONTENT FROM Z_MODELCACHE")
    guard try query.step(), query.kind(0) == .blob else { return nil }
    return try AppleModel(modelCache: Data(query.bytes(0)))
  }
}
