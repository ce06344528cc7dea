import ObjectModel
import StoreContract

/// Where the values of an entity's objects, and of its subentities', are in the rows that a statement
/// selects.
final class ServerRowLayout: Sendable {
  /// Of the objects of one entity.
  struct Fields: Sendable {
    let entity: EntityDescription
    let columns: [(field: Int, type: ServerType, column: Int)]
  }

  let table: ServerTable
  /// What a statement selects of a table `r`: the number, the entity, the version, and the columns.
  let selection: String
  /// Selects the row of a number; without the condition on the version of the model in a moment.
  let byNumber: String
  let byNumberInMoment: String
  /// The types of what is selected.
  let types: [ServerType]
  /// Whether a row of a known version may have other values: derived ones change without it.
  let hasDerived: Bool
  private let fields: [Int64: Fields]

  init(_ entity: EntityDescription, _ schema: ServerSchema) {
    table = schema.table(entity)
    var columns: [ServerTable.Column] = []
    var places: [String: Int] = [:]
    var fields: [Int64: Fields] = [:]
    for entity in entity.hierarchy {
      let own = table.columns(of: entity)
      for column in own where places[column.name] == nil {
        places[column.name] = 3 + columns.count
        columns.append(column)
      }
      fields[schema.number(entity)] = Fields(
        entity: entity, columns: own.enumerated().map { ($0, $1.type, places[$1.name] ?? 0) })
    }
    self.fields = fields
    selection =
      (["r._id", "r._entity", "r._version"] + columns.map { $0.type.selection("r.\($0.name.quoted)") })
      .joined(separator: ", ")
    let from = "SELECT \(selection) FROM \(table.name.quoted) r WHERE"
    byNumber = "\(from) \(schema.versionCheck) AND r._id = $1::bigint"
    byNumberInMoment = "\(from) r._id = $1::bigint"
    types = [.number, .number, .number] + columns.map(\.type)
    hasDerived = entity.hierarchy.contains { $0.attributes.contains { $0.derivation != nil } }
  }

  /// Where the values of an entity with a number are; nil where it is not of the hierarchy.
  func fields(ofEntity number: Int64) -> Fields? { fields[number] }
}
