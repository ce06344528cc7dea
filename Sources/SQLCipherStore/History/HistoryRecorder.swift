import CipherDatabase
import Foundation
import ObjectModel
import StoreContract

/// Collects what a save changes, for the history, within the save's transaction.
struct HistoryRecorder {
  private let connection: Connection
  private let opened: SQLCipherStore.Opened
  private let limits: PersistentHistoryLimits
  private var changes = HistoryChanges()
  private var values: HistoryValueRecorder

  init(_ connection: Connection, _ opened: SQLCipherStore.Opened, _ limits: PersistentHistoryLimits) {
    self.connection = connection
    self.opened = opened
    self.limits = limits
    values = HistoryValueRecorder(connection, opened)
  }

  private func number(_ entity: EntityDescription) -> Int64 { opened.schema.entityNumbers[entity.index] }

  /// To be called before anything is written.
  ///
  /// One statement for each object with values to record or to preserve.
  mutating func willWrite(_ save: SaveChangesRequest) throws {
    if !opened.recorded.isEmpty { try values.willWrite(save) }
    try willDelete(save.deleted)
  }

  private mutating func willDelete(_ locks: [LockedObject]) throws {
    for lock in locks {
      let entity = lock.objectID.entity
      let preserved = entity.attributes.filter {
        $0.declaration.preservesValueInHistoryOnDeletion && $0.field >= 0
      }
      let needsValues = !preserved.isEmpty || opened.recorded[entity] != nil
      let node = needsValues ? try self.values.node(entity, lock.objectID.reference) : nil
      if needsValues, node == nil { continue }
      if let node { self.values.willDelete(node) }
      guard let node, !preserved.isEmpty else {
        changes.add(lock.objectID.reference, to: .init(kind: .delete, entity: number(entity)))
        continue
      }
      var values: [String: AttributeValue] = [:]
      for attribute in preserved { values[attribute.name] = node.value(of: attribute) }
      changes.addDeletion(lock.objectID.reference, entity: number(entity), preserving: values)
    }
  }

  /// To be called when all else is written.
  ///
  /// Two statements; one more for each root entity with objects that were linked, have no other change, and
  /// may be of a subentity or deleted.
  mutating func didWrite(_ save: SaveChangesRequest) throws {
    var start = save.inserted.startIndex
    while start < save.inserted.endIndex {
      let entity = save.inserted[start].entity
      let end = save.inserted[start...].firstIndex { $0.entity !== entity } ?? save.inserted.endIndex
      changes.add(
        save.inserted[start..<end].map(\.reference), to: .init(kind: .insert, entity: number(entity)))
      start = end
    }
    var links = LinkedProperties(save)
    var last: (fields: PropertyIndexSet, entity: EntityDescription, group: HistoryChanges.Group)?
    for change in save.updated {
      let entity = change.node.entity
      let linked = links.remove(entity, change.node.reference)
      if let last, linked == nil, last.entity === entity, last.fields == change.changedFields {
        changes.add(change.node.reference, to: last.group)
        continue
      }
      var group = HistoryChanges.Group(kind: .update, entity: number(entity))
      for field in change.changedFields.elements {
        group.properties.insert(entity.storedFields[field].propertyIndex)
      }
      if linked == nil { last = (change.changedFields, entity, group) }
      for index in linked?.elements ?? [] { group.properties.insert(index) }
      changes.add(change.node.reference, to: group)
    }
    // The save has found that these exist.
    for id in save.existing where !id.entity.hasSubentities {
      guard let linked = links.remove(id.entity, id.reference) else { continue }
      changes.add(
        id.reference, to: HistoryChanges.Group(kind: .update, entity: number(id.entity), properties: linked))
    }
    try addOthers(links)
    if !opened.recorded.isEmpty { try values.didWrite(save) }
    try finish()
  }

  /// Objects of an entity and its subentities of which the same properties change.
  ///
  /// One statement where the entity has subentities.
  mutating func add(updated references: [Int64], of entity: EntityDescription, _ properties: [Int]) throws {
    if opened.recorded.isConcerned(entity) {
      try values.add(references, of: entity, fields: fields(entity, properties), isAfter: false)
    }
    try add(changed: references, of: entity, properties)
  }

  /// An object with a value that was written in pieces, which is named and not read.
  mutating func add(written attribute: AttributeDescription, of reference: Int64) throws {
    try add(changed: [reference], of: attribute.entity, [attribute.index])
  }

  private mutating func add(changed references: [Int64], of entity: EntityDescription, _ properties: [Int])
    throws
  {
    var group = HistoryChanges.Group(kind: .update, entity: number(entity))
    for index in properties { group.properties.insert(index) }
    for (number, own) in try byEntity(references, entity) {
      changes.add(own, to: HistoryChanges.Group(kind: .update, entity: number, properties: group.properties))
    }
  }

  /// To be called when what `add(updated:of:_:)` announced is written.
  mutating func didUpdate(_ references: [Int64], of entity: EntityDescription, _ properties: [Int]) throws {
    if opened.recorded.isConcerned(entity) {
      try values.add(references, of: entity, fields: fields(entity, properties), isAfter: true)
    }
  }

  private func fields(_ entity: EntityDescription, _ properties: [Int]) -> PropertyIndexSet {
    var fields = PropertyIndexSet()
    for (field, stored) in entity.storedFields.enumerated() where properties.contains(stored.propertyIndex) {
      fields.insert(field)
    }
    return fields
  }

  /// New objects whose numbers follow each other, when they are written, and what their links change at
  /// other objects.
  ///
  /// Two statements for each relationship with links whose inverse is a to-many, and those of the values.
  mutating func add(
    inserted range: Range<Int64>, _ entity: EntityDescription,
    linkedBy relationships: [RelationshipDescription]
  ) throws {
    changes.add(range, to: .init(kind: .insert, entity: number(entity)))
    if !opened.recorded.isEmpty { try values.add(inserted: range, entity) }
    var linked = LinkedProperties()
    for relationship in relationships {
      guard let inverse = relationship.inverse, inverse.isToMany else { continue }
      var sources = try sources(in: range, relationship)
      if inverse.entity.root === entity.root { sources = sources.filter { !range.contains($0.key) } }
      for destination in sources.keys {
        linked.insert(inverse.index, of: .init(root: inverse.entity.root.index, reference: destination))
      }
      try values.add(joined: sources, inverse)
    }
    try addOthers(linked)
  }

  /// The new objects that lead somewhere, by their destinations.
  private func sources(
    in range: Range<Int64>, _ relationship: RelationshipDescription
  ) throws -> [Int64: [Int64]] {
    guard let table = opened.schema.joinTable(relationship) else { return [:] }
    let (from, to) = relationship === table.owner ? ("_source", "_target") : ("_target", "_source")
    let statement = try connection.cached(
      "SELECT \(to), \(from) FROM \(table.name.quoted) WHERE \(from) >= ?1 AND \(from) < ?2 ORDER BY \(from)")
    statement.bind(1, range.lowerBound)
    statement.bind(2, range.upperBound)
    defer { statement.reset() }
    var result: [Int64: [Int64]] = [:]
    while try statement.step() { result[statement.int64(0), default: []].append(statement.int64(1)) }
    return result
  }

  /// Objects of a hierarchy that are about to be deleted.
  ///
  /// One statement where the entity has subentities, and one for each object that preserves values.
  mutating func willDelete(_ references: [Int64], of root: EntityDescription) throws {
    for (number, own) in try byEntity(references, root) {
      guard let index = opened.schema.entityIndex(number: number) else { continue }
      let entity = opened.storeEntities[index]
      if opened.recorded[entity.entity] != nil
        || entity.entity.attributes.contains(where: \.declaration.preservesValueInHistoryOnDeletion)
      {
        try willDelete(
          own.map { LockedObject(objectID: ManagedObjectID(entity, reference: $0), version: 0) })
      } else {
        changes.add(own, to: .init(kind: .delete, entity: number))
      }
    }
  }

  /// Writes the transaction.
  ///
  /// Statements as `HistoryTable.append`; none where nothing changed.
  func finish() throws {
    let place = try HistoryTable(connection, opened.schema, opened.historyNames).append(
      changes, values.values, TransactionOrigin.current, limits)
    guard let place, let receipt = HistoryReceipt.current else { return }
    receipt.note(
      .init(transactionNumber: place.number, fingerprint: Data(place.fingerprint)), in: opened.identifier)
  }

  /// Numbers by that of their own entity.
  private func byEntity(_ references: [Int64], _ entity: EntityDescription) throws -> [(Int64, [Int64])] {
    if !entity.hasSubentities { return [(number(entity), references)] }
    var found: [Int64: [Int64]] = [:]
    let statement = try entities(of: references.sorted(), entity)
    defer { statement.reset() }
    while try statement.step() { found[statement.int64(1), default: []].append(statement.int64(0)) }
    return found.sorted { $0.key < $1.key }
  }

  /// Selects those of some objects that exist, with the numbers of their own entities.
  private func entities(of references: [Int64], _ entity: EntityDescription) throws -> Statement {
    let isFew = (1...SaveStatements.few).contains(references.count)
    let statement = try connection.cached(opened.saveStatements.entities(entity, few: isFew))
    if isFew {
      for place in 0..<SaveStatements.few {
        statement.bind(Int32(place + 1), references[min(place, references.count - 1)])
      }
    } else {
      statement.bind(1, integers: IntegerArray(references))
    }
    return statement
  }

  /// Objects that were linked only: the row says of which entity each is.
  private mutating func addOthers(_ links: LinkedProperties) throws {
    var links = links
    var rest = links.sorted[...]
    while let root = rest.first?.key.root {
      let own = rest.prefix { $0.key.root == root }
      rest = rest[own.endIndex...]
      let entity = opened.schema.model.entities[root]
      let statement = try entities(of: own.map(\.key.reference), entity)
      defer { statement.reset() }
      while try statement.step() {
        var group = HistoryChanges.Group(kind: .update, entity: statement.int64(1))
        group.properties = links.remove(entity, statement.int64(0)) ?? .init()
        changes.add(statement.int64(0), to: group)
      }
    }
  }
}
