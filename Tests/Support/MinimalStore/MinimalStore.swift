package import Foundation
package import Locks
package import ObjectModel
package import ObjectQuery
package import StoreContract

/// The least that a stranger's store can be: rows and links in two lists, everything looked for
/// from the front, and whatever the protocol has a default for left to it.
package final class MinimalStore: IncrementalStore {
  package static let storeType = "Minimal"

  private struct Link: Equatable, Sendable {
    let relationship: RelationshipDescription
    let link: RelationshipChanges.JoinTableRow
  }

  private struct Contents: Sendable {
    var rows: [IncrementalStoreNode] = []
    var links: [Link] = []
    var last: Int64 = 0
    var isOpen = false
    var metadata: [String: String] = [:]

    func row(_ id: ManagedObjectID) -> Int? { rows.firstIndex { $0.objectID == id } }
  }

  private let model: ManagedObjectModel
  package let identifier = MinimalStore.identifierForNewStore()
  package let storeEntities: [StoreEntity]
  private let contents = Locked(Contents())
  /// What the store says of others' writes; of nobody beside it unless set.
  package let foreignWrites = Locked<Int64?>(nil)
  /// Whether commits fail, after everything that precedes them.
  package let failsCommits = Locked(false)
  /// What runs before each read and each save: the work of others in between.
  ///
  /// A structure, since a closure in a generic type is wrapped again at each access.
  package struct Interruption: Sendable {
    let run: @Sendable () -> Void
    package init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  package let interruption = Locked<Interruption?>(nil)

  package init(model: ManagedObjectModel, description: PersistentStoreDescription) {
    self.model = model
    storeEntities = StoreEntity.all(of: model, in: identifier)
  }

  package var remoteChangeCount: Int64? { foreignWrites.withLock { $0 } }
  package var metadata: [String: String] { contents.withLock { $0.metadata } }
  package func loadMetadata() async throws { contents.withLock { $0.isOpen = true } }
  package func close() throws { contents.withLock { $0 = Contents() } }

  package func fetchNodes(_ request: FetchRequest, lookup: (any NodeLookup)?) throws -> [IncrementalStoreNode]
  {
    try checkOpen()
    guard let entity = model.entity(named: request.entityName) else {
      throw StoreError(.notFound, "there is no entity \(request.entityName)")
    }
    let rows = contents.withLock { $0.rows }.filter {
      request.includesSubentities ? $0.entity.isKind(of: entity) : $0.entity === entity
    }
    return try FetchEvaluation(request, entity: entity).nodes(rows, in: self).map(Self.copy)
  }

  /// The same row in other memory, as of a store that reads its rows anew.
  private static func copy(_ row: IncrementalStoreNode) -> IncrementalStoreNode {
    let builder = NodeBuilder()
    builder.begin(fieldCount: row.entity.fieldCount)
    for (place, field) in row.entity.storedFields.enumerated() {
      builder.copy(place, from: row, isBytes: field.isStoredAsBytes)
    }
    return builder.finish(row.storeEntity, reference: row.reference, version: row.version)
  }

  package func save(_ save: SaveChangesRequest, beforeCommit: () throws -> Void) throws {
    try checkOpen()
    try contents.withLock { contents in
      var new = contents
      try Self.apply(save, to: &new)
      try beforeCommit()
      if failsCommits.withLock({ $0 }) { throw StoreError(.other, "the disk failed") }
      contents = new
    }
  }

  private func interrupt() { interruption.withLock { $0 }?.run() }

  private func checkOpen() throws {
    interrupt()
    guard contents.withLock({ $0.isOpen }) else { throw StoreError(.other, "the store is closed") }
  }

  package func newValues(for references: [Int64], of entity: EntityDescription) throws
    -> [IncrementalStoreNode?]
  {
    interrupt()
    let rows = contents.withLock { $0.rows }.filter { $0.entity.root === entity.root }
    return references.map { reference in rows.first { $0.reference == reference } }
  }

  package func newValues(for relationship: RelationshipDescription, of references: [Int64]) throws
    -> RelationshipDestinations
  {
    interrupt()
    let (rows, links) = contents.withLock { ($0.rows, $0.links) }
    var result = RelationshipDestinations()
    for reference in references {
      for destination in destinations(relationship, reference, rows, links) {
        let row = rows.first {
          $0.entity.root === relationship.destination.root && $0.reference == destination
        }
        guard let row else { continue }
        if relationship.destination.hasSubentities {
          result.append(destination, entityIndex: row.entity.index)
        } else {
          result.append(destination)
        }
      }
      result.endSource()
    }
    return result
  }

  private func destinations(
    _ relationship: RelationshipDescription, _ reference: Int64, _ rows: [IncrementalStoreNode],
    _ links: [Link]
  ) -> [Int64] {
    if !relationship.hasJoinTable, let inverse = relationship.inverse {
      return rows.filter { $0.entity.isKind(of: inverse.entity) && $0.reference(inverse.field) == reference }
        .map(\.reference).sorted()
    }
    let owner = relationship.joinTableOwner
    let own = links.filter { $0.relationship === owner }.map(\.link)
    let found =
      owner === relationship
      ? own.filter { $0.source == reference }.map(\.destination)
      : own.filter { $0.destination == reference }.map(\.source)
    return relationship.isOrdered ? ordered(found, relationship, reference) : found.sorted()
  }

  /// One list of links keeps one order.
  ///
  /// That of the other end stands in the metadata.
  private func ordered(_ destinations: [Int64], _ relationship: RelationshipDescription, _ reference: Int64)
    -> [Int64]
  {
    guard relationship !== relationship.joinTableOwner,
      let text = contents.withLock({ $0.metadata[Self.key(relationship.joinTableOwner, reference)] })
    else { return destinations }
    let order = text.split(separator: ",").compactMap { Int64($0) }.filter(destinations.contains)
    return order + destinations.filter { !order.contains($0) }
  }

  private static func key(_ owner: RelationshipDescription, _ destination: Int64) -> String {
    "order \(owner.entity.name) \(owner.name) \(destination)"
  }

  package func obtainPermanentIDs(for entities: [EntityDescription]) throws -> [ManagedObjectID] {
    contents.withLock { contents in
      entities.map { entity in
        contents.last += 1
        return ManagedObjectID(storeEntities[entity.index], reference: contents.last)
      }
    }
  }

  private static func apply(_ save: SaveChangesRequest, to contents: inout Contents) throws {
    let expected =
      save.updated.map { ($0.node.objectID, $0.node.version - 1) }
      + (save.deleted + save.locked).map { ($0.objectID, $0.version) }
    var stale = expected.filter { id, version in
      contents.row(id).map { contents.rows[$0].version != version } ?? true
    }.map(\.0)
    stale += save.inserted.map(\.objectID).filter { contents.row($0) != nil }
    if !stale.isEmpty {
      throw StoreError(.conflict, "rows were changed since they were read", objectIDs: stale)
    }
    for lock in save.deleted {
      let id = lock.objectID
      contents.rows.removeAll { $0.objectID == id }
      contents.links.removeAll { item in
        (item.relationship.entity.root === id.entity.root && item.link.source == id.reference)
          || (item.relationship.destination.root === id.entity.root && item.link.destination == id.reference)
      }
    }
    for change in save.updated {
      if let place = contents.row(change.node.objectID) { contents.rows[place] = change.node }
    }
    contents.rows += save.inserted
    let missing = save.existing.filter { contents.row($0) == nil }
    if !missing.isEmpty { throw StoreError(.conflict, "destinations are gone", objectIDs: missing) }
    let linked = save.deleted.map(\.objectID).filter { id in
      id.entity.referencingRelationships.contains { toOne in
        contents.rows.contains {
          $0.entity.isKind(of: toOne.entity) && $0.reference(toOne.field) == id.reference
        }
      }
    }
    if !linked.isEmpty { throw StoreError(.conflict, "deleted objects were linked", objectIDs: linked) }
    for changes in save.relationshipChanges { apply(changes, to: &contents) }
    try checkUniqueness(save, contents)
    if let metadata = save.metadata {
      let orders = contents.metadata.filter { $0.key.hasPrefix("order ") }
      contents.metadata = StoreMetadata.programs(metadata).merging(orders) { $1 }
    }
  }

  private static func apply(_ changes: RelationshipChanges, to contents: inout Contents) {
    let owner = changes.relationship
    contents.links.removeAll { $0.relationship === owner && changes.removed.contains($0.link) }
    for link in changes.added where !contents.links.contains(Link(relationship: owner, link: link)) {
      contents.links.append(Link(relationship: owner, link: link))
    }
    for (source, destinations) in changes.orders {
      let own = contents.links.filter { $0.relationship === owner && $0.link.source == source }
      contents.links.removeAll(where: own.contains)
      // An order moves the links that are there; it makes none.
      let moved = destinations.compactMap { wanted in own.first { $0.link.destination == wanted } }
      contents.links += moved + own.filter { !moved.contains($0) }
    }
    for (destination, sources) in changes.inverseOrders {
      contents.metadata[key(owner, destination)] = sources.map(String.init).joined(separator: ",")
    }
  }

  private static func checkUniqueness(_ save: SaveChangesRequest, _ contents: Contents) throws {
    for node in save.inserted + save.updated.map(\.node) {
      for constraint in node.entity.uniquenessConstraints {
        func key(_ other: IncrementalStoreNode) -> [AttributeValue] {
          constraint.propertyNames.compactMap { name in
            other.entity.attribute(named: name).map { other.value(of: $0) }
          }
        }
        let own = key(node)
        if own.contains(.null) { continue }
        var declaring = node.entity
        while let above = declaring.superentity, above.uniquenessConstraints.contains(constraint) {
          declaring = above
        }
        let other = contents.rows.first {
          $0.objectID != node.objectID && $0.entity.isKind(of: declaring) && key($0) == own
        }
        if let other {
          throw StoreError(
            .notUnique, "values are there already", objectIDs: [other.objectID, node.objectID])
        }
      }
    }
  }
}
