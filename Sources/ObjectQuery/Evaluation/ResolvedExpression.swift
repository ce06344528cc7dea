import ObjectModel

/// An expression whose names are resolved.
///
/// `objects` in its functions are the object itself and then the elements of the enclosing
/// subqueries.
indirect enum ResolvedExpression: Sendable {
  case value(AttributeValue)
  case list([ResolvedExpression])
  case object(Int)
  case path(Int, ResolvedSteps)
  case function(FetchFunction, [ResolvedExpression])
  case aggregate(FetchAggregate, ResolvedExpression, AttributeType?)
  /// Over the elements of a collection that one attribute stores.
  case entries(FetchAggregate, ResolvedExpression)
  case subquery(Int, ResolvedSteps, ResolvedPredicate, ResolvedSteps?)
  case conditional(ResolvedPredicate, ResolvedExpression, ResolvedExpression)
  case element(Int, ResolvedSteps, CollectionIndex, ResolvedSteps?)

  init(_ expression: FetchExpression, _ scope: ResolutionScope) throws {
    switch expression {
    case .value(let value): self = .value(value)
    case .list(let list): self = .list(try list.map { try ResolvedExpression($0, scope) })
    case .selfObject: self = .object(0)
    case .keyPath(let names): self = try Self.path(0, names, scope)
    case .variable(let name):
      switch try scope.meaning(of: name) {
      case .value(let value): self = .value(value)
      case .object(let index, let names):
        self = names.isEmpty ? .object(index) : try Self.path(index, names, scope)
      }
    case .function(let function, let arguments): self = try Self.function(function, arguments, scope)
    case .aggregate(let aggregate, let part): self = try Self.aggregate(aggregate, part, scope)
    case .subquery(let subquery): self = try Self.subquery(subquery, scope)
    case .conditional(let condition, let then, let otherwise):
      let branches = (try ResolvedExpression(then, scope), try ResolvedExpression(otherwise, scope))
      guard !branches.0.isPlural, !branches.1.isPlural else {
        throw QueryError(.typeMismatch, "a choice is between single values")
      }
      self = .conditional(try ResolvedPredicate(condition, scope), branches.0, branches.1)
    case .element(let collection, let position, let names):
      self = try Self.element(of: collection, position, names, scope)
    }
  }

  private static func function(
    _ function: FetchFunction, _ arguments: [FetchExpression], _ scope: ResolutionScope
  ) throws -> ResolvedExpression {
    guard arguments.count == function.argumentCount else {
      throw QueryError(
        .typeMismatch, "\(function.rawValue) takes \(function.argumentCount.counted("argument"))")
    }
    let resolved = try arguments.map { try ResolvedExpression($0, scope) }
    guard !resolved.contains(where: \.isPlural) else {
      throw QueryError(.typeMismatch, "\(function.rawValue) takes single values; use an aggregate")
    }
    if let attribute = resolved.lazy.compactMap(\.opaque).first { throw QueryError.opaque(attribute) }
    return .function(function, resolved)
  }

  private static func aggregate(
    _ aggregate: FetchAggregate, _ part: FetchExpression, _ scope: ResolutionScope
  ) throws -> ResolvedExpression {
    let resolved = try ResolvedExpression(part, scope)
    if aggregate != .count || !resolved.isPlural, let attribute = resolved.opaque {
      throw QueryError.opaque(attribute)
    }
    if resolved.mayHaveEntries { return .entries(aggregate, resolved) }
    guard resolved.isPlural else {
      throw QueryError(.typeMismatch, "\(aggregate.rawValue) takes a collection")
    }
    if [.sum, .average, .median].contains(aggregate), !resolved.mayBeNumbers {
      throw QueryError(.typeMismatch, "\(aggregate.rawValue) takes numbers")
    }
    return .aggregate(aggregate, resolved, resolved.attributeType)
  }

  private static func subquery(_ subquery: FetchSubquery, _ scope: ResolutionScope) throws
    -> ResolvedExpression
  {
    let (index, names) = try scope.path(of: subquery.collection)
    let path = try ResolvedSteps(names, from: scope.entities[index])
    guard let destination = path.destination else {
      throw QueryError(.typeMismatch, "SUBQUERY takes a key path to objects")
    }
    let inner = scope.adding(subquery.variable, destination)
    let rest = subquery.keyPath.isEmpty ? nil : try ResolvedSteps(subquery.keyPath, from: destination)
    return .subquery(index, path, try ResolvedPredicate(subquery.predicate, inner), rest)
  }

  private static func element(
    of collection: FetchExpression, _ position: CollectionIndex, _ names: [String], _ scope: ResolutionScope
  ) throws -> ResolvedExpression {
    let (index, path) = try scope.path(of: collection)
    let resolved = try ResolvedSteps(path, from: scope.entities[index])
    guard let destination = resolved.destination, case .toMany = resolved.end,
      !resolved.steps.contains(where: \.isToMany)
    else { throw QueryError(.typeMismatch, "an index takes one to-many relationship") }
    if case .at(let number) = position, number < 0 {
      throw QueryError(.typeMismatch, "an index begins at 0")
    }
    let rest = names.isEmpty ? nil : try ResolvedSteps(names, from: destination)
    if rest?.isPlural == true {
      throw QueryError(.typeMismatch, "a path from an indexed object must end in one value")
    }
    return .element(index, resolved, position, rest)
  }

  private static func path(_ place: Int, _ names: [String], _ scope: ResolutionScope) throws
    -> ResolvedExpression
  {
    if let aggregate = try FetchExpression.collectionOperator(in: names) {
      return try ResolvedExpression(aggregate.rooted(at: place, scope), scope)
    }
    return .path(place, try ResolvedSteps(names, from: scope.entities[place]))
  }

  /// Whether it may have several values.
  var isPlural: Bool {
    switch self {
    case .path(_, let path): path.isPlural
    case .subquery, .list: true
    default: false
    }
  }

  /// Whether it is one value that may be a collection, stored as JSON.
  private var mayHaveEntries: Bool {
    switch self {
    case .path(_, let path) where !path.isPlural, .element(_, _, _, let path?): path.mayHaveEntries
    case .conditional(_, let then, let otherwise): then.mayHaveEntries || otherwise.mayHaveEntries
    default: false
    }
  }

  /// The attribute whose values it has, when a value transformer makes them.
  var opaque: AttributeDescription? {
    switch self {
    case .path(_, let path), .subquery(_, _, _, let path?), .element(_, _, _, let path?): path.opaque
    case .conditional(_, let then, let otherwise): then.opaque ?? otherwise.opaque
    case .list(let list): list.lazy.compactMap(\.opaque).first
    default: nil
    }
  }

  /// Whether the value of a transformable attribute can equal it: bytes, null, or a value of the
  /// same transformer.
  func mayEqual(_ attribute: AttributeDescription) -> Bool {
    switch self {
    case .value(let value): value.isNull || value.isData
    case .list(let list): list.allSatisfy { $0.mayEqual(attribute) }
    case .conditional(_, let then, let otherwise):
      then.mayEqual(attribute) && otherwise.mayEqual(attribute)
    default: opaque?.declaration.valueTransformerName == attribute.declaration.valueTransformerName
    }
  }

  /// Whether a sum makes sense.
  private var mayBeNumbers: Bool {
    switch self {
    case .object, .subquery(_, _, _, nil): false
    case .path(_, let path), .subquery(_, _, _, let path?):
      switch path.end {
      case .attribute(let attribute):
        switch attribute.type {
        case .integer16, .integer32, .integer64, .double, .float, .decimal, .boolean, .undefined: true
        default: false
        }
      case .element: true
      case .toOne, .toMany: false
      }
    default: true
    }
  }

  /// What values of an attribute's path have.
  var attributeType: AttributeType? {
    switch self {
    case .path(_, let path), .subquery(_, _, _, let path?):
      if case .attribute(let attribute) = path.end { attribute.type } else { nil }
    default: nil
    }
  }

  /// The one value.
  func value(_ objects: [any QueryObject]) throws -> AttributeValue {
    switch self {
    case .value(let value): return value
    case .list, .subquery: return .null
    case .object(let place): return .reference(objects[place].queryReference)
    case .path(let place, let path): return try path.value(of: objects[place])
    case .function(let function, let arguments):
      return function.value(try arguments.map { try $0.value(objects) })
    case .aggregate(let aggregate, let part, let type):
      return aggregate.value(of: try part.values(objects), type: type)
    case .entries(let aggregate, let part):
      return try part.value(objects).storedEntries.map { aggregate.value(of: $0, type: nil) } ?? .null
    case .conditional(let condition, let then, let otherwise):
      return try (condition.matches(objects) ? then : otherwise).value(objects)
    case .element(let place, let path, let position, let rest):
      guard let element = position.element(of: try path.objects(of: objects[place])) else { return .null }
      return try rest?.value(of: element) ?? .reference(element.queryReference)
    }
  }

  /// All values; one for an expression that is not plural.
  func values(_ objects: [any QueryObject]) throws -> [AttributeValue] {
    switch self {
    case .list(let list): return try list.flatMap { try $0.values(objects) }
    case .path(let place, let path) where path.isPlural: return try path.values(of: objects[place])
    case .subquery(let place, let path, let predicate, let rest):
      return try path.objects(of: objects[place]).filter { try predicate.matches(objects + [$0]) }.flatMap {
        try rest?.values(of: $0) ?? [.reference($0.queryReference)]
      }
    default: return [try value(objects)]
    }
  }
}

extension FetchExpression {
  /// A path from the object, or an aggregate over one, as one from another object of the scope.
  fileprivate func rooted(at place: Int, _ scope: ResolutionScope) -> FetchExpression {
    guard let name = scope.name(of: place) else { return self }
    switch self {
    case .keyPath(let names): return .variable(([name] + names).joined(separator: "."))
    case .aggregate(let aggregate, let path): return .aggregate(aggregate, path.rooted(at: place, scope))
    default: return self
    }
  }
}

extension ResolutionScope {
  /// The variable that stands for an object but the first.
  package func name(of place: Int) -> String? { place == 0 ? nil : variableNames[place - 1] }
}
