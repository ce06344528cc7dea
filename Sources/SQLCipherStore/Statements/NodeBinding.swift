import CipherDatabase
import ObjectModel
import StoreContract

/// Puts a node's packed fields into statements without making values of them.
struct NodeBinding {
  let kinds: [SelectPlan.Kind]

  init() { kinds = [] }

  init(_ entity: EntityDescription) { kinds = entity.storedFields.map { SelectPlan.Kind(ColumnStorage($0)) } }

  /// How many rows one statement inserts where there are as many: more than 200 parameters gain
  /// nothing, and the library takes 999.
  var rowsTogether: Int { max(1, 200 / (kinds.count + 3)) }

  /// Text and blobs are bound in place: the save request holds every node until the statement is
  /// reset.
  @inline(__always)
  func bind(_ field: Int, of node: IncrementalStoreNode, to statement: Statement, at index: Int32) {
    if node.isNull(field) {
      statement.bindNull(index)
      return
    }
    switch kinds[field] {
    case .integer: statement.bind(index, node.integer(field))
    case .double: statement.bind(index, node.double(field))
    case .text: node.withBytes(field) { statement.bind(index, text: $0, copy: false) }
    case .blob, .external: node.withBytes(field) { statement.bind(index, blob: $0, copy: false) }
    }
  }
}

extension NodeBinding {
  /// The same from a row being built; its memory must stay until the statement is reset.
  @inline(__always)
  func bind(_ field: Int, of row: NodeBuilder, to statement: Statement, at index: Int32) {
    if row.isNull(field) {
      statement.bindNull(index)
      return
    }
    switch kinds[field] {
    case .integer: statement.bind(index, Int64(bitPattern: row.word(field)))
    case .double: statement.bind(index, Double(bitPattern: row.word(field)))
    case .text: statement.bind(index, text: row.bytes(field), copy: false)
    case .blob, .external: statement.bind(index, blob: row.bytes(field), copy: false)
    }
  }
}
