import Foundation
import StrongroomData

/// The table of an entity: a column for each attribute and to-one, and for each to-many that no to-one at the
/// other end says.
struct SQLiteTable {
  struct Column {
    let name: String
    /// Never of what a transformer makes, which compares with nothing.
    let type: Any.Type
    var isToMany = false
    var isToOne = false
  }

  /// A to-many that the to-ones of another table say.
  struct Inverse {
    let name: String
    let destination: String
    let column: String
  }

  let name: String
  /// The entity itself and those it inherits from.
  let kinds: [String]
  private(set) var columns: [Column] = []
  private(set) var inverses: [Inverse] = []
  /// Whether deleting a model takes more than the row and the to-ones that lead to it.
  private(set) var hasRules = false

  init(_ entity: Schema.Entity, _ schema: Schema) {
    name = entity.name
    var kinds = [entity.name]
    var next = entity.superentity
    while let parent = next {
      kinds.append(parent.name)
      next = parent.superentity
    }
    self.kinds = kinds
    for case let attribute as Schema.Attribute in entity.properties where !attribute.isTransient {
      let type = attribute.isTransformable ? Never.self : attribute.valueType
      columns.append(Column(name: attribute.name, type: type))
    }
    for case let relationship as Schema.Relationship in entity.properties {
      let back = relationship.inverseName.flatMap {
        schema.entitiesByName[relationship.destination]?.relationshipsByName[$0]
      }
      if relationship.deleteRule != .nullify { hasRules = true }
      if relationship.isToOneRelationship {
        columns.append(Column(name: relationship.name, type: relationship.valueType, isToOne: true))
      } else if let back, back.isToOneRelationship {
        inverses.append(
          Inverse(name: relationship.name, destination: relationship.destination, column: back.name))
      } else {
        hasRules = true
        columns.append(Column(name: relationship.name, type: relationship.valueType, isToMany: true))
      }
    }
  }

  private var names: String { (["_id"] + columns.map(\.name)).map { "\"\($0)\"" }.joined(separator: ", ") }

  var creation: String {
    let list = ["_id INTEGER PRIMARY KEY"] + columns.map { "\"\($0.name)\"" }
    return "CREATE TABLE IF NOT EXISTS \"\(name)\" (\(list.joined(separator: ", ")))"
  }
  var selection: String { "SELECT \(names) FROM \"\(name)\"" }
  var replacement: String {
    let places = Array(repeating: "?", count: columns.count + 1).joined(separator: ", ")
    return "INSERT OR REPLACE INTO \"\(name)\" (\(names)) VALUES (\(places))"
  }
}
