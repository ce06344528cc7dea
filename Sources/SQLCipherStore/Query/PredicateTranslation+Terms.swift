import ObjectModel
import ObjectQuery
import StoreContract

extension PredicateTranslation {
  /// The rows of a collection, and the value of each.
  struct Rows {
    let path: PathRows
    let conditions: [String]
    let end: SQLTerm
  }

  /// Whether an expression may have several values.
  func isCollection(_ expression: FetchExpression) -> Bool {
    switch expression {
    case .subquery, .list: true
    case .keyPath, .variable:
      if let (scope, names) = path(of: expression) {
        isPlural(names, scope.entity) && !isAggregate(names)
      } else {
        false
      }
    default: false
    }
  }

  private func isAggregate(_ names: [String]) -> Bool {
    guard names.contains(where: { $0.hasPrefix("@") }) else { return false }
    if case .aggregate? = try? FetchExpression.collectionOperator(in: names) { return true }
    return false
  }

  private func isPlural(_ names: [String], _ entity: EntityDescription) -> Bool {
    var entity = entity
    for name in names {
      guard let relationship = entity.queryRelationship(named: name) else { return false }
      if relationship.isToMany { return true }
      entity = relationship.destination
    }
    return false
  }

  /// The object a path begins at.
  func path(of expression: FetchExpression) -> (scope: Scope, names: [String])? {
    switch expression {
    case .keyPath(let names): return (scopes[0], names)
    case .variable(let name):
      let parts = name.keyPathNames(keepingEmpty: true)
      guard let scope = scopes.dropFirst().last(where: { $0.variable == parts[0] }) else { return nil }
      return (scope, Array(parts.dropFirst()))
    default: return nil
    }
  }

  /// A list of constants, and which of the request's constants it is.
  func constantList(_ expression: FetchExpression) -> (Int, [AttributeValue])? {
    guard case .variable(let name) = expression, let index = RequestShape.constantIndex(name),
      constants.indices.contains(index),
      case .list(let list) = constants[index]
    else { return nil }
    let values = list.compactMap(\.constant)
    return values.count == list.count ? (index, values) : nil
  }

  /// The elements of a list.
  mutating func elements(_ expression: FetchExpression) -> [SQLTerm?]? {
    if let (index, values) = constantList(expression) {
      return values.enumerated().map { .constant($0.element, .element(index, $0.offset)) }
    }
    guard case .list(let list) = expression else { return nil }
    return list.map { term($0) }
  }

  /// One value of the object fetched; paths over to-ones are joins.
  mutating func single(_ expression: FetchExpression) -> SQLTerm? {
    isCollection(expression) ? nil : term(expression)
  }

  /// One value.
  mutating func term(_ expression: FetchExpression) -> SQLTerm? {
    switch expression {
    case .value(let value): return .constant(value, .fixed(value))
    case .selfObject: return .column("t0._id", .object, alias: "t0", nil)
    case .keyPath(let names): return column(names)
    case .variable(let name):
      if let column = columns[name] { return column }
      if let index = RequestShape.constantIndex(name), constants.indices.contains(index) {
        return constants[index].constant.map { .constant($0, .constant(index)) }
      }
      guard let (scope, names) = path(of: expression) else { return nil }
      return names.isEmpty
        ? .column("\(scope.alias)._id", .object, alias: scope.alias, nil) : value(names, from: scope)
    case .function(let function, let arguments): return call(function, arguments)
    case .aggregate(let aggregate, let part): return self.aggregate(aggregate, part)
    case .conditional(let condition, let then, let otherwise): return choice(condition, then, otherwise)
    case .element(let collection, let place, let names): return element(collection, place, names)
    case .list, .subquery: return nil
    }
  }

  // MARK: Paths

  /// The column at the end of a path of to-ones from the object fetched; each step not seen before
  /// is one join.
  mutating func column(_ names: [String]) -> SQLTerm? {
    if names.contains(where: { $0.hasPrefix("@") }) { return value(names, from: scopes[0]) }
    var entity = entity
    var alias = "t0"
    for (index, name) in names.enumerated() {
      guard let property = entity.queryProperty(named: name) else { return nil }
      if case .relationship(let relationship) = property, index < names.count - 1 {
        guard !relationship.isToMany, let column = schema.table(entity).column(relationship) else {
          return nil
        }
        entity = relationship.destination
        alias = joins.alias(
          Array(names[...index]), table: schema.table(entity).name, from: alias, column: column.name)
      } else {
        return end(property, Array(names[(index + 1)...]), alias, entity)
      }
    }
    return nil
  }

  /// The value of a key path of any object; a subquery where the path crosses relationships.
  private mutating func value(_ names: [String], from scope: Scope) -> SQLTerm? {
    if names.contains(where: { $0.hasPrefix("@") }) {
      guard
        case .aggregate(let aggregate, .keyPath(let path))? = try? FetchExpression.collectionOperator(
          in: names)
      else { return nil }
      return self.aggregate(aggregate, of: rows(path, from: scope))
    }
    if names.count == 1, let property = scope.entity.queryProperty(named: names[0]) {
      return end(property, [], scope.alias, scope.entity)
    }
    guard let rows = rows(names, from: scope) else {
      return scope.entity.queryProperty(named: names[0]).flatMap {
        end($0, Array(names.dropFirst()), scope.alias, scope.entity)
      }
    }
    return .expression("(SELECT \(sql(rows.end)) \(rows.path.source()))", rows.end.kind)
  }

  private mutating func end(
    _ property: PropertyDescription, _ rest: [String], _ alias: String, _ entity: EntityDescription
  ) -> SQLTerm? {
    switch property {
    case .relationship(let relationship):
      guard !relationship.isToMany, let column = schema.table(entity).column(relationship) else { return nil }
      return .column("\(alias).\(column.name.quoted)", .object, alias: alias, column.field)
    case .attribute(let attribute):
      // What is transient is null in every stored row.
      guard let column = schema.table(entity).column(attribute) else { return .expression("NULL", .null) }
      let name = "\(alias).\(column.name.quoted)"
      let kind = SQLKind(attribute.type)
      if rest.isEmpty { return .column(name, kind, alias: alias, column.field) }
      let path = add(.fixed(.string(rest.joined(separator: StoreFunctions.pathSeparator))))
      return .expression("_element('\(kind.rawValue)', \(name), \(path))", .any)
    }
  }

  // MARK: Collections

  /// The rows of a collection; nil for an expression of one value.
  mutating func rows(of expression: FetchExpression) -> Rows? {
    if case .subquery(let subquery) = expression { return rows(of: subquery) }
    if case .keyPath(let names) = expression, names.contains(where: { $0.hasPrefix("@") }) {
      guard case .keyPath(let path)? = try? FetchExpression.collectionOperator(in: names) else { return nil }
      return rows(path, from: scopes[0])
    }
    guard let (scope, names) = path(of: expression), isPlural(names, scope.entity) else { return nil }
    return rows(names, from: scope)
  }

  private mutating func rows(_ names: [String], from scope: Scope) -> Rows? {
    var path = PathRows(from: scope.alias, scope.entity, serial: nextSerial())
    for (index, name) in names.enumerated() {
      guard let property = path.entity.queryProperty(named: name) else { return nil }
      if case .relationship(let relationship) = property {
        guard path.follow(relationship, schema) else { return nil }
      } else {
        guard !path.tables.isEmpty,
          let end = end(property, Array(names[(index + 1)...]), path.alias, path.entity)
        else { return nil }
        return Rows(path: path, conditions: [], end: end)
      }
    }
    guard !path.tables.isEmpty else { return nil }
    return Rows(
      path: path, conditions: [], end: .column("\(path.alias)._id", .object, alias: path.alias, nil))
  }

  private mutating func rows(of subquery: FetchSubquery) -> Rows? {
    guard let (scope, names) = path(of: subquery.collection), var rows = rows(names, from: scope) else {
      return nil
    }
    scopes.append(Scope(variable: subquery.variable, entity: rows.path.entity, alias: rows.path.alias))
    defer { scopes.removeLast() }
    guard let condition = attempt(subquery.predicate) else { return nil }
    if subquery.keyPath.isEmpty {
      return Rows(path: rows.path, conditions: [condition], end: rows.end)
    }
    var path = rows.path
    for (index, name) in subquery.keyPath.enumerated() {
      guard let property = path.entity.queryProperty(named: name) else { return nil }
      if case .relationship(let relationship) = property {
        guard path.follow(relationship, schema) else { return nil }
      } else {
        let rest = Array(subquery.keyPath[(index + 1)...])
        guard let end = end(property, rest, path.alias, path.entity) else { return nil }
        return Rows(path: path, conditions: [condition], end: end)
      }
    }
    rows = Rows(
      path: path, conditions: [condition],
      end: .column("\(path.alias)._id", .object, alias: path.alias, nil))
    return rows
  }

  private mutating func element(
    _ collection: FetchExpression, _ place: CollectionIndex, _ names: [String]
  ) -> SQLTerm? {
    guard let (scope, path) = path(of: collection), let rows = rows(path, from: scope) else { return nil }
    scopes.append(Scope(variable: "\u{0}", entity: rows.path.entity, alias: rows.path.alias))
    defer { scopes.removeLast() }
    let inner = scopes[scopes.count - 1]
    guard let value = names.isEmpty ? rows.end : value(names, from: inner) else { return nil }
    let (isLast, offset) =
      switch place {
      case .first: (false, 0)
      case .last: (true, 0)
      case .at(let number): (false, number)
      }
    return .expression(
      "(SELECT \(sql(value)) \(rows.path.source()) ORDER BY \(rows.path.ordered(descending: isLast))"
        + " LIMIT 1 OFFSET \(offset))", value.kind)
  }
}
