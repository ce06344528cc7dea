import Foundation
import ObjectModel
import StoreContract

/// What no rule tells of a store's tables: the numbers of its entities, and which side names a join
/// table.
///
/// An import leaves it in the new store's metadata, for an export with the same model.
struct SourceLayout: Codable {
  /// The numbers by the names of the entities.
  var numbers: [String: Int64] = [:]
  /// The tables by `Entity.relationship`.
  var joinTables: [String: String] = [:]

  init(_ layout: AppleLayout) {
    for entity in layout.model.entities {
      numbers[entity.name] = layout.numbers[entity.index]
      for relationship in entity.relationships
      where relationship.entity === entity && relationship.inverse?.isToMany == true {
        joinTables["\(entity.name).\(relationship.name)"] = layout.links(of: relationship)?.table
      }
    }
  }

  init?(_ text: String?) {
    guard let text, let layout = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)) else {
      return nil
    }
    self = layout
  }

  var text: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}
