import CipherDatabase
import ObjectContext
import ObjectModel
import StoreContract

/// Reads the rows of a table as objects of an entity.
struct TableRowReader {
  private enum Field {
    case value(Value)
    case fixed(AttributeDescription)
    /// The number of the row referred to, and whether there is a reference at all.
    case toOne(RelationshipDescription, Int32, name: String)
    case inverse(Int32)
  }

  private struct Value {
    let attribute: AttributeDescription
    let column: Int32
    let unit: DateUnit
    /// The column's name.
    let name: String
    let hasRules: Bool
  }

  private let rows: PlainQuery
  private let table: SourceTable
  private let fields: [(field: Int, source: Field)]
  private let rules: AttributeRules

  init(_ plan: ImportPlan.Rows, _ tables: [SourceTable], _ database: PlainDatabase) throws {
    let table = tables[plan.table]
    self.table = table
    rules = AttributeRules(plan.entity)
    var fields: [(field: Int, source: Field)] = []
    var selected = ["t.\(table.rowNumber ?? "rowid")"]
    func place(_ sql: String) -> Int32 {
      selected.append(sql)
      return Int32(selected.count - 1)
    }
    for (field, source) in plan.sources {
      switch source {
      case .value(let attribute, let column, let unit):
        let value = Value(
          attribute: attribute, column: place("t." + table.columns[column].sql), unit: unit,
          name: attribute.declaration.userInfo[SourceMark.column] ?? attribute.name,
          hasRules: rules.hasRules(attribute))
        fields.append((field, .value(value)))
      case .fixed(let attribute): fields.append((field, .fixed(attribute)))
      case .toOne(let relationship, let key):
        let found = place(KeyLookup.sql(key.keyColumns, of: tables[key.table], by: key.columns, of: table))
        _ = place(key.columns.map { "t.\(table.columns[$0].sql) IS NOT NULL" }.joined(separator: " AND "))
        fields.append((field, .toOne(relationship, found, name: table.name(key))))
      case .inverse(_, let other, let key):
        let found = KeyLookup.sql(key.columns, of: tables[other], by: key.keyColumns, of: table)
        fields.append((field, .inverse(place(found))))
      }
    }
    self.fields = fields
    rows = try database.query("SELECT \(selected.joined(separator: ", ")) FROM \(table.sql) AS t")
  }

  /// Moves to the next row; false after the last.
  func next() throws -> Bool { try rows.step() }

  var number: Int64 { rows.integer(0) }

  /// Sets the fields of the row.
  /// - Returns: How many to-ones have a destination.
  func read(into builder: NodeBuilder, _ report: (TableImportFault) -> Void) throws -> Int {
    var links = 0
    try withoutActuallyEscaping(report) { report in
      for (field, source) in fields {
        switch source {
        case .value(let value): try read(value, into: builder, report)
        case .fixed(let attribute): try builder.set(attribute, attribute.defaultValue)
        case .toOne(let relationship, let column, let name):
          if rows.kind(column) == .integer {
            builder.set(field, integer: rows.integer(column))
            links += 1
          } else if rows.integer(column + 1) != 0 {
            report(fault(.dangling, name, "it refers to no row; the reference is left out"))
          } else if !relationship.isOptional {
            report(fault(.missingValue, name, "a mandatory reference that is null"))
          }
        case .inverse(let column):
          if rows.kind(column) == .integer { builder.set(field, integer: rows.integer(column)) }
        }
      }
    }
    return links
  }

  private func read(
    _ value: Value, into builder: NodeBuilder, _ report: @escaping (TableImportFault) -> Void
  ) throws {
    let attribute = value.attribute
    let conversion = ValueConversion(format: table.format, unit: value.unit) {
      report(fault(.value, value.name, $0))
    }
    try conversion.read(rows, value.column, attribute, into: builder)
    if !attribute.isOptional, rows.kind(value.column) == .null {
      report(fault(.missingValue, value.name, "a mandatory value that is null"))
    }
    guard value.hasRules, !builder.isNull(attribute.field),
      let rule = rules.broken(builder.value(of: attribute), attribute)
    else { return }
    report(fault(.brokenRule, value.name, "a value that \(rule); it stays"))
  }

  private func fault(_ kind: TableImportFault.Kind, _ column: String, _ message: String) -> TableImportFault {
    TableImportFault(kind, table.name, number, column, message)
  }
}
