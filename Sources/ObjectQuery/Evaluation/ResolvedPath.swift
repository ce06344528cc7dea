import ObjectModel

/// A key path whose names have been looked up.
struct ResolvedPath: Sendable {
  enum End: Sendable {
    case attribute(Attribute)
    /// Names that lead into a composite, or into the JSON of a transformable attribute.
    case element(Attribute, [String])
    case toOne(Relationship)
    case toMany(Relationship)
    case count(Relationship)
  }

  let steps: [Relationship]
  let end: End

  init(_ names: [String], from entity: Entity) throws {
    var entity = entity
    var steps: [Relationship] = []
    guard !names.isEmpty else { throw QueryError(.unknownKey, "a key path is empty") }
    for (index, name) in names.enumerated() {
      guard let property = entity.property(named: name) else {
        throw QueryError(.unknownKey, "\(entity.name) has no property \(name)")
      }
      let isLast = index == names.count - 1
      switch property {
      case .attribute(let attribute):
        let rest = Array(names[(index + 1)...])
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
        if index == names.count - 2, names[index + 1] == "@count", relationship.isToMany {
          self.steps = steps
          end = .count(relationship)
          return
        }
        steps.append(relationship)
        entity = relationship.destination
      }
    }
    throw QueryError(.unknownKey, "a key path leads nowhere")
  }

  /// Whether it may lead to several values.
  var isPlural: Bool {
    if steps.contains(where: \.isToMany) { return true }
    if case .toMany = end { return true }
    return false
  }

  /// The one value; null where a to-one leads nowhere.
  func value(of object: any QueryObject) throws -> AttributeValue {
    var object = object
    for step in steps {
      guard let next = try object.queryTarget(of: step) else {
        if case .count = end { return .integer(0) }
        return .null
      }
      object = next
    }
    switch end {
    case .attribute(let attribute): return try object.queryValue(of: attribute)
    case .element(let attribute, let names): return try object.queryValue(of: attribute).element(names)
    case .toOne(let relationship):
      return try object.queryTarget(of: relationship).map { .reference($0.queryReference) } ?? .null
    case .count(let relationship): return .integer(Int64(try object.queryTargets(of: relationship).count))
    case .toMany: return .null
    }
  }

  /// All values.
  func values(of object: any QueryObject) throws -> [AttributeValue] {
    var objects = [object]
    for step in steps {
      var next: [any QueryObject] = []
      for object in objects {
        if step.isToMany {
          next += try object.queryTargets(of: step)
        } else if let target = try object.queryTarget(of: step) {
          next.append(target)
        }
      }
      objects = next
    }
    if case .toMany(let relationship) = end {
      return try objects.flatMap {
        try $0.queryTargets(of: relationship).map { .reference($0.queryReference) }
      }
    }
    let last = ResolvedPath(steps: [], end: end)
    return try objects.map { try last.value(of: $0) }
  }

  private init(steps: [Relationship], end: End) {
    self.steps = steps
    self.end = end
  }
}
