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

  package var queryEntity: Entity { node.entity }
  package var queryReference: Int64 { node.reference }

  package func queryValue(of attribute: Attribute) throws -> AttributeValue {
    guard attribute.isExternal, node.isUnread(attribute.field) else { return node.value(of: attribute) }
    guard let whole = try store.wholeValues(for: node.reference, of: node.entity) else {
      throw StoreError(.notFound, "a \(node.entity.name) was deleted while it was looked at; ask again")
    }
    return whole.value(of: attribute)
  }

  package func queryTarget(of toOne: Relationship) throws -> (any QueryObject)? {
    guard toOne.field >= 0, let reference = node.target(toOne.field) else { return nil }
    return try store.newValues(for: [reference], of: toOne.destination)[0]
      .map { StoreQueryObject($0, in: store) }
  }

  package func queryTargets(of toMany: Relationship) throws -> [any QueryObject] {
    let targets = try store.newValues(for: toMany, of: [node.reference])
    return try store.newValues(for: targets.references, of: toMany.destination).compactMap {
      $0.map { StoreQueryObject($0, in: store) }
    }
  }
}
