import CipherDatabase
import ObjectModel
import StoreContract

/// Reads the values before and after writes, on the connection that writes.
///
/// Costs nothing where the model asks for no values.
struct HistoryValueRecorder {
  private let connection: Connection
  private let opened: SQLCipherStore.Opened
  private let builder = NodeBuilder()
  private(set) var values = HistoryValues()

  init(_ connection: Connection, _ opened: SQLCipherStore.Opened) {
    self.connection = connection
    self.opened = opened
  }

  private func recorded(_ entity: EntityDescription) -> PropertyIndexSet? { opened.recorded[entity] }

  private func key(_ entity: EntityDescription, _ reference: Int64) -> HistoryValues.Key {
    .init(entity: opened.schema.entityNumbers[entity.index], reference: reference)
  }

  /// A row as it is now; one statement.
  func node(_ entity: EntityDescription, _ reference: Int64) throws -> IncrementalStoreNode? {
    let plan = opened.plans[entity.index]
    let statement = try connection.cached(plan.wholeByReference)
    statement.bind(1, reference)
    defer { statement.reset() }
    return try statement.step() ? try plan.node(statement, builder: builder, opened: opened) : nil
  }

  // MARK: Saves

  /// One statement for each changed object, and for each order, that the model asks for.
  mutating func willWrite(_ save: SaveChangesRequest) throws {
    for change in save.updated {
      let entity = change.node.entity
      guard opened.recorded.isConcerned(change), let old = try node(entity, change.node.reference),
        let values = opened.recorded.values(of: old, fields: change.changedFields)
      else { continue }
      self.values.add(old: values, of: key(entity, old.reference))
    }
    for change in save.relationshipChanges {
      for end in RecordedLinks.of(change, opened.recorded) where end.isOrdered {
        try addOrders(end, isAfter: false)
      }
    }
  }

  /// The values of an object that is about to go.
  mutating func willDelete(_ node: IncrementalStoreNode) {
    guard let values = opened.recorded.values(of: node) else { return }
    self.values.add(old: values, of: key(node.entity, node.reference))
  }

  mutating func didWrite(_ save: SaveChangesRequest) throws {
    for node in save.inserted {
      guard let values = opened.recorded.values(of: node) else { continue }
      self.values.add(new: values, of: key(node.entity, node.reference))
    }
    for change in save.updated {
      let entity = change.node.entity
      guard opened.recorded.isConcerned(change),
        let values = opened.recorded.values(of: change.node, fields: change.changedFields)
      else { continue }
      self.values.add(new: values, of: key(entity, change.node.reference))
    }
    for change in save.relationshipChanges {
      for end in RecordedLinks.of(change, opened.recorded) {
        if end.isOrdered { try addOrders(end, isAfter: true) } else { try addLinks(end) }
      }
    }
  }

  // MARK: Batches

  /// Before or after a statement that changes some fields of many objects; one statement an object.
  mutating func add(
    _ references: [Int64], of entity: EntityDescription, fields: PropertyIndexSet, isAfter: Bool
  )
    throws
  {
    guard opened.recorded.isConcerned(entity) else { return }
    for reference in references {
      guard let node = try node(entity, reference),
        let found = opened.recorded.values(of: node, fields: fields)
      else { continue }
      if isAfter {
        values.add(new: found, of: key(node.entity, reference))
      } else {
        values.add(old: found, of: key(node.entity, reference))
      }
    }
  }

  /// The values and links of new objects; one statement an object, and one for each of its to-manys.
  mutating func add(inserted references: Range<Int64>, _ entity: EntityDescription) throws {
    guard let wanted = recorded(entity) else { return }
    let toManys = entity.relationships.filter { $0.hasJoinTable && wanted.contains($0.index) }
    for reference in references {
      guard let node = try node(entity, reference), var found = opened.recorded.values(of: node) else {
        continue
      }
      for toMany in toManys {
        let links = try destinations(toMany, reference)
        if !links.isEmpty { found[toMany.index] = .objects(links) }
      }
      values.add(new: found, of: key(entity, reference))
    }
  }

  /// What objects that were there have since new ones lead to them; one statement for each order.
  mutating func add(joined sources: [Int64: [Int64]], _ relationship: RelationshipDescription) throws {
    guard opened.recorded.isConcerned(relationship.entity) else { return }
    let index = relationship.index
    for (owner, joined) in sources.sorted(by: { $0.key < $1.key }) {
      guard let key = try linkKey(relationship, owner) else { continue }
      guard relationship.isOrdered else {
        values.add(new: [index: .objects(joined)], of: key)
        continue
      }
      let (all, new) = (try destinations(relationship, owner), Set(joined))
      values.add(old: [index: .objects(all.filter { !new.contains($0) })], of: key)
      values.add(new: [index: .objects(all)], of: key)
    }
  }

  // MARK: Links

  private mutating func addLinks(_ end: RecordedLinks) throws {
    for source in end.sources {
      guard let key = try linkKey(end.relationship, source) else { continue }
      let (gone, new) = (end.removed[source] ?? [], end.added[source] ?? [])
      if !gone.isEmpty { values.add(old: [end.relationship.index: .objects(gone.sorted())], of: key) }
      if !new.isEmpty { values.add(new: [end.relationship.index: .objects(new.sorted())], of: key) }
    }
  }

  private mutating func addOrders(_ end: RecordedLinks, isAfter: Bool) throws {
    for source in end.sources {
      guard let key = try linkKey(end.relationship, source) else { continue }
      let value = HistoryValues.Recorded.objects(try destinations(end.relationship, source))
      if isAfter {
        values.add(new: [end.relationship.index: value], of: key)
      } else {
        values.add(old: [end.relationship.index: value], of: key)
      }
    }
  }

  /// The key of an object with links, of its own entity; nil where the model does not ask for the links.
  ///
  /// One statement where the entity has subentities, whose row says which; none of one that is not written
  /// yet.
  private func linkKey(_ relationship: RelationshipDescription, _ source: Int64) throws -> HistoryValues.Key?
  {
    var entity = relationship.entity
    if entity.hasSubentities {
      let statement = try connection.cached(
        "SELECT _entity FROM \(opened.schema.table(entity).name.quoted) WHERE _id = ?1")
      statement.bind(1, source)
      defer { statement.reset() }
      guard try statement.step(), let index = opened.schema.entityIndex(number: statement.int64(0)) else {
        return nil
      }
      entity = opened.storeEntities[index].entity
    }
    guard recorded(entity)?.contains(relationship.index) == true else { return nil }
    return key(entity, source)
  }

  private func destinations(_ relationship: RelationshipDescription, _ source: Int64) throws -> [Int64] {
    guard let table = opened.schema.joinTable(relationship) else { return [] }
    let isForward = relationship === table.owner
    let (from, to) = isForward ? ("_source", "_target") : ("_target", "_source")
    let hasOrder = isForward ? table.hasPosition : table.hasInversePosition
    let order = hasOrder ? (isForward ? "_position, " : "_inverse_position, ") + to : to
    let statement = try connection.cached(
      "SELECT \(to) FROM \(table.name.quoted) WHERE \(from) = ?1 ORDER BY \(order)")
    statement.bind(1, source)
    defer { statement.reset() }
    var result: [Int64] = []
    while try statement.step() { result.append(statement.int64(0)) }
    return result
  }
}
