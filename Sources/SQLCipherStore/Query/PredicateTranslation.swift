import ObjectModel
import ObjectQuery
import StoreContract

/// Predicate parts as SQL conditions over the fetched entity's table `t0` and tables joined along to-one key paths.
///
/// Logic is two-valued as in memory: a condition may yield NULL for false, and `NOT` tests with `IS NOT 1`, so that
/// NULL never turns into true and never survives a negation. Answers nil for what SQL would not decide exactly as
/// memory does; the caller then evaluates that part in memory.
struct PredicateTranslation {
  let entity: Entity
  let schema: StoreSchema
  /// The constants of the predicate, which names them by `RequestShape.constantName`.
  let constants: [FetchExpression]
  private(set) var joins = Joins()
  private(set) var bindings: [Binding] = []
  private var serial = 0

  init(entity: Entity, schema: StoreSchema, constants: [FetchExpression]) {
    self.entity = entity
    self.schema = schema
    self.constants = constants
  }

  /// A column, and what it holds.
  struct Operand {
    let sql: String
    let field: StoredField?  // nil: the object itself
    var alias = "t0"
  }

  /// A condition that every row must meet, or nil.
  mutating func condition(_ predicate: FetchPredicate) -> String? {
    let mark = bindings.count
    if case .comparison(let comparison) = predicate, let result = linked(comparison) ?? attempt(comparison) {
      requireTargets(of: comparison)
      return result
    }
    let result = attempt(predicate)
    if result == nil { bindings.removeSubrange(mark...) }
    return result
  }

  /// "This object is among those a many-to-many leads to" as a join: a pair of the link table comes once.
  private mutating func linked(_ comparison: FetchComparison) -> String? {
    guard comparison.modifier == .any, comparison.operator == .equal, comparison.options.isEmpty,
      case .keyPath(let path) = comparison.left, path.count == 1,
      let (index, constant) = constant(comparison.right), case .value(.reference) = constant,
      let relationship = entity.relationship(named: path[0]), relationship.isToMany,
      relationship.hasLinkTable, relationship.inverse !== relationship,
      let table = schema.linkTable(relationship)
    else { return nil }
    let forward = relationship === table.owner
    guard joins.begin(with: table.name, end: forward ? "_source" : "_target") else { return nil }
    bindings.append(Binding(source: .constant(index), field: nil))
    return "m0.\(forward ? "_target" : "_source") = ?\(bindings.count)"
  }

  /// Where a comparison is false beside null, to-ones that lead nowhere need not be joined as nulls.
  private mutating func requireTargets(of comparison: FetchComparison) {
    guard comparison.modifier == .direct, comparison.operator != .notEqual else { return }
    for side in [comparison.left, comparison.right] {
      if let constant = constant(side)?.expression {
        if case .value(.null) = constant { return }
        if case .list(let list) = constant, list.contains(.value(.null)) { return }
      } else if comparison.operator == .equal, constant(comparison.left) == nil,
        constant(comparison.right) == nil
      {
        return
      }
    }
    for side in [comparison.left, comparison.right] {
      if let operand = operand(side) { joins.require(operand.alias) }
    }
  }

  private mutating func attempt(_ predicate: FetchPredicate) -> String? {
    switch predicate {
    case .constant(let flag): return flag ? "1" : "0"
    case .comparison(let comparison): return attempt(comparison)
    case .and(let parts): return joined(parts, " AND ", empty: "1")
    case .or(let parts): return joined(parts, " OR ", empty: "0")
    case .not(let part): return attempt(part).map { "((\($0)) IS NOT 1)" }
    }
  }

  private mutating func joined(_ parts: [FetchPredicate], _ word: String, empty: String) -> String? {
    if parts.isEmpty { return empty }
    var conditions: [String] = []
    for part in parts {
      guard let condition = attempt(part) else { return nil }
      conditions.append(condition)
    }
    return "(" + conditions.joined(separator: word) + ")"
  }

  private mutating func attempt(_ comparison: FetchComparison) -> String? {
    guard comparison.options.isEmpty else { return nil }
    guard comparison.modifier == .direct else { return attemptPlural(comparison) }
    if let left = operand(comparison.left) { return attempt(left, comparison) }
    guard let (index, constant) = constant(comparison.left), let value = constant.constant,
      let right = operand(comparison.right), let mirrored = comparison.operator.mirrored
    else { return nil }
    return compare(right, mirrored, value, index)
  }

  private mutating func attempt(_ left: Operand, _ comparison: FetchComparison) -> String? {
    guard let (index, constant) = constant(comparison.right) else {
      return operand(comparison.right).flatMap { compare(left, comparison.operator, $0) }
    }
    switch constant {
    case .value(let value): return compare(left, comparison.operator, value, index)
    case .list(let list): return compare(left, comparison.operator, list, index)
    default: return nil
    }
  }

  private func constant(_ expression: FetchExpression) -> (index: Int, expression: FetchExpression)? {
    guard case .variable(let name) = expression, let index = RequestShape.constantIndex(name) else {
      return nil
    }
    return (index, constants[index])
  }

  /// ANY is a subquery that finds a row, ALL one that finds no row to the contrary.
  private mutating func attemptPlural(_ comparison: FetchComparison) -> String? {
    guard case .keyPath(let path) = comparison.left,
      let rows = PluralPath(path, entity, schema, serial: serial),
      let condition = attempt(rows.operand, comparison)
    else { return nil }
    serial += 1
    if comparison.modifier == .any, comparison.operator == .equal, isIndexed(rows.operand) {
      // Few rows meet the condition: find those first, and from them the way back.
      let conditions = [rows.innerLinks, condition].filter { !$0.isEmpty }.joined(separator: " AND ")
      return
        "\(rows.start.outside) IN (SELECT \(rows.start.inside) FROM \(rows.tables) WHERE \(conditions))"
    }
    let wanted = comparison.modifier == .any ? condition : "((\(condition)) IS NOT 1)"
    let exists = "EXISTS (SELECT 1 FROM \(rows.tables) WHERE \(rows.links) AND \(wanted))"
    return comparison.modifier == .any ? exists : "NOT \(exists)"
  }

  private func isIndexed(_ operand: Operand) -> Bool {
    guard let field = operand.field else { return true }
    guard case .attribute(let attribute) = field else { return true }
    return attribute.declaration.isIndexed
      || attribute.entity.uniquenessConstraints.contains { $0.propertyNames.first == attribute.name }
      || attribute.entity.fetchIndexes.contains { $0.elements.first?.propertyName == attribute.name }
  }

  private mutating func compare(
    _ left: Operand, _ op: FetchOperator, _ value: AttributeValue, _ index: Int
  ) -> String? {
    if value.isNull {
      switch op {
      case .equal: return "\(left.sql) IS NULL"
      case .notEqual: return "\(left.sql) IS NOT NULL"
      default: return nil
      }
    }
    switch op {
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
      guard let bound = bind(value, .constant(index), for: left), let sign = op.sign else { return nil }
      return "\(left.sql) \(sign) \(bound)"
    case .contains, .beginsWith, .endsWith:
      guard case .attribute(let attribute)? = left.field, attribute.type == .string,
        case .string(let text) = value, !text.isEmpty, op != .endsWith,
        let bound = bind(value, .constant(index), for: left)
      else { return nil }
      return "instr(\(left.sql), \(bound)) \(op == .contains ? "> 0" : "= 1")"
    default: return nil
    }
  }

  private mutating func compare(
    _ left: Operand, _ op: FetchOperator, _ list: [FetchExpression], _ index: Int
  ) -> String? {
    let values = list.compactMap(\.constant)
    guard values.count == list.count else { return nil }
    switch op {
    case .between:
      guard values.count == 2, let low = bind(values[0], .element(index, 0), for: left),
        let high = bind(values[1], .element(index, 1), for: left)
      else { return nil }
      return "(\(left.sql) >= \(low) AND \(left.sql) <= \(high))"
    case .in:
      var condition = "0"
      let hasNull = values.contains { $0.isNull }
      if isIntegers(values.filter { !$0.isNull }, for: left), !values.isEmpty {
        condition = "\(left.sql) IN (SELECT value FROM _integers(\(add(.integers(index), for: left))))"
      } else {
        guard values.count <= 500 else { return nil }
        var bound: [String] = []
        for (position, value) in values.enumerated() where !value.isNull {
          guard let one = bind(value, .element(index, position), for: left) else { return nil }
          bound.append(one)
        }
        if !bound.isEmpty { condition = "\(left.sql) IN (\(bound.joined(separator: ", ")))" }
      }
      return hasNull ? "(\(condition) OR \(left.sql) IS NULL)" : condition
    default: return nil
    }
  }

  private func compare(_ left: Operand, _ op: FetchOperator, _ right: Operand) -> String? {
    guard left.comparisonClass == right.comparisonClass, left.comparisonClass != nil, let sign = op.sign
    else { return nil }
    return "\(left.sql) \(sign == "=" ? "IS" : sign) \(right.sql)"
  }

  private func isIntegers(_ values: [AttributeValue], for operand: Operand) -> Bool {
    let kind = operand.comparisonClass
    return values.allSatisfy { value in
      switch value {
      case .integer: kind == "number"
      case .reference: kind == "object"
      default: false
      }
    }
  }

  private mutating func bind(_ value: AttributeValue, _ source: Binding.Source, for operand: Operand)
    -> String?
  {
    SQLValue(value, comparedWith: operand.field) == nil ? nil : add(source, for: operand)
  }

  private mutating func add(_ source: Binding.Source, for operand: Operand) -> String {
    bindings.append(Binding(source: source, field: operand.field))
    return "?\(bindings.count)"
  }

  // MARK: Key paths

  mutating func order(_ sort: FetchSort) -> String? {
    guard sort.options.isEmpty, let operand = column(sort.keyPath), operand.isOrdered else { return nil }
    return operand.sql + (sort.ascending ? "" : " DESC")
  }

  private mutating func operand(_ expression: FetchExpression) -> Operand? {
    switch expression {
    case .keyPath(let path): column(path)
    case .selfObject: Operand(sql: "t0._id", field: nil)
    default: nil
    }
  }

  /// The column at the end of a path of to-ones; each step not seen before is one join.
  mutating func column(_ path: [String]) -> Operand? {
    var entity = entity
    var alias = "t0"
    for (index, name) in path.enumerated() {
      guard let property = entity.property(named: name), let column = schema.table(entity).column(property)
      else { return nil }
      if index == path.count - 1 {
        return Operand(sql: "\(alias).\(column.name.quoted)", field: column.field, alias: alias)
      }
      guard case .toOne(let relationship) = column.field else { return nil }
      entity = relationship.destination
      alias = joins.alias(
        Array(path[...index]), table: schema.table(entity).name, from: alias, column: column.name)
    }
    return nil
  }
}

extension PredicateTranslation.Operand {
  /// Whether SQL sorts the column as memory sorts its values.
  var isOrdered: Bool { comparisonClass != nil && comparisonClass != "object" }

  /// Columns of one class compare in SQL as their values do in memory.
  var comparisonClass: String? {
    switch field {
    case nil, .toOne: "object"
    case .attribute(let attribute):
      switch attribute.type {
      case .integer16, .integer32, .integer64, .double, .float, .boolean: "number"
      case .date, .string, .uri, .binary, .uuid, .decimal: attribute.type.rawValue
      default: nil
      }
    }
  }
}

extension FetchOperator {
  var sign: String? {
    switch self {
    case .equal: "="
    case .notEqual: "IS NOT"
    case .less: "<"
    case .lessOrEqual: "<="
    case .greater: ">"
    case .greaterOrEqual: ">="
    default: nil
    }
  }

  /// The operator with its sides exchanged.
  var mirrored: FetchOperator? {
    switch self {
    case .equal, .notEqual: self
    case .less: .greater
    case .lessOrEqual: .greaterOrEqual
    case .greater: .less
    case .greaterOrEqual: .lessOrEqual
    default: nil
    }
  }
}
