import Foundation
import ObjectModel
import StoreContract

/// A row whose columns are counted in the order of `RecordTable.columns`.
///
/// Reading a column as another type than its own stops the program, so the type is compared first.
protocol RowSource {
  func isNull(_ column: Int) -> Bool
  func integer(_ column: Int) -> Int64
  func double(_ column: Int) -> Double
  func string(_ column: Int) -> String
  func data(_ column: Int) -> Data
  func value(_ column: Int) -> AttributeValue
}

extension RowCursor: RowSource {}

/// A node's row.
struct NodeRow: RowSource {
  let table: RecordTable
  let node: IncrementalStoreNode

  private func field(_ column: Int) -> Int { table.columns[column].field }

  func isNull(_ column: Int) -> Bool { node.isNull(field(column)) }
  func integer(_ column: Int) -> Int64 { node.integer(field(column)) }
  func double(_ column: Int) -> Double { node.double(field(column)) }
  func string(_ column: Int) -> String {
    node.withBytes(field(column)) { String(decoding: $0, as: UTF8.self) }
  }
  func data(_ column: Int) -> Data { node.withBytes(field(column)) { Data($0) } }
  func value(_ column: Int) -> AttributeValue { node.value(of: table.columns[column]) }
}
