public import Foundation
import ObjectModel

/// The names of the store's own metadata, as in Core Data.
///
/// A program's own names are stored beside them; what it sets for one of these is ignored.
public enum StoreMetadata {
  /// The store's UUID.
  public static let uuid = "NSStoreUUID"
  /// The name its type is registered under.
  public static let type = "NSStoreType"
  /// The version hash of each entity, in Base64 by the entity's name: a JSON object.
  public static let modelVersionHashes = "NSStoreModelVersionHashes"
  /// The program's names for the version of the model: a JSON list.
  public static let modelVersionIdentifiers = "NSStoreModelVersionIdentifiers"

  private static let own: Set<String> = [uuid, type, modelVersionHashes, modelVersionIdentifiers]

  /// The program's metadata without the store's own: the part that a store has to save.
  public static func programs(_ metadata: [String: String]) -> [String: String] {
    metadata.filter { !own.contains($0.key) }
  }

  /// The program's metadata with the store's own: what a store returns.
  ///
  /// - Parameters:
  ///   - programs: What the program stored.
  ///   - store: The store that returns them.
  ///   - versionIdentifiers: Those of the store's model.
  /// - Returns: Both, by their names.
  public static func whole(
    _ programs: [String: String], of store: some IncrementalStore, versionIdentifiers: [String] = []
  ) -> [String: String] {
    var whole = programs
    whole[uuid] = store.identifier.uuidString
    whole[type] = Swift.type(of: store).storeType
    let hashes = store.storeEntities.map { ($0.entity.name, $0.entity.versionHash.base64EncodedString()) }
    whole[modelVersionHashes] = json(Dictionary(hashes) { first, _ in first })
    whole[modelVersionIdentifiers] = json(versionIdentifiers)
    return whole
  }

  private static func json(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}

extension IncrementalStore {
  /// The version hash of each entity of the store's model, by the entity's name.
  public var entityVersionHashes: [String: Data] {
    Dictionary(storeEntities.map { ($0.entity.name, $0.entity.versionHash) }) { first, _ in first }
  }
}
