import ObjectModel
import ObjectQuery
import StoreContract

/// Refuses requests that need sealed values to be understood by the server: memory does not take over, since
/// it would read every row of the table.
struct SealedRequest {
  private var entity: EntityDescription
  /// The entities of the elements that a subquery's condition is about, by their variables.
  private var variables: [String: EntityDescription] = [:]

  /// - Throws: `unsupportedRequest` with the name of the attribute; `QueryError` for a search of no index.
  static func check(_ request: FetchRequest, _ entity: EntityDescription) throws {
    let scope = SealedRequest(entity: entity)
    if let predicate = request.predicate { try scope.check(predicate) }
    for descriptor in request.sortDescriptors {
      if let sealed = scope.sealed(descriptor.keyPath, from: entity) {
        throw refusal(sealed, "a request cannot be sorted by it")
      }
    }
    if request.resultType == .dictionaries { try scope.checkColumns(request) }
  }

  private func checkColumns(_ request: FetchRequest) throws {
    let all = entity.attributes.map { ExpressionDescription($0.name) }
    for column in request.propertiesToFetch ?? all {
      if column.aggregate == nil, let path = column.keyPath, !path.contains(where: { $0.hasPrefix("@") }) {
        guard request.returnsDistinctResults, let sealed = sealed(path, from: entity) else { continue }
        throw Self.refusal(sealed, "a request of distinct results cannot have it as a column")
      }
      if let sealed = try sealed(in: column.expression) {
        throw Self.refusal(sealed, "a column can be its value, and nothing that is computed of it")
      }
    }
    for name in request.propertiesToGroupBy {
      if let sealed = sealed(name.split(separator: ".").map(String.init), from: entity) {
        throw Self.refusal(sealed, "a request cannot be grouped by it")
      }
    }
    if let having = request.havingPredicate { try check(having) }
  }

  private static func refusal(_ attribute: AttributeDescription, _ reason: String) -> StoreError {
    StoreError(
      .unsupportedRequest,
      "\(attribute.entity.name).\(attribute.name) is sealed, so \(reason); change the request")
  }

  // MARK: Conditions

  private func check(_ predicate: FetchPredicate) throws {
    switch predicate {
    case .constant, .kind: break
    case .and(let all), .or(let all): for one in all { try check(one) }
    case .not(let one): try check(one)
    case .comparison(let comparison): try check(comparison)
    }
  }

  private func check(_ comparison: FetchComparison) throws {
    let (left, right) = (comparison.left, comparison.right)
    if let sealed = path(left), Self.isConstant(right) {
      return try check(comparison, sealed, right)
    }
    if let sealed = path(right), Self.isConstant(left) {
      return try check(comparison, sealed, left)
    }
    if let sealed = try sealed(in: left) ?? sealed(in: right) {
      throw Self.refusal(
        sealed,
        sealed.sealing == .equality
          ? "a condition can compare it with constants only, as it is and in no expression"
          : "a condition can ask only whether it has a value")
    }
  }

  private func check(
    _ comparison: FetchComparison, _ attribute: AttributeDescription, _ constant: FetchExpression
  ) throws {
    let isEquality = [.equal, .notEqual, .in].contains(comparison.operator) && !comparison.options.folds
    if case .value(.null) = constant, isEquality { return }
    guard attribute.sealing == .equality else {
      throw Self.refusal(attribute, "a condition can ask only whether it has a value")
    }
    if !isEquality {
      throw Self.refusal(attribute, "a condition can compare it by ==, != and IN only, without options")
    }
  }

  private static func isConstant(_ expression: FetchExpression) -> Bool {
    switch expression {
    case .value: true
    case .list(let parts): parts.allSatisfy(isConstant)
    default: false
    }
  }

  // MARK: Expressions

  /// The sealed attribute that an expression is.
  private func path(_ expression: FetchExpression) -> AttributeDescription? {
    switch expression {
    case .keyPath(let names) where !names.contains { $0.hasPrefix("@") }: return sealed(names, from: entity)
    case .variable(let name):
      let names = name.split(separator: ".").map(String.init)
      guard let first = names.first, let entity = variables[first] else { return nil }
      return sealed(Array(names.dropFirst()), from: entity)
    default: return nil
    }
  }

  /// A sealed attribute that an expression reads.
  private func sealed(in expression: FetchExpression) throws -> AttributeDescription? {
    switch expression {
    case .value, .selfObject: return nil
    case .keyPath(let names): return sealed(names, from: entity)
    case .variable: return path(expression)
    case .list(let parts), .function(_, let parts): return try parts.lazy.compactMap(sealed).first
    case .aggregate(_, let part): return try sealed(in: part)
    case .conditional(let condition, let then, let otherwise):
      try check(condition)
      return try sealed(in: then) ?? sealed(in: otherwise)
    case .element(let collection, _, let names): return sealed(names, from: destination(collection))
    case .subquery(let subquery):
      guard let destination = destination(subquery.collection) else { return nil }
      var inner = self
      inner.variables[subquery.variable] = destination
      try inner.check(subquery.predicate)
      return sealed(subquery.keyPath, from: destination)
    }
  }

  /// The entity of the objects that an expression of relationships leads to.
  private func destination(_ expression: FetchExpression) -> EntityDescription? {
    switch expression {
    case .selfObject: return entity
    case .keyPath(let names): return destination(names, from: entity)
    case .variable(let name):
      let names = name.split(separator: ".").map(String.init)
      return names.first.flatMap { destination(Array(names.dropFirst()), from: variables[$0]) }
    case .subquery(let subquery):
      return destination(subquery.keyPath, from: destination(subquery.collection))
    case .element(let collection, _, let names):
      return destination(names, from: destination(collection))
    default: return nil
    }
  }

  private func destination(_ names: [String], from start: EntityDescription?) -> EntityDescription? {
    names.lazy.filter { !$0.hasPrefix("@") }.reduce(start) { entity, name in
      entity?.queryRelationship(named: name)?.destination
    }
  }

  /// The sealed attribute that a path leads to or into.
  private func sealed(_ names: [String], from start: EntityDescription?) -> AttributeDescription? {
    var entity = start
    for name in names where !name.hasPrefix("@") {
      switch entity?.queryProperty(named: name) {
      case .attribute(let attribute)?: return attribute.sealing == nil ? nil : attribute
      case .relationship(let relationship)?: entity = relationship.destination
      case nil: return nil
      }
    }
    return nil
  }
}
