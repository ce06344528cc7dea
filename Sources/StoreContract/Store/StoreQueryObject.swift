package import ObjectModel
package import ObjectQuery

/// A stored object as predicates see it when they are evaluated in memory.
package struct StoreQueryObject: QueryObject {
  private let cohort: QueryCohort
  private let index: Int

  /// An object that is looked at alone.
  package init(_ node: IncrementalStoreNode, in store: any IncrementalStore) {
    self.init(QueryCohort([node], in: store), 0)
  }

  init(_ cohort: QueryCohort, _ index: Int) { (self.cohort, self.index) = (cohort, index) }

  package var node: IncrementalStoreNode { cohort.nodes[index] }
  package var queryEntity: EntityDescription { node.entity }
  package var queryReference: Int64 { node.reference }

  package func queryValue(of attribute: AttributeDescription) throws -> AttributeValue {
    let node = node
    guard attribute.isExternal, node.isUnread(attribute.field) else { return node.value(of: attribute) }
    guard let whole = try cohort.store.wholeValues(for: node.reference, of: node.entity) else {
      throw StoreError(.notFound, "a \(node.entity.name) was deleted while it was looked at; ask again")
    }
    return whole.value(of: attribute)
  }

  package func queryDestination(of toOne: RelationshipDescription) throws -> (any QueryObject)? {
    try cohort.destinations(of: toOne, at: index).first
  }

  package func queryDestinations(of toMany: RelationshipDescription) throws -> [any QueryObject] {
    // A condition of conditions may take hours for one object.
    try FetchProgress.current?.checkCancellation()
    return try cohort.destinations(of: toMany, at: index)
  }
}
