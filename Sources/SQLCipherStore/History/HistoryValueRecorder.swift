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

  private func recorded(_ entity: EntityDescription) -> PropertyIndexSet? {
    opened.recordedProperties[entity.index]
  }

  private func key(_ entity: EntityDescription, _ reference: Int64) -> HistoryValues.Key {
    .init(entity: opened.schema.entityNumbers[entity.index], reference: reference)
  }

  /// The stored values of an object that the model asks for; of some fields, or of all.
  private func values(
    _ node: IncrementalStoreNode, _ wanted: PropertyIndexSet, fields: PropertyIndexSet? = nil
  ) -> HistoryValues.Values {
    var values: HistoryValues.Values = [:]
    for (field, stored) in node.entity.storedFields.enumerated()
    where wanted.contains(stored.propertyIndex) && fields?.contains(field) != false {
      values[stored.propertyIndex] = HistoryValues.Recorded(field, stored, of: node)
    }
    return values
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
      guard let wanted = recorded(entity), isWanted(change, wanted),
        let old = try node(entity, change.node.reference)
      else { continue }
      values.add(old: values(old, wanted, fields: change.changedFields), of: key(entity, old.reference))
    }
    for change in save.relationshipChanges {
      for end in ends(change) where end.isOrdered { try addOrders(end, isAfter: false) }
    }
  }

  private func isWanted(_ change: UpdatedObject, _ wanted: PropertyIndexSet) -> Bool {
    let fields = change.node.entity.storedFields
    return change.changedFields.elements.contains { wanted.contains(fields[$0].propertyIndex) }
  }

  /// The values of an object that is about to go.
  mutating func willDelete(_ node: IncrementalStoreNode) {
    guard let wanted = recorded(node.entity) else { return }
    values.add(old: values(node, wanted), of: key(node.entity, node.reference))
  }

  mutating func didWrite(_ save: SaveChangesRequest) throws {
    for node in save.inserted {
      guard let wanted = recorded(node.entity) else { continue }
      values.add(new: values(node, wanted), of: key(node.entity, node.reference))
    }
    for change in save.updated {
      let entity = change.node.entity
      guard let wanted = recorded(entity), isWanted(change, wanted) else { continue }
      values.add(
        new: values(change.node, wanted, fields: change.changedFields), of: key(entity, change.node.reference)
      )
    }
    for change in save.relationshipChanges {
      for end in ends(change) {
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
    guard opened.recordsValues(of: entity) else { return }
    for reference in references {
      guard let node = try node(entity, reference), let wanted = recorded(node.entity) else { continue }
      let found = values(node, wanted, fields: fields)
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
      guard let node = try node(entity, reference) else { continue }
      var found = values(node, wanted)
      for toMany in toManys {
        let links = try destinations(toMany, reference)
        if !links.isEmpty { found[toMany.index] = .objects(links) }
      }
      values.add(new: found, of: key(entity, reference))
    }
  }

  /// What objects that were there have since new ones lead to them; one statement for each order.
  mutating func add(joined sources: [Int64: [Int64]], _ relationship: RelationshipDescription) throws {
    guard opened.recordsValues(of: relationship.entity) else { return }
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

  /// One side of a to-many that the model asks for.
  private struct End {
    let relationship: RelationshipDescription
    let isOrdered: Bool
    var added: [Int64: [Int64]] = [:]
    var removed: [Int64: [Int64]] = [:]
    var placed: [Int64] = []

    var sources: [Int64] { Set(added.keys).union(removed.keys).union(placed).sorted() }
  }

  private func ends(_ change: RelationshipChanges) -> [End] {
    let owner = change.relationship
    var result: [End] = []
    if opened.recordsValues(of: owner.entity) {
      var end = End(relationship: owner, isOrdered: owner.isOrdered)
      for row in change.added { end.added[row.source, default: []].append(row.destination) }
      for row in change.removed { end.removed[row.source, default: []].append(row.destination) }
      end.placed = change.orders.map(\.source)
      result.append(end)
    }
    if let inverse = owner.inverse, inverse !== owner, inverse.isToMany,
      opened.recordsValues(of: inverse.entity)
    {
      var end = End(relationship: inverse, isOrdered: inverse.isOrdered)
      for row in change.added { end.added[row.destination, default: []].append(row.source) }
      for row in change.removed { end.removed[row.destination, default: []].append(row.source) }
      end.placed = change.inverseOrders.map(\.source)
      result.append(end)
    }
    return result
  }

  private mutating func addLinks(_ end: End) throws {
    for source in end.sources {
      guard let key = try linkKey(end.relationship, source) else { continue }
      let (gone, new) = (end.removed[source] ?? [], end.added[source] ?? [])
      if !gone.isEmpty { values.add(old: [end.relationship.index: .objects(gone.sorted())], of: key) }
      if !new.isEmpty { values.add(new: [end.relationship.index: .objects(new.sorted())], of: key) }
    }
  }

  private mutating func addOrders(_ end: End, isAfter: Bool) throws {
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
