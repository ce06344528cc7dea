import ObjectModel
import ObjectQuery
public import StoreContract

extension PersistentStoreCoordinator {
  /// Copies everything of a store into a new one, of any kind and place, and puts it in the old
  /// one's stead.
  ///
  /// The old store is closed and stays where it is. Objects have other IDs in the new store;
  /// contexts drop theirs.
  ///
  /// Other contexts' saves and batches wait until it is done, and those begun with the old store's
  /// IDs throw then. The new store must be empty. Attributes derived as `now()` get the time of the
  /// move. Works through the store a thousand objects at a time, each in a transaction of its own.
  /// - Throws: `noStore`; `StoreError`. The coordinator keeps the old store then, and what was made
  ///   of the new one is to be removed by the caller.
  @discardableResult
  public func migratePersistentStore(
    _ store: any IncrementalStore, to description: PersistentStoreDescription
  ) async throws -> any IncrementalStore {
    _ = try entities(of: store)
    let destination = try await open(description)
    do {
      // No context writes meanwhile, so that the new store misses no save.
      try writing.exclusively {
        try StoreCopy(from: store, to: destination, entities(of: store)).run()
        try replace(store, by: destination)
      }
    } catch {
      try? destination.close()
      throw error
    }
    // The move is done whether or not the old store can be closed in order.
    try? store.close()
    return destination
  }
}

/// Copies a store's objects and links into an empty one.
private struct StoreCopy {
  private let source: any IncrementalStore
  private let destination: any IncrementalStore
  private let entities: [EntityDescription]
  private static let portion = 1000

  init(
    from source: any IncrementalStore, to destination: any IncrementalStore, _ entities: [EntityDescription]
  ) {
    self.source = source
    self.destination = destination
    self.entities = entities
  }

  func run() throws {
    let roots = entities.filter { $0.root === $0 }
    var numbers: [EntityDescription: [Int64: ManagedObjectID]] = [:]
    for root in roots {
      guard try destination.count(for: FetchRequest(root.name)) == 0 else {
        throw StoreError(.fileExists, "the new store has objects already; choose an empty one")
      }
      let ids = try source.fetchObjectIDs(FetchRequest(root.name))
      let new = try destination.obtainPermanentIDs(for: ids.map(\.entity))
      numbers[root] = Dictionary(
        zip(ids.map(\.reference), new), uniquingKeysWith: { first, _ in first })
    }
    for root in roots {
      let references = (numbers[root] ?? [:]).keys.sorted()
      for start in stride(from: 0, to: references.count, by: Self.portion) {
        try copyRows(Array(references[start..<min(start + Self.portion, references.count)]), root, numbers)
      }
    }
    var seen: Set<ObjectIdentifier> = []
    for relationship in entities.flatMap(\.relationships).filter(\.hasJoinTable).map(\.joinTableOwner)
    where seen.insert(ObjectIdentifier(relationship)).inserted {
      try copyRelationships(relationship, numbers)
      if let inverse = relationship.inverse, inverse.isToMany, inverse.isOrdered, inverse !== relationship {
        try copyRelationships(inverse, numbers)
      }
    }
    var metadata = SaveChangesRequest()
    metadata.metadata = source.metadata
    try destination.save(metadata)
  }

  private func copyRows(
    _ references: [Int64], _ root: EntityDescription, _ numbers: [EntityDescription: [Int64: ManagedObjectID]]
  ) throws {
    var save = SaveChangesRequest()
    let builder = NodeBuilder()
    for case .some(let listed) in try source.newValues(for: references, of: root) {
      guard let id = numbers[root]?[listed.reference] else { continue }
      let hasUnread = listed.entity.attributes.contains { $0.isExternal && listed.isUnread($0.field) }
      let node = hasUnread ? try source.wholeValues(for: listed.reference, of: root) ?? listed : listed
      builder.begin(fieldCount: node.entity.fieldCount)
      for (field, stored) in node.entity.storedFields.enumerated() {
        if case .toOne(let relationship) = stored {
          guard let old = node.reference(field), let new = numbers[relationship.destination.root]?[old] else {
            continue
          }
          builder.set(field, integer: new.reference)
        } else {
          builder.copy(field, from: node, isBytes: stored.isStoredAsBytes)
        }
      }
      save.inserted.append(builder.finish(id.storeEntity, reference: id.reference, version: node.version))
    }
    try destination.save(save)
  }

  /// The links from one end, with their order; from the end that does not name the table, the order
  /// only.
  private func copyRelationships(
    _ relationship: RelationshipDescription, _ numbers: [EntityDescription: [Int64: ManagedObjectID]]
  ) throws {
    let references = (numbers[relationship.entity.root] ?? [:]).keys.sorted()
    let isOwner = relationship.joinTableOwner === relationship
    for start in stride(from: 0, to: references.count, by: Self.portion) {
      let sources = Array(references[start..<min(start + Self.portion, references.count)])
      var changes = RelationshipChanges(relationship: relationship.joinTableOwner)
      let found = try source.newValues(for: relationship, of: sources)
      for (place, reference) in sources.enumerated() {
        guard let from = numbers[relationship.entity.root]?[reference]?.reference else { continue }
        let to = found.destinations(at: place).compactMap {
          numbers[relationship.destination.root]?[$0]?.reference
        }
        if to.isEmpty { continue }
        if isOwner { changes.added += to.map { .init(source: from, destination: $0) } }
        guard relationship.isOrdered else { continue }
        if isOwner { changes.orders.append((from, to)) } else { changes.inverseOrders.append((from, to)) }
      }
      if changes.added.isEmpty, changes.inverseOrders.isEmpty { continue }
      var save = SaveChangesRequest()
      save.relationshipChanges = [changes]
      try destination.save(save)
    }
  }
}
