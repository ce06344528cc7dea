import CipherDatabase
import ObjectModel
import StoreContract

/// Collects what a save changes, for the history, within the save's transaction.
struct HistoryRecorder {
  private let connection: Connection
  private let opened: SQLCipherStore.Opened
  private var changes = HistoryChanges()

  init(_ connection: Connection, _ opened: SQLCipherStore.Opened) {
    self.connection = connection
    self.opened = opened
  }

  private func number(_ entity: EntityDescription) -> Int64 { opened.schema.entityNumbers[entity.index] }

  /// To be called before the rows are deleted.
  ///
  /// One statement for each object that preserves values.
  mutating func willDelete(_ locks: [LockedObject]) throws {
    let builder = NodeBuilder()
    for lock in locks {
      let entity = lock.objectID.entity
      let preserved = entity.attributes.filter {
        $0.declaration.preservesValueInHistoryOnDeletion && $0.field >= 0
      }
      guard !preserved.isEmpty else {
        changes.add(lock.objectID.reference, to: .init(kind: .delete, entity: number(entity)))
        continue
      }
      let plan = opened.plans[entity.index]
      let statement = try connection.cached(plan.wholeByReference)
      statement.bind(1, lock.objectID.reference)
      defer { statement.reset() }
      guard try statement.step() else { continue }
      let node = try plan.node(statement, builder: builder, opened: opened)
      var values: [String: AttributeValue] = [:]
      for attribute in preserved { values[attribute.name] = node.value(of: attribute) }
      changes.addDeletion(lock.objectID.reference, entity: number(entity), preserving: values)
    }
  }

  /// To be called when all else is written.
  ///
  /// Two statements; one more for each root entity with objects that were linked and have no other change.
  mutating func didWrite(_ save: SaveChangesRequest) throws {
    var inserted: Set<Linked> = []
    let tracksLinks = !save.relationshipChanges.isEmpty
    for node in save.inserted {
      changes.add(node.reference, to: .init(kind: .insert, entity: number(node.entity)))
      if tracksLinks { inserted.insert(Linked(root: node.entity.root.index, reference: node.reference)) }
    }
    var links = links(save.relationshipChanges)
    for one in inserted { links[one] = nil }
    for lock in save.deleted {
      links[Linked(root: lock.objectID.entity.root.index, reference: lock.objectID.reference)] = nil
    }
    var last: (fields: PropertyIndexSet, entity: EntityDescription, group: HistoryChanges.Group)?
    for change in save.updated {
      let entity = change.node.entity
      let linked = links.removeValue(
        forKey: Linked(root: entity.root.index, reference: change.node.reference))
      if let last, linked == nil, last.entity === entity, last.fields == change.changedFields {
        changes.add(change.node.reference, to: last.group)
        continue
      }
      var group = HistoryChanges.Group(kind: .update, entity: number(entity))
      for field in change.changedFields.elements { group.properties.insert(entity.storedFields[field].propertyIndex) }
      if linked == nil { last = (change.changedFields, entity, group) }
      for index in linked?.elements ?? [] { group.properties.insert(index) }
      changes.add(change.node.reference, to: group)
    }
    try addOthers(links)
    try finish()
  }

  /// Objects of an entity and its subentities of which the same properties change.
  ///
  /// One statement where the entity has subentities.
  mutating func add(updated references: [Int64], of entity: EntityDescription, _ properties: [Int]) throws {
    var group = HistoryChanges.Group(kind: .update, entity: number(entity))
    for index in properties { group.properties.insert(index) }
    for (number, own) in try byEntity(references, entity) {
      changes.add(own, to: HistoryChanges.Group(kind: .update, entity: number, properties: group.properties))
    }
  }

  /// New objects whose numbers follow each other.
  mutating func add(inserted range: Range<Int64>, _ entity: EntityDescription) {
    changes.add(range, to: .init(kind: .insert, entity: number(entity)))
  }

  /// Objects of a hierarchy that are about to be deleted.
  ///
  /// One statement where the entity has subentities, and one for each object that preserves values.
  mutating func willDelete(_ references: [Int64], of root: EntityDescription) throws {
    for (number, own) in try byEntity(references, root) {
      guard let index = opened.schema.entityIndex(number: number) else { continue }
      let entity = opened.storeEntities[index]
      if entity.entity.attributes.contains(where: \.declaration.preservesValueInHistoryOnDeletion) {
        try willDelete(
          own.map { LockedObject(objectID: ManagedObjectID(entity, reference: $0), version: 0) })
      } else {
        changes.add(own, to: .init(kind: .delete, entity: number))
      }
    }
  }

  /// Writes the transaction.
  ///
  /// Two statements; none where nothing changed.
  func finish() throws { try HistoryTable(connection, opened).append(changes, TransactionOrigin.current) }

  /// Numbers by that of their own entity.
  private func byEntity(_ references: [Int64], _ entity: EntityDescription) throws -> [(Int64, [Int64])] {
    if !entity.hasSubentities { return [(number(entity), references)] }
    var found: [Int64: [Int64]] = [:]
    let statement = try connection.cached(entities(of: entity))
    defer { statement.reset() }
    statement.bind(1, integers: IntegerArray(references.sorted()))
    while try statement.step() { found[statement.int64(1), default: []].append(statement.int64(0)) }
    return found.sorted { $0.key < $1.key }
  }

  private func entities(of entity: EntityDescription) -> String {
    "SELECT t._id, t._entity FROM _integers(?1) AS r JOIN \(opened.schema.table(entity).name.quoted) AS t"
      + " ON t._id = r.value"
  }

  // MARK: Links

  private struct Linked: Hashable {
    let root: Int
    let reference: Int64
  }

  /// Which relationships of which objects the changes of join tables are of.
  private func links(_ changes: [RelationshipChanges]) -> [Linked: PropertyIndexSet] {
    var links: [Linked: PropertyIndexSet] = [:]
    for change in changes {
      let owner = change.relationship
      let (sources, destinations) = (owner.entity.root.index, owner.destination.root.index)
      for row in change.added + change.removed {
        links[Linked(root: sources, reference: row.source), default: .init()].insert(owner.index)
        guard let inverse = owner.inverse else { continue }
        links[Linked(root: destinations, reference: row.destination), default: .init()].insert(inverse.index)
      }
      for (source, _) in change.orders {
        links[Linked(root: sources, reference: source), default: .init()].insert(owner.index)
      }
      guard let inverse = owner.inverse else { continue }
      for (source, _) in change.inverseOrders {
        links[Linked(root: destinations, reference: source), default: .init()].insert(inverse.index)
      }
    }
    return links
  }

  /// Objects that were linked only: the row says of which entity each is.
  private mutating func addOthers(_ links: [Linked: PropertyIndexSet]) throws {
    for (root, own) in Dictionary(grouping: links, by: \.key.root) {
      let statement = try connection.cached(entities(of: opened.schema.model.entities[root]))
      defer { statement.reset() }
      statement.bind(1, integers: IntegerArray(own.map(\.key.reference).sorted()))
      while try statement.step() {
        var group = HistoryChanges.Group(kind: .update, entity: statement.int64(1))
        group.properties = links[Linked(root: root, reference: statement.int64(0))] ?? .init()
        changes.add(statement.int64(0), to: group)
      }
    }
  }
}

extension StoredField {
  /// The index in the entity's properties.
  var propertyIndex: Int {
    switch self {
    case .attribute(let attribute): attribute.index
    case .toOne(let relationship): relationship.index
    }
  }
}
