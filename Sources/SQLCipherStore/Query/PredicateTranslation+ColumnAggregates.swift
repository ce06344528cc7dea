import ObjectModel
import ObjectQuery

/// Aggregates over the rows of a group, as columns of a dictionary result.
extension PredicateTranslation {
  /// A column's SQL, inside of its aggregate; nil where SQL does not compute it as memory does.
  mutating func aggregate(_ aggregate: FetchAggregate?, ofColumn operand: SQLTerm) -> String? {
    let sql = sql(operand)
    let kind = operand.kind
    switch aggregate {
    case nil: return sql
    // The row's own number is never null.
    case .count: return sql == "t0._id" ? "count(*)" : "count(\(sql))"
    case .min: return kind.isOrdered ? "min(\(sql))" : nil
    case .max: return kind.isOrdered ? "max(\(sql))" : nil
    case .median:
      guard kind == .number || kind == .decimal else { return nil }
      return "_median('\(kind.rawValue)\(kind.rawValue)', \(sql))"
    case .sum: return sum(operand, sql)
    case .average: return average(operand, sql)
    }
  }

  private mutating func sum(_ operand: SQLTerm, _ sql: String) -> String? {
    if operand.kind == .decimal {
      return "CASE count(*) WHEN 0 THEN \(add(.fixed(.decimal(0)))) ELSE _sum('dd', \(sql)) END"
    }
    // Integer sums can overflow, which is an error in SQL; those of small integers cannot, with the
    // number of rows that any file has.
    switch operand.attribute?.type {
    case .double, .float, .integer16, .integer32: return "ifnull(sum(\(sql)), 0)"
    default: return operand.kind == .number ? "ifnull(_sum('nn', \(sql)), 0)" : nil
    }
  }

  private func average(_ operand: SQLTerm, _ sql: String) -> String? {
    if operand.kind == .decimal { return "_average('dd', \(sql))" }
    switch operand.attribute?.type {
    case .double, .float, .integer16, .integer32, .integer64: return "avg(\(sql))"
    default: return operand.kind == .number ? "_average('nn', \(sql))" : nil
    }
  }
}

extension SQLKind {
  /// Whether SQL orders all values of the kind as memory does.
  fileprivate var isOrdered: Bool { self != .any && self != .object }
}
