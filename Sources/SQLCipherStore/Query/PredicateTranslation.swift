import ObjectModel
import ObjectQuery
import StoreContract

/// Predicate parts as SQL conditions over the fetched entity's table `t0` and tables joined along
/// to-one key paths.
///
/// Logic is two-valued as in memory: a condition may yield NULL for false, and `NOT` tests with `IS
/// NOT 1`, so that NULL never turns into true and never survives a negation. What kinds of values
/// can meet is known from the model, so what memory finds incomparable is decided here and not by
/// SQL's order of types. Answers nil for what no row stores, such as a transient relationship; the
/// caller then evaluates that part in memory.
struct PredicateTranslation {
  /// An object that paths begin at: the one fetched, or an element of a subquery.
  struct Scope {
    let variable: String
    let entity: EntityDescription
    let alias: String
  }

  /// SQLite takes 999 parameters unless it was built otherwise; columns, orders, limit and offset
  /// need some too.
  static let mostBindings = 900

  let entity: EntityDescription
  let schema: StoreSchema
  /// The constants of the predicate, which names them by `RequestShape.constantName`.
  let constants: [FetchExpression]
  var joins = Joins()
  private(set) var bindings: [Binding] = []
  var scopes: [Scope]
  /// What variables are in a condition on groups.
  var columns: [String: SQLTerm] = [:]
  private var serial = 0

  init(entity: EntityDescription, schema: StoreSchema, constants: [FetchExpression]) {
    self.entity = entity
    self.schema = schema
    self.constants = constants
    scopes = [Scope(variable: "", entity: entity, alias: "t0")]
  }

  mutating func nextSerial() -> Int {
    serial += 1
    return serial
  }

  mutating func add(_ source: Binding.Source, _ conversion: Binding.Conversion = .none) -> String {
    bindings.append(Binding(source: source, conversion: conversion))
    return "?\(bindings.count)"
  }

  /// A condition that every row must meet, or nil.
  mutating func condition(_ predicate: FetchPredicate) -> String? {
    let mark = bindings.count
    let known = joins
    let result: String?
    if case .comparison(let comparison) = predicate {
      result = joined(comparison) ?? attempt(comparison, isTop: true)
    } else {
      result = attempt(predicate)
    }
    if result == nil || bindings.count > Self.mostBindings {
      bindings.removeSubrange(mark...)
      joins = known
      return nil
    }
    return result
  }

  /// "A many-to-many contains this object" as a join: the join table has each pair once.
  private mutating func joined(_ comparison: FetchComparison) -> String? {
    guard comparison.modifier == .any, comparison.operator == .equal, !comparison.options.folds,
      case .keyPath(let path) = comparison.left, path.count == 1,
      case .constant(.reference, let source)? = term(comparison.right),
      let relationship = entity.relationship(named: path[0]), relationship.isToMany,
      relationship.hasJoinTable, relationship.inverse !== relationship,
      let table = schema.joinTable(relationship)
    else { return nil }
    let forward = relationship === table.owner
    guard joins.begin(with: table.name, end: forward ? "_source" : "_target") else { return nil }
    return "m0.\(forward ? "_target" : "_source") = \(add(source))"
  }

  /// A condition over a result's columns, which stand in it as variables.
  mutating func having(_ predicate: FetchPredicate, over columns: [String: SQLTerm]) -> String? {
    self.columns = columns
    defer { self.columns = [:] }
    return attempt(predicate)
  }

  mutating func attempt(_ predicate: FetchPredicate) -> String? {
    switch predicate {
    case .constant(let flag): return flag ? "1" : "0"
    case .comparison(let comparison): return attempt(comparison, isTop: false)
    case .and(let parts): return joined(parts, " AND ", empty: "1")
    case .or(let parts): return joined(parts, " OR ", empty: "0")
    case .not(let part): return attempt(part).map { "((\($0)) IS NOT 1)" }
    case .kind(let object, let name): return isKind(object, name)
    }
  }

  private mutating func joined(_ parts: [FetchPredicate], _ word: String, empty: String) -> String? {
    if parts.isEmpty { return empty }
    var conditions: [String] = []
    for part in parts {
      // What has too many parameters is given up anyway.
      guard bindings.count <= Self.mostBindings, let condition = attempt(part) else { return nil }
      conditions.append(condition)
    }
    return Self.balanced(conditions[...], word)
  }

  /// A tree of no depth to speak of: the library takes a thousand levels at most.
  static func balanced(_ conditions: ArraySlice<String>, _ word: String) -> String {
    if conditions.count <= 100 { return "(" + conditions.joined(separator: word) + ")" }
    let middle = conditions.startIndex + conditions.count / 2
    return "(\(balanced(conditions[..<middle], word))\(word)\(balanced(conditions[middle...], word)))"
  }

  // MARK: Comparisons

  private mutating func attempt(_ comparison: FetchComparison, isTop: Bool) -> String? {
    if let rows = rows(of: comparison.left) { return attempt(comparison, over: rows) }
    if isCollection(comparison.left) { return nil }
    guard let left = term(comparison.left) else { return nil }
    return compare(left, comparison, isTop: isTop && comparison.modifier == .direct)
  }

  /// ANY is a subquery that finds a row, ALL one that finds no row to the contrary.
  private mutating func attempt(_ comparison: FetchComparison, over rows: Rows) -> String? {
    guard let condition = compare(rows.end, comparison, isTop: false) else { return nil }
    if comparison.modifier == .any, comparison.operator == .equal, rows.conditions.isEmpty,
      isIndexed(rows.end), isConstant(comparison.right)
    {
      // Few rows meet the condition: find those first, and from them the way back.
      let path = rows.path
      let conditions = path.links.dropFirst() + [condition]
      return
        "\(path.start.outside) IN (SELECT \(path.start.inside) FROM \(path.tables.joined(separator: ", "))"
        + " WHERE \(conditions.joined(separator: " AND ")))"
    }
    let wanted = comparison.modifier == .all ? "((\(condition)) IS NOT 1)" : condition
    let exists = "EXISTS (SELECT 1 \(rows.path.source(rows.conditions + [wanted])))"
    return comparison.modifier == .all ? "NOT " + exists : exists
  }

  private func isConstant(_ expression: FetchExpression) -> Bool {
    if case .variable(let name) = expression { return RequestShape.constantIndex(name) != nil }
    if case .value = expression { return true }
    return false
  }

  private func isIndexed(_ term: SQLTerm) -> Bool {
    guard case .column(_, _, _, let field) = term else { return false }
    guard case .attribute(let attribute)? = field else { return true }
    return attribute.declaration.isIndexed
      || attribute.entity.uniquenessConstraints.contains { $0.propertyNames.first == attribute.name }
      || attribute.entity.fetchIndexes.contains { $0.elements.first?.propertyName == attribute.name }
  }

  /// One value of the left side against the right side.
  private mutating func compare(_ left: SQLTerm, _ comparison: FetchComparison, isTop: Bool) -> String? {
    let options = comparison.options
    switch comparison.operator {
    case .between:
      guard let bounds = elements(comparison.right), bounds.count == 2, let low = bounds[0],
        let high = bounds[1], let above = compare(left, .greaterOrEqual, low, options),
        let below = compare(left, .lessOrEqual, high, options)
      else { return nil }
      if isTop { require(left, high) }
      return "(\(above) AND \(below))"
    case .in: return isElement(left, of: comparison.right, options)
    default:
      guard !isCollection(comparison.right), let right = term(comparison.right) else { return nil }
      if isTop, comparison.operator != .notEqual {
        require(left, right)
        require(right, left)
      }
      return compare(left, comparison.operator, right, options)
    }
  }

  /// Where a comparison with null is false, objects whose to-one is null are left out by an inner
  /// join.
  private mutating func require(_ column: SQLTerm, _ other: SQLTerm) {
    if case .column(_, _, let alias, _) = column, other.isValue { joins.require(alias) }
  }

  private mutating func isElement(
    _ left: SQLTerm, of right: FetchExpression, _ options: ComparisonOptions
  ) -> String? {
    if let rows = rows(of: right) {
      guard let condition = compare(left, .in, rows.end, options) else { return nil }
      return "EXISTS (SELECT 1 \(rows.path.source(rows.conditions + [condition])))"
    }
    if let (index, list) = constantList(right) { return isElement(left, of: list, index, options) }
    guard case .list(let list) = right else {
      guard !isCollection(right), let term = term(right) else { return nil }
      return compare(left, .in, term, options)
    }
    if list.isEmpty { return "0" }
    var conditions: [String] = []
    for element in list {
      guard let condition = isElement(left, of: element, options) else { return nil }
      conditions.append(condition)
    }
    return Self.balanced(conditions[...], " OR ")
  }

  /// The constants that SQL compares as memory does are one list parameter, however many they are;
  /// each other constant is compared alone.
  private mutating func isElement(
    _ left: SQLTerm, of list: [AttributeValue], _ index: Int, _ options: ComparisonOptions
  ) -> String? {
    let kind = left.kind
    var conditions: [String] = []
    var listed: [AttributeValue] = []
    for (position, value) in list.enumerated() {
      if value.isListable(beside: kind) {
        listed.append(value)
      } else if let condition = compare(left, .in, .constant(value, .element(index, position)), options),
        condition != "0"
      {
        conditions.append(condition)
      }
    }
    if !listed.isEmpty {
      let isWhole = (kind == .number || kind == .object) && listed.allSatisfy(\.isWhole)
      let value = folded(sql(left), kind, options)
      let parameter = add(
        isWhole ? .integers(index, kind) : .list(index, kind), .ofElements(beside: kind, options))
      conditions.append("\(value) IN (SELECT \(isWhole ? "value" : "any") FROM _integers(\(parameter)))")
    }
    return conditions.isEmpty ? "0" : Self.balanced(conditions[...], " OR ")
  }
}

extension AttributeValue {
  /// Whether SQL compares the value with an expression of a kind as memory does, as an element of a
  /// list.
  fileprivate func isListable(beside kind: SQLKind) -> Bool {
    let own = SQLKind(self)
    if own == .decimal { return kind == .decimal }
    guard own.isBeside(kind), own != .bytes, kind != .null else { return false }
    return kind != .decimal || own != .number || isWhole
  }

  fileprivate var isWhole: Bool {
    switch self {
    case .integer, .reference: true
    default: false
    }
  }
}

extension Binding.Conversion {
  /// The conversion of a list's elements that are compared with an expression of a kind.
  fileprivate static func ofElements(beside kind: SQLKind, _ options: ComparisonOptions) -> Self {
    if kind == .decimal { return .decimal }
    return kind == .text && options.folds ? .folded(options) : .none
  }
}
