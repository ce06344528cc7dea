import Foundation
import ObjectModel
import StoreContract

/// Copies a store as it is into a schema of its own, where it can be opened.
struct ServerStoreCopy {
  private let connection: ServerConnection
  private let name: String
  private let schema: ServerSchema

  init(_ connection: ServerConnection, of name: String, _ schema: ServerSchema) {
    (self.connection, self.name, self.schema) = (connection, name, schema)
  }

  /// Makes the copy in a new schema.
  /// - Throws: `readOnly` where the server does not let the user make a schema.
  func make(as copy: String) throws {
    try ServerSchemaName(connection).create(copy)
    try connection.execute("SET LOCAL search_path TO \(copy.quoted)")
    try connection.execute((ServerMetadata.creation + schema.tableCreation).joined(separator: ";"))
    try connection.execute("DELETE FROM _history")
    for table in ServerMetadata.tables { try fill(table, ["*"]) }
    for root in schema.roots {
      let table = schema.table(root)
      try fill(table.name, ["_id", "_entity", "_version"] + table.columns.map(\.name.quoted))
    }
    for links in schema.orderedLinks {
      try fill(links.name, ["_source", "_target", "_position", "_inverse_position"])
    }
    try connection.execute(
      schema.indexes.map(\.creation).joined(separator: ";")
        + ";SET LOCAL search_path TO \(name.quoted)")
  }

  private func fill(_ table: String, _ columns: [String]) throws {
    let list = columns.joined(separator: ", ")
    let names = columns == ["*"] ? "" : " (\(list))"
    try connection.execute(
      "INSERT INTO \(table.quoted)\(names) SELECT \(list) FROM \(name.quoted).\(table.quoted)")
  }
}
