import ObjectModel
import ObjectQuery
import StoreContract

extension PredicateTranslation {
  /// The SQL of a term; a constant is bound.
  mutating func sql(_ term: SQLTerm, _ conversion: Binding.Conversion = .none) -> String {
    switch term {
    case .constant(let value, let source): value.isNull ? "NULL" : add(source, conversion)
    case .expression(let sql, _), .column(let sql, _, _, _): sql
    }
  }

  func folded(_ sql: String, _ kind: SQLKind, _ options: ComparisonOptions) -> String {
    options.folds && kind == .text ? "_fold(\(sql), \(options.rawValue))" : sql
  }

  /// Two values as an operator wants them; IN asks also whether the right one is stored JSON that
  /// holds the left one.
  mutating func compare(
    _ left: SQLTerm, _ op: FetchOperator, _ right: SQLTerm, _ options: ComparisonOptions
  ) -> String? {
    switch op {
    case .in:
      if right.kind == .bytes || right.kind == .any { return function(left, op, right, options) }
      return equal(left, right, options)
    case .equal: return equal(left, right, options)
    case .notEqual: return differs(left, right, options)
    case .less, .lessOrEqual, .greater, .greaterOrEqual: return order(left, op, right, options)
    case .contains where left.kind == .bytes || left.kind == .any: return function(left, op, right, options)
    case .search:
      return fullTextMatch(left, right) ?? holds(left, op, right, options)
    case .contains, .beginsWith, .endsWith, .like, .matches: return holds(left, op, right, options)
    case .between: return nil
    }
  }

  /// The comparison by the function that runs memory's code.
  mutating func function(
    _ left: SQLTerm, _ op: FetchOperator, _ right: SQLTerm, _ options: ComparisonOptions
  ) -> String {
    let kinds = "\(left.kind.rawValue)\(right.kind.rawValue)"
    return "_compare('\(op.rawValue)', \(options.rawValue), '\(kinds)', \(sql(left)), \(sql(right)))"
  }

  /// Both sides ready for one of SQL's operators; nil where SQL has none.
  private mutating func sides(
    _ left: SQLTerm, _ right: SQLTerm, _ options: ComparisonOptions
  ) -> (String, String)? {
    if left.kind.compares(with: right.kind) {
      return (folded(sql(left), left.kind, options), folded(sql(right), right.kind, options))
    }
    switch (left.kind, right.constant, left.constant, right.kind) {
    case (.decimal, .integer?, _, _), (.decimal, .boolean?, _, _): return (sql(left), sql(right, .decimal))
    case (_, _, .integer?, .decimal), (_, _, .boolean?, .decimal): return (sql(left, .decimal), sql(right))
    default: return nil
    }
  }

  private mutating func equal(_ left: SQLTerm, _ right: SQLTerm, _ options: ComparisonOptions) -> String {
    if right.kind == .null { return left.isValue ? "0" : "\(sql(left)) IS NULL" }
    if left.kind == .null { return right.isValue ? "0" : "\(sql(right)) IS NULL" }
    let hasValue = left.isValue || right.isValue
    if let (a, b) = sides(left, right, options) { return "\(a) \(hasValue ? "=" : "IS") \(b)" }
    if left.kind.mayCompare(with: right.kind) { return function(left, .equal, right, options) }
    return hasValue ? "0" : "(\(sql(left)) IS NULL AND \(sql(right)) IS NULL)"
  }

  private mutating func differs(_ left: SQLTerm, _ right: SQLTerm, _ options: ComparisonOptions) -> String {
    if right.kind == .null { return left.isValue ? "1" : "\(sql(left)) IS NOT NULL" }
    if left.kind == .null { return right.isValue ? "1" : "\(sql(right)) IS NOT NULL" }
    if let (a, b) = sides(left, right, options) { return "\(a) IS NOT \(b)" }
    if left.kind.mayCompare(with: right.kind) { return function(left, .notEqual, right, options) }
    return left.isValue || right.isValue ? "1" : "(\(sql(left)) IS NOT NULL OR \(sql(right)) IS NOT NULL)"
  }

  private mutating func order(
    _ left: SQLTerm, _ op: FetchOperator, _ right: SQLTerm, _ options: ComparisonOptions
  ) -> String {
    if left.kind == .null || right.kind == .null { return "0" }
    if let (a, b) = sides(left, right, options), let sign = op.sign { return "\(a) \(sign) \(b)" }
    return left.kind.mayCompare(with: right.kind) ? function(left, op, right, options) : "0"
  }

  private mutating func holds(
    _ left: SQLTerm, _ op: FetchOperator, _ right: SQLTerm, _ options: ComparisonOptions
  ) -> String {
    let kinds = [left.kind, right.kind]
    guard kinds.allSatisfy({ $0 == .text || $0 == .any }) else { return "0" }
    if kinds == [.text, .text], op == .contains || op == .beginsWith,
      case .string(let text)? = right.constant,
      !text.isEmpty
    {
      let (a, b) = (folded(sql(left), .text, options), folded(sql(right), .text, options))
      return "instr(\(a), \(b)) \(op == .contains ? "> 0" : "= 1")"
    }
    return function(left, op, right, options)
  }
}

extension FetchOperator {
  fileprivate var sign: String? {
    switch self {
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    default: nil
    }
  }
}
