import LightweightMigration
import ObjectModel
import StoreContract

/// A server whose rows a migration counts and copies.
struct MigrationServer: MigrationDatabase {
  typealias Schema = ServerSchema

  let connection: ServerConnection
  /// The values that the program converted.
  var converted: ConvertedValues?
  /// Whether values are looked at that are to be sealed, rather than copied.
  var isSurveying = false

  /// `MaxHeapAttributeNumber` in PostgreSQL's sources.
  var columnLimit: Int { 1600 }

  func byteCount() throws -> Int {
    let rows = try connection.run(
      "SELECT coalesce(sum(pg_catalog.pg_total_relation_size(oid)), 0)::bigint FROM pg_class"
        + " WHERE relkind = 'r' AND relnamespace = (SELECT oid FROM pg_namespace"
        + " WHERE nspname = current_schema())")
    return Int(rows.number(0, 0))
  }

  /// An array of one, as a save sends its values.
  func parameter(_ place: Int, _ attribute: AttributeDescription) -> String {
    let type = ServerType(.attribute(attribute))
    return type.cast("($\(place)::\(type.arrayName))[1]")
  }

  func insertion(into table: String, ofNew selection: String) -> String {
    "INSERT INTO \(table) \(selection) ON CONFLICT DO NOTHING"
  }

  func valueCount(_ column: String) -> String { "pg_catalog.count(\(column))" }

  /// Empty bytes for a value that the program is to seal, which no sealed value is; in a survey what is equal
  /// where the values are.
  func conversion(
    _ column: String, to attribute: AttributeDescription, from was: AttributeDescription
  ) -> String? {
    if let known = converted?.value(attribute, from: was) { return known }
    if attribute.sealing == nil, was.sealing == nil { return nil }
    if obstacle(to: attribute, from: was) != nil { return "NULL" }
    if isSurveying { return comparable(column, was) }
    if attribute.sealing == was.sealing { return nil }
    return "CASE WHEN \(column) IS NULL THEN NULL ELSE ''::bytea END"
  }

  /// Of values that are sealed without equality each looks unlike all others: of those the constraint itself
  /// says whether they are unique.
  private func comparable(_ column: String, _ was: AttributeDescription) -> String {
    switch was.sealing {
    case nil: "pg_catalog.convert_to(\(column)::text, 'UTF8')"
    case .equality: ServerTable.Column.equality(column)
    case .full: column
    }
  }

  func obstacle(to attribute: AttributeDescription, from was: AttributeDescription) -> String? {
    if let known = converted?.obstacle(attribute, from: was) { return known }
    if attribute.sealing == nil, was.sealing == nil { return nil }
    if attribute.sealing == nil {
      return
        "its values are sealed, and the server cannot open them; add an attribute that is not sealed, copy"
        + " the values in the program, and then remove this one"
    }
    let isWidened = attribute.type.isInteger && attribute.type.conversion(from: was.type) == .lossless
    if attribute.type == was.type || isWidened { return nil }
    return "its values are sealed, and the server cannot change their type; add another attribute, copy the"
      + " values in the program, and then remove this one"
  }

  func numbers(_ sql: String, _ defaults: MigrationDefaults) throws -> [[Int64]] {
    let rows = try connection.run(sql, try Self.values(defaults))
    return (0..<rows.count).map { row in
      (0..<rows.columnCount).map { rows.isNull(row, $0) ? 0 : rows.number(row, $0) }
    }
  }

  func execute(_ sql: String, _ defaults: MigrationDefaults) throws {
    try connection.run(sql, try Self.values(defaults))
  }

  static func values(_ defaults: MigrationDefaults) throws -> [ServerParameter] {
    try defaults.attributes.map { attribute, entity in
      if attribute.sealing != nil { return SealedColumns.placeholder(attribute) }
      let builder = NodeBuilder()
      builder.begin(fieldCount: entity.fieldCount)
      try builder.set(attribute, attribute.defaultValue)
      let row = builder.finish(StoreEntity(entity, in: nil), reference: 1, version: 1)
      return try ServerSave.values(attribute.field, ServerType(.attribute(attribute)), of: [row], nil)
    }
  }
}
