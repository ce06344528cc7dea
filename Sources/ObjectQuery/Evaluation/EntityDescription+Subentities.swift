package import ObjectModel

extension EntityDescription {
  /// The property that a step of a path names: one of the entity's own, or with `Subentity:name`,
  /// one of another entity of its hierarchy.
  package func queryProperty(named name: String) -> PropertyDescription? {
    if let property = property(named: name) { return property }
    guard let end = name.unicodeScalars.firstIndex(of: ":") else { return nil }
    let rest = name.unicodeScalars[name.unicodeScalars.index(after: end)...]
    return root.hierarchy.first { $0.name == String(name[..<end]) }?.property(named: String(rest))
  }

  /// The relationship that a step of a path names.
  package func queryRelationship(named name: String) -> RelationshipDescription? {
    if case .relationship(let relationship)? = queryProperty(named: name) { return relationship }
    return nil
  }
}

extension FetchExpression {
  /// A step of a path to a property that only objects of a subentity have.
  static func step(_ name: String, of entity: String) -> String { "\(entity):\(name)" }
}
