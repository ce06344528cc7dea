import Foundation
import StrongroomData

/// A part of a predicate in SQL.
indirect enum SQLitePart {
  case model
  case identity
  case column(SQLiteTable.Column)
  case constant(Any)
  case condition(String, [SQLiteValue])

  /// The part as a condition.
  var condition: (sql: String, values: [SQLiteValue])? {
    switch self {
    case .condition(let sql, let values): (sql, values)
    case .column(let column) where column.type == Bool.self: ("\"\(column.name)\" IS 1", [])
    case .constant(let flag as Bool): (flag ? "1" : "0", [])
    default: nil
    }
  }
}

/// Where a predicate is translated: the columns of the model by their key paths.
struct SQLiteScope {
  let columns: [AnyKeyPath: SQLiteTable.Column]
  let identity: AnyKeyPath
  /// The key of a model of the table; nil for one of another.
  let key: (PersistentIdentifier) -> Int64?

  func part(_ expression: Any) throws -> SQLitePart {
    guard let node = expression as? any SQLiteNode else { throw DataStoreError.preferInMemoryFilter }
    return try node.part(self)
  }

  func condition(_ expression: Any) throws -> (sql: String, values: [SQLiteValue]) {
    guard let condition = try part(expression).condition else { throw DataStoreError.preferInMemoryFilter }
    return condition
  }

  /// Two parts with an operator between them.
  func comparison(
    _ left: Any, _ sign: String, _ right: Any, isOrder: Bool = false
  ) throws -> SQLitePart {
    func operand(_ part: SQLitePart) throws -> (sql: String, values: [SQLiteValue]) {
      switch part {
      case .identity where !isOrder: return ("_id", [])
      case .column(let column) where !column.isToOne && !column.isToMany && column.type != Never.self:
        if isOrder, !SQLiteValue.isOrdered(column.type) { throw DataStoreError.preferInMemoryFilter }
        return ("\"\(column.name)\"", [])
      case .constant(let identifier as PersistentIdentifier):
        return ("?", [key(identifier).map { .integer($0) } ?? .null])
      case .constant(let value): return ("?", [try SQLiteValue(value)])
      default: throw DataStoreError.preferInMemoryFilter
      }
    }
    let (one, other) = (try operand(part(left)), try operand(part(right)))
    return .condition("(\(one.sql) \(sign) \(other.sql))", one.values + other.values)
  }

  /// A text column and the constant that it is asked about.
  func text(_ base: Any, _ other: Any, _ sql: (String) -> String) throws -> SQLitePart {
    guard case .column(let column) = try part(base), column.type == String.self,
      case .constant(let text as String) = try part(other)
    else { throw DataStoreError.preferInMemoryFilter }
    return .condition(sql("\"\(column.name)\""), [.text(text)])
  }
}

protocol SQLiteNode {
  func part(_ scope: SQLiteScope) throws -> SQLitePart
}

extension PredicateExpressions.Variable: SQLiteNode {
  func part(_ scope: SQLiteScope) -> SQLitePart { .model }
}

extension PredicateExpressions.Value: SQLiteNode {
  func part(_ scope: SQLiteScope) -> SQLitePart { .constant(value) }
}

extension PredicateExpressions.NilLiteral: SQLiteNode {
  func part(_ scope: SQLiteScope) -> SQLitePart { .constant(Int?.none as Any) }
}

extension PredicateExpressions.KeyPath: SQLiteNode {
  func part(_ scope: SQLiteScope) throws -> SQLitePart {
    guard case .model = try scope.part(root) else { throw DataStoreError.preferInMemoryFilter }
    if keyPath == scope.identity { return .identity }
    guard let column = scope.columns[keyPath] else { throw DataStoreError.preferInMemoryFilter }
    return .column(column)
  }
}

extension PredicateExpressions.Conjunction: SQLiteNode {
  func part(_ scope: SQLiteScope) throws -> SQLitePart {
    let (one, other) = (try scope.condition(lhs), try scope.condition(rhs))
    return .condition("(\(one.sql) AND \(other.sql))", one.values + other.values)
  }
}

extension PredicateExpressions.Disjunction: SQLiteNode {
  func part(_ scope: SQLiteScope) throws -> SQLitePart {
    let (one, other) = (try scope.condition(lhs), try scope.condition(rhs))
    return .condition("(\(one.sql) OR \(other.sql))", one.values + other.values)
  }
}

extension PredicateExpressions.Negation: SQLiteNode {
  func part(_ scope: SQLiteScope) throws -> SQLitePart {
    let inside = try scope.condition(wrapped)
    return .condition("NOT (\(inside.sql))", inside.values)
  }
}

extension PredicateExpressions.Equal: SQLiteNode {
  func part(_ scope: SQLiteScope) throws -> SQLitePart { try scope.comparison(lhs, "IS", rhs) }
}

extension PredicateExpressions.NotEqual: SQLiteNode {
  func part(_ scope: SQLiteScope) throws -> SQLitePart { try scope.comparison(lhs, "IS NOT", rhs) }
}

extension PredicateExpressions.Comparison: SQLiteNode {
  func part(_ scope: SQLiteScope) throws -> SQLitePart {
    let sign =
      switch op {
      case .lessThan: "<"
      case .lessThanOrEqual: "<="
      case .greaterThan: ">"
      case .greaterThanOrEqual: ">="
      @unknown default: throw DataStoreError.preferInMemoryFilter
      }
    return try scope.comparison(lhs, sign, rhs, isOrder: true)
  }
}

extension PredicateExpressions.CollectionContainsCollection: SQLiteNode {
  func part(_ scope: SQLiteScope) throws -> SQLitePart {
    try scope.text(base, other) { "(instr(\($0), ?) > 0)" }
  }
}

extension PredicateExpressions.SequenceStartsWith: SQLiteNode {
  func part(_ scope: SQLiteScope) throws -> SQLitePart {
    try scope.text(base, prefix) { "(instr(\($0), ?) = 1)" }
  }
}

extension PredicateExpressions.SequenceContains: SQLiteNode {
  func part(_ scope: SQLiteScope) throws -> SQLitePart {
    guard case .identity = try scope.part(element), case .constant(let list) = try scope.part(sequence),
      let identifiers = list as? [PersistentIdentifier]
    else { throw DataStoreError.preferInMemoryFilter }
    // A statement has at most a million characters.
    if identifiers.count > 20_000 { throw DataStoreError.preferInMemoryFilter }
    return .condition(
      "_id IN (\(identifiers.compactMap(scope.key).map(String.init).joined(separator: ",")))", [])
  }
}
