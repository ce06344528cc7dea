import CipherDatabase
import Foundation
import ObjectModel
import ObjectQuery
import StoreContract

/// One column of a dictionary result and how its value is made.
struct DictionaryColumn: Sendable {
  let name: String
  /// The attribute's type, `objectID` for objects, `integer64` for counts.
  let type: AttributeType
  let isReference: Bool

  func value(_ statement: Statement, _ column: Int32) -> AttributeValue {
    if statement.isNull(column) { return .null }
    if isReference { return .reference(statement.int64(column)) }
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

/// The select list of a dictionary result with its groups and order, where SQL makes them as memory would.
struct DictionaryStatement {
  let columns: [DictionaryColumn]
  let list: String
  /// GROUP BY and ORDER BY.
  let end: String
  /// Whether all columns stand in the fetched entity's own row, so that whole rows can be read after the cut.
  let isOwnRow: Bool

  init?(_ request: FetchRequest, _ entity: Entity, _ translation: inout PredicateTranslation) {
    let wanted =
      request.propertiesToFetch ?? entity.attributes.filter { !$0.isTransient }.map { FetchColumn($0.name) }
    let isGrouped = !request.propertiesToGroupBy.isEmpty
    let aggregates = wanted.contains { $0.aggregate != nil }
    var columns: [DictionaryColumn] = []
    var texts: [String] = []
    var groups: [String] = []
    var isOwnRow = !isGrouped && !aggregates
    for path in request.propertiesToGroupBy {
      guard let operand = translation.column(path.split(separator: ".").map(String.init)) else { return nil }
      groups.append(operand.sql)
    }
    for column in wanted {
      let operand: PredicateTranslation.Operand? =
        column.keyPath.isEmpty
        ? .init(sql: "t0._id", field: nil) : translation.column(column.keyPath)
      guard let operand, let text = Self.text(column.aggregate, operand) else { return nil }
      // SQL takes a bare column beside an aggregate from any row of the group; memory takes the first.
      if column.aggregate == nil, isGrouped || aggregates, !groups.contains(operand.sql) { return nil }
      if operand.alias != "t0" { isOwnRow = false }
      texts.append(text)
      columns.append(Self.column(column, operand))
    }
    var orders: [String] = []
    if isGrouped {
      for sort in request.sort {
        guard sort.options.isEmpty,
          let place = wanted.firstIndex(where: { $0.name == sort.keyPath.joined(separator: ".") })
        else { return nil }
        orders.append("\(place + 1)\(sort.ascending ? "" : " DESC")")
      }
      orders += groups
    } else if !aggregates {
      for sort in request.sort {
        guard let order = translation.order(sort) else { return nil }
        orders.append(order)
      }
      orders.append(translation.joins.rowNumber)
    }
    self.columns = columns
    self.isOwnRow = isOwnRow
    list = texts.joined(separator: ", ")
    end =
      (isGrouped ? " GROUP BY " + groups.joined(separator: ", ") : "")
      + (orders.isEmpty ? "" : " ORDER BY " + orders.joined(separator: ", "))
  }

  private static func text(
    _ aggregate: FetchColumn.Aggregate?, _ operand: PredicateTranslation.Operand
  ) -> String? {
    switch aggregate {
    case nil: return operand.sql
    // The row's own number is never null.
    case .count: return operand.sql == "t0._id" ? "count(*)" : "count(\(operand.sql))"
    case .min, .max:
      guard operand.isOrdered else { return nil }
      return "\(aggregate == .min ? "min" : "max")(\(operand.sql))"
    case .sum, .average:
      // Whole sums can overflow, which SQL makes an error of; small ones cannot in any file's number of rows.
      guard case .attribute(let attribute)? = operand.field else { return nil }
      switch attribute.type {
      case .double, .float, .integer16, .integer32: break
      case .integer64 where aggregate == .average: break
      case .decimal:
        return aggregate == .sum ? "_decimal_sum(\(operand.sql))" : "_decimal_average(\(operand.sql))"
      default: return nil
      }
      return aggregate == .sum
        ? "ifnull(sum(\(operand.sql)), 0)"
        : "avg(\(operand.sql))"
    }
  }

  private static func column(
    _ column: FetchColumn, _ operand: PredicateTranslation.Operand
  ) -> DictionaryColumn {
    if column.aggregate == .count {
      return DictionaryColumn(name: column.name, type: .integer64, isReference: false)
    }
    guard case .attribute(let attribute)? = operand.field else {
      return DictionaryColumn(name: column.name, type: .objectID, isReference: true)
    }
    let type = column.aggregate == .average && attribute.type != .decimal ? .double : attribute.type
    return DictionaryColumn(name: column.name, type: type, isReference: false)
  }
}
