package import ObjectModel
package import ObjectQuery

/// A stored object as predicates see it when they are evaluated in memory.
package struct StoreQueryObject: QueryObject {
  package let store: any IncrementalStore
  package let node: IncrementalStoreNode

  package init(_ node: IncrementalStoreNode, in store: any IncrementalStore) {
    self.node = node
    self.store = store
  }

  package var queryEntity: EntityDescription { node.entity }
  package var queryReference: Int64 { node.reference }

  package func queryValue(of attribute: AttributeDescription) throws -> AttributeValue {
    guard attribute.isExternal, node.isUnread(attribute.field) else { return node.value(of: attribute) }
    guard let whole = try store.wholeValues(for: node.reference, of: node.entity) else {
      throw StoreError(.notFound, "a \(node.entity.name) was deleted while it was looked at; ask again")
    }
    return whole.value(of: attribute)
  }

  package func queryDestination(of toOne: RelationshipDescription) throws -> (any QueryObject)? {
    guard toOne.field >= 0, let reference = node.reference(toOne.field) else { return nil }
    return try store.newValues(for: [reference], of: toOne.destination)[0]
      .map { StoreQueryObject($0, in: store) }
  }

  package func queryDestinations(of toMany: RelationshipDescription) throws -> [any QueryObject] {
    let destinations = try store.newValues(for: toMany, of: [node.reference])
    return try store.newValues(for: destinations.references, of: toMany.destination).compactMap {
      $0.map { StoreQueryObject($0, in: store) }
    }
  }
}
