import CipherDatabase
public import Foundation
import KeyedArchive

/// What a store of Core Data's says of itself.
public struct AppleStoreMetadata: Sendable {
  /// The store's UUID.
  public let identifier: String
  /// The version of the framework that wrote it last, where it says so.
  public let frameworkVersion: Int?
  /// The version hashes of its model's entities.
  public let versionHashes: [String: Data]
  /// The program's own entries, those that are text.
  public let entries: [String: String]
  /// All of it, as the store has it.
  let propertyList: Data

  init(_ database: PlainDatabase) throws {
    let query = try database.query("SELECT Z_UUID, Z_PLIST FROM Z_METADATA")
    guard try query.step() else {
      throw AppleStoreError(
        .notAStore, "\(database.path) does not describe itself: its table Z_METADATA is empty")
    }
    identifier = query.text(0)
    propertyList = Data(query.bytes(1))
    let list = try PropertyListValue(binaryPropertyList: propertyList)
    guard case .dictionary(let fields) = list else {
      throw AppleStoreError(.fileDamaged, "\(database.path) does not describe itself in a dictionary")
    }
    if case .integer(let version)? = fields["NSPersistenceFrameworkVersion"] {
      frameworkVersion = Int(version)
    } else {
      frameworkVersion = nil
    }
    var hashes: [String: Data] = [:]
    if case .dictionary(let found)? = fields["NSStoreModelVersionHashes"] {
      for case (let name, .data(let hash)) in found { hashes[name] = hash }
    }
    versionHashes = hashes
    var entries: [String: String] = [:]
    for case (let name, .string(let text)) in fields where !name.hasPrefix("NS") && !name.hasPrefix("_") {
      entries[name] = text
    }
    self.entries = entries
  }
}
