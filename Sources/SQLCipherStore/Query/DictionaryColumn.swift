import CipherDatabase
import Foundation
import ObjectModel
import ObjectQuery
import StoreContract

/// One column of a dictionary result and how its value is read.
struct DictionaryColumn: Sendable {
  let name: String
  /// The attribute's type, `objectID` for objects, `integer64` for counts.
  let type: AttributeType
  let isReference: Bool
  /// Whether each row's number is an integer or a double of its own.
  var isAnyNumber = false
  /// Whether an integer sum may overflow into a double.
  var mayOverflow = false

  /// - `operand`: The SQL term of the column, inside of its aggregate.
  init(_ column: ExpressionDescription, _ operand: SQLTerm, _ entity: EntityDescription) {
    name = column.name
    if column.aggregate == .count {
      type = .integer64
      isReference = false
      return
    }
    isReference = operand.kind == .object
    let isMean = column.aggregate == .average || column.aggregate == .median
    let stored = operand.attribute?.type ?? operand.kind.attributeType
    let known = isMean && stored != .decimal ? .double : stored
    if known == .undefined, operand.kind == .number {
      type = column.keyPath.flatMap { try? RowColumns.type($0, entity) } ?? .double
      isAnyNumber = true
    } else {
      type = known
      isAnyNumber = column.aggregate == .median && known == .double
    }
    if column.aggregate == .sum, type.isInteger {
      isAnyNumber = true
      mayOverflow = type == .integer64
    }
  }

  func value(_ statement: Statement, _ column: Int32) -> AttributeValue {
    if statement.isNull(column) { return .null }
    if isAnyNumber, statement.isInteger(column) { return .integer(statement.int64(column)) }
    if isReference { return .reference(statement.int64(column)) }
    // A sum that overflowed is floating.
    if mayOverflow, !statement.isInteger(column) { return .double(statement.double(column)) }
    switch type {
    case .integer16, .integer32, .integer64: return .integer(statement.int64(column))
    case .boolean: return .boolean(statement.int64(column) != 0)
    case .double, .float: return .double(statement.double(column))
    case .date: return .date(Date(timeIntervalSinceReferenceDate: statement.double(column)))
    case .string: return .string(statement.text(column))
    default: return FieldCoding.value(type, statement.bytes(column))
    }
  }
}

extension SQLKind {
  /// A type whose values are of the kind.
  ///
  /// Numbers are read as they come.
  fileprivate var attributeType: AttributeType {
    switch self {
    case .number, .any, .null, .nothing: .undefined
    case .boolean: .boolean
    case .decimal: .decimal
    case .date: .date
    case .text: .string
    case .uri: .uri
    case .bytes: .binary
    case .uuid: .uuid
    case .object: .objectID
    }
  }
}
