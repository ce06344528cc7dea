import Foundation
import ObjectModel
import StoreContract

/// A row whose columns are counted in the order of `RecordTable.columns`.
///
/// Reading a column as another type than its own stops the program, so the type is compared first.
enum DecodedRow {
  /// The current row of an enumeration.
  case cursor(RowCursor)
  /// A node's row.
  case node(IncrementalStoreNode, RecordTable)

  func isNull(_ column: Int) -> Bool {
    switch self {
    case .cursor(let row): row.isNull(column)
    case .node(let node, let table): node.isNull(table.columns[column].field)
    }
  }

  func integer(_ column: Int) -> Int64 {
    switch self {
    case .cursor(let row): row.integer(column)
    case .node(let node, let table): node.integer(table.columns[column].field)
    }
  }

  func double(_ column: Int) -> Double {
    switch self {
    case .cursor(let row): row.double(column)
    case .node(let node, let table): node.double(table.columns[column].field)
    }
  }

  func string(_ column: Int) -> String {
    switch self {
    case .cursor(let row): row.string(column)
    case .node(let node, let table):
      node.withBytes(table.columns[column].field) { String(decoding: $0, as: UTF8.self) }
    }
  }

  func data(_ column: Int) -> Data {
    switch self {
    case .cursor(let row): row.data(column)
    case .node(let node, let table): node.withBytes(table.columns[column].field) { Data($0) }
    }
  }

  func value(_ column: Int) -> AttributeValue {
    switch self {
    case .cursor(let row): row.value(column)
    case .node(let node, let table): node.value(of: table.columns[column])
    }
  }
}
