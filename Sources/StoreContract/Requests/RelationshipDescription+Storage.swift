public import ObjectModel

extension RelationshipDescription {
  /// Whether the relationship is stored in a join table: many-to-many, a to-many without a to-one
  /// inverse, and every ordered relationship.
  public var hasJoinTable: Bool {
    if isTransient { return false }
    guard let inverse else { return isToMany }
    return isToMany && (isOrdered || inverse.isToMany)
      || !isToMany && inverse.isToMany && inverse.isOrdered
  }

  /// Of a relationship and its inverse, the one that names the join table: the to-many, or of two
  /// the one whose entity and name come first.
  ///
  /// One table serves both directions.
  public var joinTableOwner: RelationshipDescription {
    guard let inverse, inverse !== self else { return self }
    if isToMany != inverse.isToMany { return isToMany ? self : inverse }
    return (entity.name, name) <= (inverse.entity.name, inverse.name) ? self : inverse
  }
}
