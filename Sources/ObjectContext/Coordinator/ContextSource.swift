import ObjectModel
import ObjectQuery
import StoreContract

/// Where a context reads: the stores, one moment of the stores, or the context it is a child of.
protocol ContextSource: AnyObject {
  func fetch(_ request: FetchRequest, lookup: (any NodeLookup)?) throws -> StoreResult
  func newValues(for references: [Int64], of entity: EntityDescription) throws -> [IncrementalStoreNode?]
  func wholeValues(for reference: Int64, of entity: EntityDescription) throws -> IncrementalStoreNode?
  func newValues(for relationship: RelationshipDescription, of references: [Int64]) throws
    -> RelationshipDestinations
  func newDestinations(for relationship: RelationshipDescription, of references: [Int64]) throws
    -> DestinationNodes
  func openValue(of attribute: AttributeDescription, of id: ManagedObjectID) throws -> ValueReader?
}

/// A source that asks the store which has the entity.
protocol RoutedSource: ContextSource {
  func persistentStore(for entity: EntityDescription) throws -> any IncrementalStore
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

  func newValues(for references: [Int64], of entity: EntityDescription) throws -> [IncrementalStoreNode?] {
    references.isEmpty ? [] : try persistentStore(for: entity).newValues(for: references, of: entity)
  }

  func wholeValues(for reference: Int64, of entity: EntityDescription) throws -> IncrementalStoreNode? {
    try persistentStore(for: entity).wholeValues(for: reference, of: entity)
  }

  func newValues(for relationship: RelationshipDescription, of references: [Int64]) throws
    -> RelationshipDestinations
  {
    try persistentStore(for: relationship.entity).newValues(for: relationship, of: references)
  }

  func newDestinations(for relationship: RelationshipDescription, of references: [Int64]) throws
    -> DestinationNodes
  {
    try persistentStore(for: relationship.entity).newDestinations(for: relationship, of: references)
  }

  func openValue(of attribute: AttributeDescription, of id: ManagedObjectID) throws -> ValueReader? {
    try persistentStore(for: id.entity).openValue(of: attribute, of: id.reference)
  }
}
