import ObjectModel
import StoreContract

/// Collects what a save changes, for the history, within the save's transaction.
struct ServerHistoryRecorder {
  private let connection: ServerConnection
  private let opened: PostgresStore.Opened
  private let store: PostgresStore
  private var changes = HistoryChanges()
  private var values = HistoryValues()

  init(_ connection: ServerConnection, _ opened: PostgresStore.Opened, _ store: PostgresStore) {
    (self.connection, self.opened, self.store) = (connection, opened, store)
  }

  private func number(_ entity: EntityDescription) -> Int64 { opened.schema.number(entity) }

  private func key(_ node: IncrementalStoreNode) -> HistoryValues.Key {
    .init(entity: number(node.entity), reference: node.reference)
  }

  private var sealed: SealedHistory? { SealedHistory(opened.sealing) }

  /// The values of an object that are recorded, of some fields or of all.
  private func recorded(
    _ node: IncrementalStoreNode, _ fields: PropertyIndexSet? = nil
  ) throws -> HistoryValues.Values? {
    guard let values = opened.recorded.values(of: node, fields: fields) else { return nil }
    return try sealed?.sealed(values, of: node) ?? values
  }

  /// To be called before anything is written.
  ///
  /// One statement for each entity with values to record or to preserve, and two for each order whose values
  /// are recorded.
  mutating func willWrite(_ save: SaveChangesRequest) throws {
    let changed = save.updated.filter(opened.recorded.isConcerned)
    for (entity, own) in Dictionary(grouping: changed, by: \.node.entity) {
      let nodes = try store.newValues(for: own.map(\.node.reference), of: entity)
      for (change, node) in zip(own, nodes) {
        guard let node, let old = try recorded(node, change.changedFields) else {
          continue
        }
        values.add(old: old, of: key(node))
      }
    }
    try addOrders(save, isAfter: false)
    for (entity, own) in Dictionary(grouping: save.deleted, by: \.objectID.entity) {
      try willDelete(own.map(\.objectID.reference), entity)
    }
  }

  private mutating func willDelete(_ references: [Int64], _ entity: EntityDescription) throws {
    let preserved = entity.attributes.filter {
      $0.declaration.preservesValueInHistoryOnDeletion && $0.field >= 0
    }
    if preserved.isEmpty, opened.recorded[entity] == nil {
      changes.add(references, to: .init(kind: .delete, entity: number(entity)))
      return
    }
    for case let node? in try store.newValues(for: references, of: entity) {
      if let old = try recorded(node) { values.add(old: old, of: key(node)) }
      if preserved.isEmpty {
        changes.add(node.reference, to: .init(kind: .delete, entity: number(entity)))
      } else {
        changes.addDeletion(
          node.reference, entity: number(entity),
          preserving: try Dictionary(
            uniqueKeysWithValues: preserved.map {
              ($0.name, try sealed?.value(of: $0, in: node) ?? node.value(of: $0))
            }))
      }
    }
  }

  /// To be called when a save is written.
  ///
  /// The statements of the values, and one for each root entity with objects that were linked, have no other
  /// change and are not locked by the save.
  mutating func didWrite(_ save: SaveChangesRequest) throws {
    for node in save.inserted {
      changes.add(node.reference, to: .init(kind: .insert, entity: number(node.entity)))
      if let new = try recorded(node) { values.add(new: new, of: key(node)) }
    }
    var links = LinkedProperties(save)
    for change in save.updated {
      let entity = change.node.entity
      var group = HistoryChanges.Group(kind: .update, entity: number(entity))
      for field in change.changedFields.elements {
        group.properties.insert(entity.storedFields[field].propertyIndex)
      }
      for index in links.remove(entity, change.node.reference)?.elements ?? [] {
        group.properties.insert(index)
      }
      changes.add(change.node.reference, to: group)
      if opened.recorded.isConcerned(change),
        let new = try recorded(change.node, change.changedFields)
      {
        values.add(new: new, of: key(change.node))
      }
    }
    try addOthers(links, save)
    try addLinks(save)
    try addOrders(save, isAfter: true)
  }

  /// To be called when all is written.
  ///
  /// One statement.
  /// - Returns: The place after the transaction; nil where nothing changed.
  func append(_ limits: PersistentHistoryLimits) throws -> PersistentHistoryToken.Position? {
    try ServerHistory(connection, opened).append(changes, values, limits, after: store.seen)
  }

  /// As `append(_:)`, with the next statement whose answer is waited for.
  ///
  /// - Returns: The fingerprint of the transaction; nil where nothing changed.
  func appendExpecting(
    _ body: @escaping (PersistentHistoryToken.Position) -> Void
  ) throws -> [UInt8]? {
    if changes.isEmpty { return nil }
    return try ServerHistory(connection, opened).append(
      expecting: store.seen, changes, values, body)
  }

  /// Objects that were linked only: their rows say of which entity each is.
  ///
  /// No statement for those of an entity without subentities that the save locks: they are there.
  private mutating func addOthers(_ links: LinkedProperties, _ save: SaveChangesRequest) throws {
    var rest = links.sorted[...]
    if rest.isEmpty { return }
    // A few are found sooner one by one.
    let isFew = save.existing.count <= 16
    let locked = isFew ? [] : Set(save.existing.map(LinkedProperties.Key.init(locked:)))
    func isLocked(_ key: LinkedProperties.Key) -> Bool {
      isFew ? save.existing.contains { .init(locked: $0) == key } : locked.contains(key)
    }
    while let root = rest.first?.key.root {
      let own = rest.prefix { $0.key.root == root }
      rest = rest.dropFirst(own.count)
      let entity = opened.schema.model.entities[root]
      if !entity.hasSubentities, own.allSatisfy({ isLocked($0.key) }) {
        let known = number(entity)
        for one in own { addUpdate(one.key.reference, known, one.properties) }
        continue
      }
      let properties = Dictionary(uniqueKeysWithValues: own.map { ($0.key.reference, $0.properties) })
      let numbers = try entities(of: own.map(\.key.reference), entity)
      for (reference, number) in numbers.sorted(by: { ($0.value, $0.key) < ($1.value, $1.key) }) {
        addUpdate(reference, number, properties[reference] ?? .init())
      }
    }
  }

  private mutating func addUpdate(_ reference: Int64, _ entity: Int64, _ properties: PropertyIndexSet) {
    changes.add(reference, to: .init(kind: .update, entity: entity, properties: properties))
  }

  /// The numbers of the own entities of those objects that exist; one statement.
  private func entities(of references: [Int64], _ entity: EntityDescription) throws -> [Int64: Int64] {
    let rows = try connection.run(
      "SELECT _id, _entity FROM \(opened.schema.table(entity).name.quoted) WHERE _id = ANY ($1::bigint[])",
      [.numbers(references)])
    return Dictionary(uniqueKeysWithValues: (0..<rows.count).map { (rows.number($0, 0), rows.number($0, 1)) })
  }

  // MARK: Links whose values are recorded

  private func sides(_ save: SaveChangesRequest) -> [RecordedLinks] {
    if opened.recorded.isEmpty { return [] }
    return save.relationshipChanges.flatMap { RecordedLinks.of($0, opened.recorded) }
  }

  private mutating func addLinks(_ save: SaveChangesRequest) throws {
    for side in sides(save) where !side.isOrdered {
      for (source, key) in try keys(side) {
        let (gone, new) = (side.removed[source] ?? [], side.added[source] ?? [])
        if !gone.isEmpty { values.add(old: [side.relationship.index: .objects(gone.sorted())], of: key) }
        if !new.isEmpty { values.add(new: [side.relationship.index: .objects(new.sorted())], of: key) }
      }
    }
  }

  private mutating func addOrders(_ save: SaveChangesRequest, isAfter: Bool) throws {
    for side in sides(save) where side.isOrdered {
      let keys = try keys(side)
      let sources = keys.keys.sorted()
      let found = try store.newValues(for: side.relationship, of: sources)
      for (place, source) in sources.enumerated() {
        guard let key = keys[source] else { continue }
        let value = HistoryValues.Recorded.objects(Array(found.destinations(at: place)))
        if isAfter {
          values.add(new: [side.relationship.index: value], of: key)
        } else {
          values.add(old: [side.relationship.index: value], of: key)
        }
      }
    }
  }

  /// The objects of a side, of those entities of which the model asks for it; one statement.
  private func keys(_ side: RecordedLinks) throws -> [Int64: HistoryValues.Key] {
    var keys: [Int64: HistoryValues.Key] = [:]
    for (reference, number) in try entities(of: side.sources, side.relationship.entity) {
      guard let entity = opened.schema.entity(number: number),
        opened.recorded[entity]?.contains(side.relationship.index) == true
      else { continue }
      keys[reference] = .init(entity: number, reference: reference)
    }
    return keys
  }
}

extension LinkedProperties.Key {
  fileprivate init(locked id: ManagedObjectID) {
    self.init(root: id.entity.root.index, reference: id.reference)
  }
}
