import AppleModel
import CipherDatabase
import Foundation
import KeyedArchive
import ObjectModel
import SQLCipherStore

/// What a store of Core Data's says of itself.
///
/// A store that was imported, and has its model still, says what the source said. Of any other, Core
/// Data's hashes of the model's entities are not known: how it makes them is not published.
struct ExportMetadata {
  /// The entries of a store's metadata in which an import leaves what the source said.
  static let sourceKey = "apple.metadata"
  static let uuidKey = "apple.uuid"
  static let modelKey = SQLCipherStore.importedModelKey
  static let layoutKey = "apple.layout"

  private let uuid: String
  private let source: Data?
  /// Where the source had its tables.
  let layout: SourceLayout?
  private let model: ManagedObjectModel

  init(_ reader: StoreReader) {
    model = reader.model
    let entries = reader.metadata
    uuid = entries[Self.uuidKey] ?? UUID().uuidString
    let isSame = entries[Self.modelKey] == Self.mark(reader.model)
    layout = isSame ? SourceLayout(entries[Self.layoutKey]) : nil
    source = isSame ? entries[Self.sourceKey].flatMap { Data(base64Encoded: $0) } : nil
  }

  /// What marks a model's version.
  static func mark(_ model: ManagedObjectModel) -> String { model.versionHash.base64EncodedString() }

  var hasVersionHashes: Bool { source != nil }

  func write(to database: PlainDatabaseWriter, _ archive: AppleModelWriter) throws {
    let list = try source ?? made().binaryPropertyList()
    try database.run("INSERT INTO Z_METADATA VALUES (1, ?, ?)") { parameters in
      parameters.bind(1, uuid)
      list.withUnsafeBytes { parameters.bind(2, blob: $0, copy: true) }
    }
    let cache = try archive.modelCache()
    try database.run("INSERT INTO Z_MODELCACHE VALUES (?)") { parameters in
      cache.withUnsafeBytes { parameters.bind(1, blob: $0, copy: true) }
    }
  }

  /// Our own hashes stand for Core Data's: they have their form, and are another for each version.
  private func made() -> PropertyListValue {
    let hashes = model.entities.map { ($0.name, PropertyListValue.data($0.versionHash)) }
    return .dictionary([
      "NSStoreType": .string("SQLite"), "_NSAutoVacuumLevel": .string("2"),
      "NSStoreModelVersionIdentifiers": .array(model.declaration.versionIdentifiers.map { .string($0) }),
      "NSStoreModelVersionHashesVersion": .integer(3),
      "NSStoreModelVersionHashes": .dictionary(Dictionary(uniqueKeysWithValues: hashes)),
    ])
  }
}
