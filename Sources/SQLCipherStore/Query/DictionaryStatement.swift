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
  /// Whether each row tells if its number is whole.
  var isAnyNumber = false
  /// Whether a whole number may turn into a floating one.
  var mayOverflow = false

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

/// The select list of a dictionary result with its groups and order, where SQL makes them as memory would.
struct DictionaryStatement {
  let columns: [DictionaryColumn]
  let list: String
  /// GROUP BY and ORDER BY.
  let end: String
  /// Whether all columns stand in the fetched entity's own row, so that whole rows can be read after the cut.
  let isOwnRow: Bool
  /// Whether equal rows come once already.
  let isDistinct: Bool

  init?(
    _ request: FetchRequest, _ entity: EntityDescription, rank: String?,
    _ translation: inout PredicateTranslation
  ) {
    guard let grouped = try? GroupedColumns(request, entity) else { return nil }
    let wanted = Array(grouped.columns[..<grouped.wanted])
    let isGrouped = !grouped.groups.isEmpty
    let aggregates = wanted.contains { $0.aggregate != nil }
    var columns: [DictionaryColumn] = []
    var texts: [String] = []
    var groups: [String] = []
    var isOwnRow = !isGrouped && !aggregates
    var named: [String: SQLTerm] = [:]
    var known: [FetchExpression: SQLTerm] = [:]
    for expression in grouped.groups {
      guard let operand = translation.single(expression), operand.kind != .any, operand.kind != .null
      else { return nil }
      groups.append(translation.sql(operand))
      // Written once, so that a column of it has the same text, parameters included.
      known[expression] = operand
    }
    for (place, column) in grouped.columns.enumerated() {
      guard let operand = known[column.expression] ?? translation.single(column.expression),
        operand.kind != .null,
        let text = Self.text(column.aggregate, operand, &translation)
      else { return nil }
      named[column.name] = .expression(text, Self.kind(column.aggregate, operand.kind))
      guard place < wanted.count else { continue }
      // SQL takes a bare column beside an aggregate from any row of the group; memory takes the first.
      if column.aggregate == nil, isGrouped || aggregates, !groups.contains(text) { return nil }
      if case .column(_, _, alias: "t0", _) = operand {} else { isOwnRow = false }
      texts.append(text)
      columns.append(Self.column(column, operand, entity))
    }
    var having = ""
    if let condition = grouped.having {
      guard let text = translation.having(condition, over: named) else { return nil }
      having = " HAVING " + text
    }
    isDistinct =
      request.returnsDistinctResults && rank == nil && !isGrouped && !aggregates
      && Self.isOver(wanted, request.sortDescriptors)
    var orders: [String] = []
    if isGrouped {
      for sort in request.sortDescriptors {
        guard !sort.options.folds, sort.comparator == .scalars, sort.nulls == .least,
          let place = wanted.firstIndex(where: { $0.name == sort.keyPath.joined(separator: ".") })
        else { return nil }
        orders.append("\(place + 1)\(sort.ascending ? "" : " DESC")")
      }
      orders += groups
    } else if !aggregates {
      if let rank { orders.append(rank) }
      for sort in request.sortDescriptors {
        guard let order = translation.order(sort) else { return nil }
        orders.append(order)
      }
      let number = translation.joins.rowNumber
      orders.append(isDistinct ? "min(\(number))" : number)
    }
    // The first of each set of equal rows.
    if isDistinct { groups = texts }
    self.columns = columns
    self.isOwnRow = isOwnRow && !isDistinct
    list = texts.joined(separator: ", ")
    end =
      (groups.isEmpty ? "" : " GROUP BY " + groups.joined(separator: ", ")) + having
      + (orders.isEmpty ? "" : " ORDER BY " + orders.joined(separator: ", "))
  }

  /// Whether an order looks at nothing but the columns.
  private static func isOver(_ columns: [ExpressionDescription], _ sorts: [FetchSortDescriptor]) -> Bool {
    sorts.allSatisfy { sort in columns.contains { $0.expression == .keyPath(sort.keyPath) } }
  }

  private static func kind(_ aggregate: FetchAggregate?, _ kind: SQLKind) -> SQLKind {
    switch aggregate {
    case nil, .min, .max: kind
    case .count: .number
    case .sum, .average, .median: kind == .decimal ? .decimal : .number
    }
  }

  private static func text(
    _ aggregate: FetchAggregate?, _ operand: SQLTerm, _ translation: inout PredicateTranslation
  ) -> String? {
    let sql = translation.sql(operand)
    let kind = operand.kind
    switch aggregate {
    case nil: return sql
    // The row's own number is never null.
    case .count: return sql == "t0._id" ? "count(*)" : "count(\(sql))"
    case .min, .max:
      if kind == .any || kind == .object { return nil }
      return "\(aggregate == .min ? "min" : "max")(\(sql))"
    case .median:
      guard kind == .number || kind == .decimal else { return nil }
      return "_median('\(kind.rawValue)\(kind.rawValue)', \(sql))"
    case .sum, .average:
      if kind == .decimal {
        let call = "\(aggregate == .sum ? "_sum" : "_average")('dd', \(sql))"
        guard aggregate == .sum else { return call }
        return "CASE count(*) WHEN 0 THEN \(translation.add(.fixed(.decimal(0)))) ELSE \(call) END"
      }
      // Whole sums can overflow, which SQL makes an error of; small ones cannot in any file's number of rows.
      var isSafe = false
      if case .column(_, _, _, .attribute(let attribute)?) = operand {
        switch attribute.type {
        case .double, .float, .integer16, .integer32: isSafe = true
        case .integer64: isSafe = aggregate == .average
        default: break
        }
      }
      guard isSafe else {
        guard kind == .number else { return nil }
        let call = "\(aggregate == .sum ? "_sum" : "_average")('nn', \(sql))"
        return aggregate == .sum ? "ifnull(\(call), 0)" : call
      }
      return aggregate == .sum ? "ifnull(sum(\(sql)), 0)" : "avg(\(sql))"
    }
  }

  private static func column(
    _ column: ExpressionDescription, _ operand: SQLTerm, _ entity: EntityDescription
  ) -> DictionaryColumn {
    if column.aggregate == .count {
      return DictionaryColumn(name: column.name, type: .integer64, isReference: false)
    }
    var type: AttributeType
    if case .column(_, _, _, .attribute(let attribute)?) = operand {
      type = attribute.type
    } else {
      type = operand.kind.attributeType
    }
    if column.aggregate == .average || column.aggregate == .median, type != .decimal { type = .double }
    var isAnyNumber = column.aggregate == .median && type == .double
    if type == .undefined, operand.kind == .number {
      type = column.keyPath.flatMap { try? RowColumns.type($0, entity) } ?? .double
      isAnyNumber = true
    }
    let isWholeSum = column.aggregate == .sum && type.isInteger
    if isWholeSum { isAnyNumber = true }
    return DictionaryColumn(
      name: column.name, type: type, isReference: operand.kind == .object, isAnyNumber: isAnyNumber,
      mayOverflow: isWholeSum && type == .integer64)
  }
}

extension SQLKind {
  /// A type whose values are of the kind. Numbers are read as they come.
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
