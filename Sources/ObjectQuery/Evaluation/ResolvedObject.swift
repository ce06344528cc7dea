import ObjectModel

/// An expression for at most one object, whose names are resolved.
indirect enum ResolvedObject: Sendable {
  case nothing
  case object(Int, EntityDescription)
  case path(Int, ResolvedSteps)
  case element(Int, ResolvedSteps, CollectionIndex, ResolvedSteps?)
  case choice(ResolvedPredicate, ResolvedObject, ResolvedObject)

  init(_ expression: FetchExpression, _ scope: ResolutionScope) throws {
    if case .conditional(let condition, let then, let otherwise) = expression {
      self = .choice(
        try ResolvedPredicate(condition, scope), try ResolvedObject(then, scope),
        try ResolvedObject(otherwise, scope))
      return
    }
    switch try ResolvedExpression(expression, scope) {
    case .value(.null): self = .nothing
    case .object(let place): self = .object(place, scope.entities[place])
    case .path(let place, let path) where path.destination != nil && !path.isPlural: self = .path(place, path)
    case .element(let place, let path, let position, let rest) where rest == nil || rest?.destination != nil:
      self = .element(place, path, position, rest)
    default: throw QueryError(.typeMismatch, "only of one object can be asked what kind it is of")
    }
  }

  /// Its entity by the model; nil for no object.
  var entity: EntityDescription? {
    switch self {
    case .nothing: nil
    case .object(_, let entity): entity
    case .path(_, let path): path.destination
    case .element(_, let path, _, let rest): rest.map(\.destination) ?? path.destination
    case .choice(_, let then, let otherwise): then.entity ?? otherwise.entity
    }
  }

  func object(_ objects: [any QueryObject]) throws -> (any QueryObject)? {
    switch self {
    case .nothing: return nil
    case .object(let place, _): return objects[place]
    case .path(let place, let path): return try path.objects(of: objects[place]).first
    case .element(let place, let path, let position, let rest):
      guard let element = position.element(of: try path.objects(of: objects[place])) else { return nil }
      guard let rest else { return element }
      return try rest.objects(of: element).first
    case .choice(let condition, let then, let otherwise):
      return try (condition.matches(objects) ? then : otherwise).object(objects)
    }
  }
}

extension CollectionIndex {
  /// The element at this index.
  func element<Element>(of elements: [Element]) -> Element? {
    switch self {
    case .first: elements.first
    case .last: elements.last
    case .at(let number): number < elements.count ? elements[number] : nil
    }
  }
}
