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
  private(set) var joins = ""
  private(set) var bindings: [SQLValue] = []
  private var aliases: [[String]: String] = [[]: "t0"]
  private var serial = 0

  init(entity: Entity, schema: StoreSchema) {
    self.entity = entity
    self.schema = schema
  }

  /// A column, and what it holds.
  struct Operand {
    let sql: String
    let field: StoredField?  // nil: the object itself
  }

  mutating func condition(_ predicate: FetchPredicate) -> String? {
    let mark = bindings.count
    let result = attempt(predicate)
    if result == nil { bindings.removeSubrange(mark...) }
    return result
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
    guard case .value(let value) = comparison.left, let right = operand(comparison.right),
      let mirrored = comparison.operator.mirrored
    else { return nil }
    return compare(right, mirrored, value)
  }

  private mutating func attempt(_ left: Operand, _ comparison: FetchComparison) -> String? {
    switch comparison.right {
    case .value(let value): return compare(left, comparison.operator, value)
    case .list(let list): return compare(left, comparison.operator, list)
    default: return operand(comparison.right).flatMap { compare(left, comparison.operator, $0) }
    }
  }

  /// ANY is a subquery that finds a row, ALL one that finds no row to the contrary.
  private mutating func attemptPlural(_ comparison: FetchComparison) -> String? {
    guard case .keyPath(let path) = comparison.left,
      let rows = PluralPath(path, entity, schema, serial: serial),
      let condition = attempt(rows.operand, comparison)
    else { return nil }
    serial += 1
    let wanted = comparison.modifier == .any ? condition : "((\(condition)) IS NOT 1)"
    let exists = "EXISTS (SELECT 1 FROM \(rows.tables) WHERE \(rows.links) AND \(wanted))"
    return comparison.modifier == .any ? exists : "NOT \(exists)"
  }

  private mutating func compare(_ left: Operand, _ op: FetchOperator, _ value: AttributeValue) -> String? {
    if value.isNull {
      switch op {
      case .equal: return "\(left.sql) IS NULL"
      case .notEqual: return "\(left.sql) IS NOT NULL"
      default: return nil
      }
    }
    switch op {
    case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual:
      guard let bound = bind(value, for: left), let sign = op.sign else { return nil }
      return "\(left.sql) \(sign) \(bound)"
    case .contains, .beginsWith, .endsWith:
      guard case .attribute(let attribute)? = left.field, attribute.type == .string,
        case .string(let text) = value, !text.isEmpty, op != .endsWith, let bound = bind(value, for: left)
      else { return nil }
      return "instr(\(left.sql), \(bound)) \(op == .contains ? "> 0" : "= 1")"
    default: return nil
    }
  }

  private mutating func compare(_ left: Operand, _ op: FetchOperator, _ list: [FetchExpression]) -> String? {
    var values: [AttributeValue] = []
    for element in list {
      guard case .value(let value) = element else { return nil }
      values.append(value)
    }
    switch op {
    case .between:
      guard values.count == 2, let low = bind(values[0], for: left), let high = bind(values[1], for: left)
      else { return nil }
      return "(\(left.sql) >= \(low) AND \(left.sql) <= \(high))"
    case .in:
      let present = values.filter { !$0.isNull }
      var condition = "0"
      if let integers = integers(present, for: left) {
        condition = "\(left.sql) IN (SELECT value FROM _integers(\(add(.integers(integers)))))"
      } else if !present.isEmpty {
        guard present.count <= 500 else { return nil }
        var bound: [String] = []
        for value in present {
          guard let one = bind(value, for: left) else { return nil }
          bound.append(one)
        }
        condition = "\(left.sql) IN (\(bound.joined(separator: ", ")))"
      }
      return present.count == values.count ? condition : "(\(condition) OR \(left.sql) IS NULL)"
    default: return nil
    }
  }

  private func compare(_ left: Operand, _ op: FetchOperator, _ right: Operand) -> String? {
    guard left.comparisonClass == right.comparisonClass, left.comparisonClass != nil, let sign = op.sign
    else { return nil }
    return "\(left.sql) \(sign == "=" ? "IS" : sign) \(right.sql)"
  }

  private func integers(_ values: [AttributeValue], for operand: Operand) -> [Int64]? {
    guard operand.comparisonClass == "object" || operand.comparisonClass == "number" else { return nil }
    var result: [Int64] = []
    for value in values {
      switch value {
      case .integer(let integer) where operand.comparisonClass == "number": result.append(integer)
      case .reference(let reference) where operand.comparisonClass == "object": result.append(reference)
      default: return nil
      }
    }
    return result
  }

  private mutating func bind(_ value: AttributeValue, for operand: Operand) -> String? {
    guard let field = operand.field else {
      guard case .reference(let reference) = value else { return nil }
      return add(.integer(reference))
    }
    return SQLValue(value, comparedWith: field).map { add($0) }
  }

  private mutating func add(_ value: SQLValue) -> String {
    bindings.append(value)
    return "?\(bindings.count)"
  }

  // MARK: Key paths

  mutating func order(_ sort: FetchSort) -> String? {
    guard sort.options.isEmpty, let operand = column(sort.keyPath), operand.comparisonClass != nil,
      operand.comparisonClass != "object"
    else { return nil }
    return operand.sql + (sort.ascending ? "" : " DESC")
  }

  private mutating func operand(_ expression: FetchExpression) -> Operand? {
    switch expression {
    case .keyPath(let path): column(path)
    case .selfObject: Operand(sql: "t0._id", field: nil)
    default: nil
    }
  }

  /// The column at the end of a path of to-ones; each step not seen before is one LEFT JOIN.
  private mutating func column(_ path: [String]) -> Operand? {
    var entity = entity
    var alias = "t0"
    for (index, name) in path.enumerated() {
      guard let property = entity.property(named: name), let column = schema.table(entity).column(property)
      else { return nil }
      if index == path.count - 1 {
        return Operand(sql: "\(alias).\(column.name.quoted)", field: column.field)
      }
      guard case .toOne(let relationship) = column.field else { return nil }
      entity = relationship.destination
      let prefix = Array(path[...index])
      if let known = aliases[prefix] {
        alias = known
      } else {
        let next = "t\(aliases.count)"
        joins +=
          " LEFT JOIN \(schema.table(entity).name.quoted) AS \(next)"
          + " ON \(next)._id = \(alias).\(column.name.quoted)"
        aliases[prefix] = next
        alias = next
      }
    }
    return nil
  }
}

extension PredicateTranslation.Operand {
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
