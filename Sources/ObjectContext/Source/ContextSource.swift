import ObjectModel
import ObjectQuery
import StoreContract

/// Where a context reads: the stores, one moment of the stores, or the context it is a child of.
protocol ContextSource: AnyObject {
  func fetch(_ request: FetchRequest, lookup: (any NodeLookup)?) throws -> StoreResult
  func newValues(for references: [Int64], of entity: Entity) throws -> [IncrementalStoreNode?]
  func wholeValues(for reference: Int64, of entity: Entity) throws -> IncrementalStoreNode?
  func newValues(for relationship: Relationship, of references: [Int64]) throws -> RelationshipTargets
  func newTargets(for relationship: Relationship, of references: [Int64]) throws -> TargetNodes
  func openValue(of attribute: Attribute, of id: ManagedObjectID) throws -> ValueReader?
}

/// A source that asks the store which has the entity.
protocol RoutedSource: ContextSource {
  func store(for entity: Entity) throws -> any IncrementalStore
  func store(forEntityNamed name: String) throws -> any IncrementalStore
}

extension RoutedSource {
  func fetch(_ request: FetchRequest, lookup: (any NodeLookup)?) throws -> StoreResult {
    let store = try store(forEntityNamed: request.entityName)
    if let affected = request.affectedStores, !affected.contains(store.identifier) {
      return request.emptyResult
    }
    return try store.execute(request, lookup: lookup)
  }

  func newValues(for references: [Int64], of entity: Entity) throws -> [IncrementalStoreNode?] {
    references.isEmpty ? [] : try store(for: entity).newValues(for: references, of: entity)
  }

  func wholeValues(for reference: Int64, of entity: Entity) throws -> IncrementalStoreNode? {
    try store(for: entity).wholeValues(for: reference, of: entity)
  }

  func newValues(for relationship: Relationship, of references: [Int64]) throws -> RelationshipTargets {
    try store(for: relationship.entity).newValues(for: relationship, of: references)
  }

  func newTargets(for relationship: Relationship, of references: [Int64]) throws -> TargetNodes {
    try store(for: relationship.entity).newTargets(for: relationship, of: references)
  }

  func openValue(of attribute: Attribute, of id: ManagedObjectID) throws -> ValueReader? {
    try store(for: id.entity).openValue(of: attribute, of: id.reference)
  }
}
