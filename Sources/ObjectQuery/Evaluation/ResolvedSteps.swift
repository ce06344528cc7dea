import ObjectModel

/// A key path whose names have been looked up.
struct ResolvedSteps: Sendable {
  enum End: Sendable {
    case attribute(AttributeDescription)
    /// A path into a composite, or into the JSON of a transformable attribute.
    case element(AttributeDescription, [String])
    case toOne(RelationshipDescription)
    case toMany(RelationshipDescription)

    /// The entity that declares it.
    ///
    /// Objects of a superentity have no such property.
    var entity: EntityDescription {
      switch self {
      case .attribute(let attribute), .element(let attribute, _): attribute.entity
      case .toOne(let relationship), .toMany(let relationship): relationship.entity
      }
    }
  }

  let steps: [RelationshipDescription]
  let end: End
  /// Whether a step names a property that not every object there has.
  private var isCast = false

  init(_ names: [String], from entity: EntityDescription) throws {
    var entity = entity
    var steps: [RelationshipDescription] = []
    guard !names.isEmpty else { throw QueryError(.unknownKey, "a key path is empty") }
    for (index, name) in names.enumerated() {
      guard let property = entity.queryProperty(named: name) else {
        throw QueryError(
          .unknownKey,
          "\(entity.name) has no property \(name)"
            + NearestName.question(name, among: entity.properties.map(\.name)))
      }
      let isLast = index == names.count - 1
      if entity.property(named: name) == nil { isCast = true }
      switch property {
      case .attribute(let attribute):
        let rest = Array(names[(index + 1)...])
        if !isLast, attribute.isOpaque { throw QueryError.opaque(attribute) }
        guard isLast || attribute.type == .transformable || attribute.element(rest) != nil else {
          throw QueryError(
            .unknownKey,
            attribute.type == .composite
              ? "the composite \(entity.name).\(name) has no element \(rest.joined(separator: "."))"
              : "\(entity.name).\(name) is an attribute; no key can follow it")
        }
        self.steps = steps
        end = isLast ? .attribute(attribute) : .element(attribute, rest)
        return
      case .relationship(let relationship):
        if isLast {
          self.steps = steps
          end = relationship.isToMany ? .toMany(relationship) : .toOne(relationship)
          return
        }
        steps.append(relationship)
        entity = relationship.destination
      }
    }
    throw QueryError(.unknownKey, "a key path leads nowhere")
  }

  /// Whether it may have several values.
  var isPlural: Bool {
    if steps.contains(where: \.isToMany) { return true }
    if case .toMany = end { return true }
    return false
  }

  /// The one value; null where a to-one is null.
  func value(of object: any QueryObject) throws -> AttributeValue {
    var object = object
    for step in steps {
      guard has(object, step.entity), let next = try object.queryDestination(of: step) else {
        return .null
      }
      object = next
    }
    guard has(object, end.entity) else { return .null }
    switch end {
    case .attribute(let attribute): return try object.queryValue(of: attribute)
    case .element(let attribute, let names): return try object.queryValue(of: attribute).element(names)
    case .toOne(let relationship):
      return try object.queryDestination(of: relationship).map { .reference($0.queryReference) } ?? .null
    case .toMany: return .null
    }
  }

  /// Whether its values may be collections, stored as JSON.
  var mayHaveEntries: Bool {
    switch end {
    case .attribute(let attribute), .element(let attribute, _): attribute.type == .transformable
    case .toOne, .toMany: false
    }
  }

  /// The last attribute, when a value transformer makes its values.
  var opaque: AttributeDescription? {
    if case .attribute(let attribute) = end, attribute.isOpaque { attribute } else { nil }
  }

  /// The destination of a path to objects.
  var destination: EntityDescription? {
    switch end {
    case .toOne(let relationship), .toMany(let relationship): relationship.destination
    case .attribute, .element: nil
    }
  }

  /// The objects at the end of a path to objects.
  func objects(of object: any QueryObject) throws -> [any QueryObject] {
    switch end {
    case .toOne(let relationship), .toMany(let relationship):
      try follow(steps + [relationship], from: object)
    case .attribute, .element: []
    }
  }

  /// All values; none where a step is null.
  func values(of object: any QueryObject) throws -> [AttributeValue] {
    if destination != nil { return try objects(of: object).map { .reference($0.queryReference) } }
    let last = ResolvedSteps(steps: [], end: end, isCast: isCast)
    return try follow(steps, from: object).map { try last.value(of: $0) }
  }

  private func has(_ object: any QueryObject, _ entity: EntityDescription) -> Bool {
    !isCast || object.queryEntity.isKind(of: entity)
  }

  private func follow(_ steps: [RelationshipDescription], from object: any QueryObject) throws
    -> [any QueryObject]
  {
    var objects = [object]
    for step in steps {
      objects = try objects.flatMap { object -> [any QueryObject] in
        guard has(object, step.entity) else { return [] }
        if step.isToMany { return try object.queryDestinations(of: step) }
        return try object.queryDestination(of: step).map { [$0] } ?? []
      }
    }
    return objects
  }

  private init(steps: [RelationshipDescription], end: End, isCast: Bool) {
    self.steps = steps
    self.end = end
    self.isCast = isCast
  }
}
