import CipherDatabase
import LightweightMigration
import ObjectModel
import StoreContract

/// A file whose rows a migration counts and copies.
struct MigrationConnection: MigrationDatabase {
  typealias Schema = StoreSchema

  let connection: Connection
  /// The attributes that the program converts.
  private let converted: ConvertedColumns

  init(_ connection: Connection, _ converted: ConvertedColumns) {
    (self.connection, self.converted) = (connection, converted)
  }

  var columnLimit: Int { connection.columnLimit }

  func byteCount() throws -> Int {
    try 4096 * (connection.pageCount("page_count") - connection.pageCount("freelist_count"))
  }

  func parameter(_ place: Int, _ attribute: AttributeDescription) -> String { "?\(place)" }

  func insertion(into table: String, ofNew selection: String) -> String {
    "INSERT OR IGNORE INTO \(table) \(selection)"
  }

  /// The types of values are in the head of a row, so that long values are not read.
  func valueCount(_ column: String) -> String { "sum(typeof(\(column)) <> 'null')" }

  func conversion(
    _ column: String, to attribute: AttributeDescription, from was: AttributeDescription
  ) -> String? { converted.column(attribute, from: was).map { "\($0.function)(\(column))" } }

  func obstacle(to attribute: AttributeDescription, from was: AttributeDescription) -> String? {
    converted.column(attribute, from: was)?.reason.withLock { $0 }
  }

  func numbers(_ sql: String, _ defaults: MigrationDefaults) throws -> [[Int64]] {
    try withStatement(sql, defaults) { statement in
      var rows: [[Int64]] = []
      while try statement.step() {
        rows.append((0..<statement.columnCount).map { statement.int64(Int32($0)) })
      }
      return rows
    }
  }

  func execute(_ sql: String, _ defaults: MigrationDefaults) throws {
    try withStatement(sql, defaults) { try $0.run() }
  }

  /// Uses a statement with its default values, which are bound as a save binds them.
  func withStatement<R>(
    _ sql: String, _ defaults: MigrationDefaults, _ body: (Statement) throws -> R
  ) throws -> R {
    let statement = try connection.prepare(sql)
    var rows: [EntityDescription: (binding: NodeBinding, builder: NodeBuilder)] = [:]
    for (place, (attribute, entity)) in defaults.attributes.enumerated() {
      let row = try rows[entity] ?? Self.row(entity)
      rows[entity] = row
      row.binding.bind(attribute.field, of: row.builder, to: statement, at: Int32(place + 1))
    }
    // What is bound is in the rows' memory.
    return try withExtendedLifetime(rows) { try body(statement) }
  }

  private static func row(
    _ entity: EntityDescription
  ) throws -> (binding: NodeBinding, builder: NodeBuilder) {
    let builder = NodeBuilder()
    builder.begin(fieldCount: entity.fieldCount)
    for case .attribute(let attribute) in entity.storedFields {
      try builder.set(.attribute(attribute), attribute.defaultValue)
    }
    return (NodeBinding(entity), builder)
  }
}
