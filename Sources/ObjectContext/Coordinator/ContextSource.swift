package import ObjectModel
package import ObjectQuery
package import StoreContract

/// Where a context reads: the stores, a query generation of the stores, or its parent context.
package protocol ContextSource: AnyObject {
  func fetchNodes(_ request: FetchRequest, lookup: (any NodeLookup)?) throws -> [IncrementalStoreNode]
  func fetchObjectIDs(_ request: FetchRequest) throws -> [ManagedObjectID]
  func count(for request: FetchRequest) throws -> Int
  func fetchDictionaries(_ request: FetchRequest) throws -> [[String: AttributeValue]]
  func newValues(for references: [Int64], of entity: EntityDescription) throws -> [IncrementalStoreNode?]
  func wholeValues(for reference: Int64, of entity: EntityDescription) throws -> IncrementalStoreNode?
  func newValues(for relationship: RelationshipDescription, of references: [Int64]) throws
    -> RelationshipDestinations
  func newDestinations(for relationship: RelationshipDescription, of references: [Int64]) throws
    -> DestinationNodes
  func openValue(of attribute: AttributeDescription, of id: ManagedObjectID) throws -> ValueReader?
}

/// A source that asks the store which has the entity.
package protocol RoutedSource: ContextSource {
  func persistentStore(for entity: EntityDescription) throws -> any IncrementalStore
  func store(forEntityNamed name: String) throws -> any IncrementalStore
}

extension RoutedSource {
  /// The nodes of a request's objects.
  ///
  /// One statement.
  package func fetchNodes(_ request: FetchRequest, lookup: (any NodeLookup)? = nil) throws
    -> [IncrementalStoreNode]
  {
    try store(for: request)?.fetchNodes(request, lookup: lookup) ?? []
  }

  /// The IDs of a request's objects.
  ///
  /// One statement.
  package func fetchObjectIDs(_ request: FetchRequest) throws -> [ManagedObjectID] {
    try store(for: request)?.fetchObjectIDs(request) ?? []
  }

  /// The number of a request's objects.
  ///
  /// One statement.
  package func count(for request: FetchRequest) throws -> Int {
    try store(for: request)?.count(for: request) ?? 0
  }

  /// The rows of a request as dictionaries.
  ///
  /// One statement.
  package func fetchDictionaries(_ request: FetchRequest) throws -> [[String: AttributeValue]] {
    try store(for: request)?.fetchDictionaries(request) ?? []
  }

  /// The store of a request's entity; nil when the request leaves that out.
  private func store(for request: FetchRequest) throws -> (any IncrementalStore)? {
    let store = try store(forEntityNamed: request.entityName)
    if let affected = request.affectedStores, !affected.contains(store.identifier) { return nil }
    return store
  }

  package func newValues(for references: [Int64], of entity: EntityDescription) throws
    -> [IncrementalStoreNode?]
  {
    references.isEmpty ? [] : try persistentStore(for: entity).newValues(for: references, of: entity)
  }

  package func wholeValues(for reference: Int64, of entity: EntityDescription) throws -> IncrementalStoreNode?
  {
    try persistentStore(for: entity).wholeValues(for: reference, of: entity)
  }

  package func newValues(for relationship: RelationshipDescription, of references: [Int64]) throws
    -> RelationshipDestinations
  {
    try persistentStore(for: relationship.entity).newValues(for: relationship, of: references)
  }

  package func newDestinations(for relationship: RelationshipDescription, of references: [Int64]) throws
    -> DestinationNodes
  {
    try persistentStore(for: relationship.entity).newDestinations(for: relationship, of: references)
  }

  package func openValue(of attribute: AttributeDescription, of id: ManagedObjectID) throws -> ValueReader? {
    try persistentStore(for: id.entity).openValue(of: attribute, of: id.reference)
  }
}
