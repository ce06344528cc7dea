import ObjectModel
import StoreContract

/// How new rows of an entity's objects are written.
final class ServerInsertion: Sendable {
  let table: ServerTable
  /// Of the entity's fields, in their order.
  let columns: [ServerTable.Column]
  /// The table with the columns of a row: the number, the entity, the version, and those of the fields.
  let target: String
  /// Inserts rows whose numbers, versions and fields are arrays.
  let statement: String
  /// Inserts a row whose number, version and fields are parameters.
  let single: String

  /// The end of these statements by which they return the numbers that were not taken: one that is was
  /// stored again by another context.
  static let unlessTaken = " ON CONFLICT (_id) DO NOTHING RETURNING _id"

  init(_ entity: EntityDescription, _ schema: ServerSchema) {
    table = schema.table(entity)
    columns = table.columns(of: entity)
    let names = ["_id", "_entity", "_version"] + columns.map(\.name.quoted)
    target = "\(table.name.quoted) (\(names.joined(separator: ", ")))"
    let types = ["bigint[]", "bigint[]"] + columns.map(\.type.arrayName)
    let arrays = types.enumerated().map { "$\($0 + 1)::\($1)" }
    let aliases = ["id", "version"] + columns.indices.map { "c\($0)" }
    let terms =
      ["v.id", String(schema.number(entity)), "v.version"]
      + columns.enumerated().map { $1.type.cast("v.c\($0)") }
    statement =
      "INSERT INTO \(target) SELECT \(terms.joined(separator: ", ")) FROM"
      + " unnest(\(arrays.joined(separator: ", "))) AS v(\(aliases.joined(separator: ", ")))"
    // Arrays of one element take the server longer.
    let parameters = columns.enumerated().map { $1.type.parameter($0 + 3) }
    let values = ["$1", String(schema.number(entity)), "$2"] + parameters
    single = "INSERT INTO \(target) VALUES (\(values.joined(separator: ", ")))"
  }
}
