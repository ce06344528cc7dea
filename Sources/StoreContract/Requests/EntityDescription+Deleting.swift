public import ObjectModel
package import ObjectQuery

extension EntityDescription {
  /// The to-ones that must not reference an object of this entity once it is deleted: the inverses
  /// of its to-manys whose delete rule is not "no action", and unidirectional to-ones whose own
  /// rule is not.
  public var referencingRelationships: [RelationshipDescription] {
    unidirectionalToOnes.filter { $0.deleteRule != .noAction }
      + relationships.compactMap { relationship in
        guard relationship.isToMany, !relationship.isTransient, relationship.deleteRule != .noAction,
          let inverse = relationship.inverse, !inverse.isToMany, inverse.field >= 0
        else { return nil }
        return inverse
      }
  }
}

extension FetchPredicate {
  /// Whether a to-one references one of some objects.
  package static func references(_ toOne: RelationshipDescription, to references: [Int64]) -> FetchPredicate {
    let list = FetchExpression.list(references.map { .value(.reference($0)) })
    return .comparison(FetchComparison(.keyPath([toOne.name]), .in, list))
  }
}
