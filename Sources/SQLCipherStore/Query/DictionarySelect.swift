import ObjectModel
import ObjectQuery
import StoreContract

/// The select list and the groups of a dictionary result.
struct DictionarySelect {
  /// How the results' columns are read.
  private(set) var columns: [DictionaryColumn] = []
  /// The SQL of each column.
  private(set) var expressions: [String] = []
  /// The SQL of what the rows are grouped by.
  private(set) var groups: [String] = []
  /// Every column by its name, those that only HAVING names included.
  private(set) var terms: [String: SQLTerm] = [:]
  let hasAggregates: Bool
  /// Whether all columns are of the fetched entity's own row.
  private(set) var isOwnRow: Bool
  private var groupTerms: [FetchExpression: SQLTerm] = [:]

  var isGrouped: Bool { !groups.isEmpty }

  /// Nil where SQL does not compute a column as memory does.
  init?(
    _ grouped: GroupedColumns, _ entity: EntityDescription, _ translation: inout PredicateTranslation
  ) {
    let wanted = grouped.columns[..<grouped.wanted]
    hasAggregates = wanted.contains { $0.aggregate != nil }
    isOwnRow = grouped.groups.isEmpty && !hasAggregates
    for expression in grouped.groups {
      guard addGroup(expression, &translation) else { return nil }
    }
    for (index, column) in grouped.columns.enumerated() {
      guard add(column, isResult: index < wanted.count, entity, &translation) else { return nil }
    }
  }

  private mutating func addGroup(
    _ expression: FetchExpression, _ translation: inout PredicateTranslation
  ) -> Bool {
    guard let operand = translation.single(expression), operand.kind != .any, operand.kind != .null
    else { return false }
    groups.append(translation.sql(operand))
    // Written once, so that a column of it has the same text, parameters included.
    groupTerms[expression] = operand
    return true
  }

  /// - `isResult`: Whether the column is in the result, not in HAVING alone.
  private mutating func add(
    _ column: ExpressionDescription, isResult: Bool, _ entity: EntityDescription,
    _ translation: inout PredicateTranslation
  ) -> Bool {
    guard let operand = groupTerms[column.expression] ?? translation.single(column.expression),
      operand.kind != .null, let text = translation.aggregate(column.aggregate, ofColumn: operand)
    else { return false }
    terms[column.name] = .expression(text, operand.kind.ofAggregate(column.aggregate))
    guard isResult else { return true }
    // SQL takes a bare column beside an aggregate from any row of the group; memory takes the
    // first.
    if column.aggregate == nil, isGrouped || hasAggregates, !groups.contains(text) { return false }
    if case .column(_, _, alias: "t0", _) = operand {} else { isOwnRow = false }
    expressions.append(text)
    columns.append(DictionaryColumn(column, operand, entity))
    return true
  }
}

extension SQLKind {
  /// The kind of an aggregate's value over values of this kind.
  fileprivate func ofAggregate(_ aggregate: FetchAggregate?) -> SQLKind {
    switch aggregate {
    case nil, .min, .max: self
    case .count: .number
    case .sum, .average, .median: self == .decimal ? .decimal : .number
    }
  }
}
