import ObjectModel
import StoreContract

/// How new rows of an entity's objects are written.
final class ServerInsertion: Sendable {
  let table: ServerTable
  /// Of the entity's fields, in their order.
  let columns: [ServerTable.Column]
  /// The table with the columns of a row: the number, the entity, the version, and those of the fields.
  let target: String
  /// Inserts rows whose numbers, versions and fields are arrays, unless their numbers are taken, and returns
  /// these numbers: one that is missing was stored again by another context.
  let statement: String
  /// The same for a row whose number, version and fields are parameters.
  let single: String
  /// Inserts rows as `statement`, and ends the transaction where they are not as many as the last parameter
  /// says.
  let expectedStatement: String
  /// Inserts a row as `single`, and ends the transaction where it is not inserted.
  let expectedSingle: String

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
    let several =
      "INSERT INTO \(target) SELECT \(terms.joined(separator: ", ")) FROM"
      + " unnest(\(arrays.joined(separator: ", "))) AS v(\(aliases.joined(separator: ", ")))"
    // Arrays of one element take the server longer.
    let parameters = columns.enumerated().map { $1.type.parameter($0 + 3) }
    let values = ["$1", String(schema.number(entity)), "$2"] + parameters
    let one = "INSERT INTO \(target) VALUES (\(values.joined(separator: ", ")))"
    let unlessTaken = " ON CONFLICT (_id) DO NOTHING RETURNING _id"
    (statement, single) = (several + unlessTaken, one + unlessTaken)
    expectedStatement = ServerSave.expecting(several + " RETURNING _id", count: types.count + 1)
    expectedSingle = ServerSave.expecting(one + " RETURNING _id", count: types.count + 1)
  }
}
