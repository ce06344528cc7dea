import ObjectModel
import ObjectQuery
import StoreContract

/// Computes the derived attributes that a save may have changed, within its transaction.
struct DerivedValues {
  private let connection: ServerConnection
  private let opened: PostgresStore.Opened
  private let store: PostgresStore

  init(_ connection: ServerConnection, _ opened: PostgresStore.Opened, _ store: PostgresStore) {
    (self.connection, self.opened, self.store) = (connection, opened, store)
  }

  /// What saves change that attributes are derived from.
  struct Changes {
    fileprivate var entities: Set<EntityDescription> = []
    /// The objects that are written, where something is derived from that.
    fileprivate var written: Set<ManagedObjectID> = []

    mutating func add(_ save: SaveChangesRequest) {
      let written =
        save.inserted.map(\.entity) + save.updated.map(\.node.entity) + save.deleted.map(\.objectID.entity)
      let linked = save.relationshipChanges.flatMap {
        [$0.relationship.entity, $0.relationship.destination]
      }
      let concerned = Set(written + linked).flatMap(\.derivedEntities)
      if concerned.isEmpty { return }
      entities.formUnion(concerned)
      self.written.formUnion((save.inserted + save.updated.map(\.node)).map(\.objectID))
    }
  }

  /// Reads and writes every object of the entities concerned; no statement where none is derived.
  func write(_ changes: Changes) throws {
    if changes.entities.isEmpty { return }
    // Of two saves that change what is derived from, the second sees the first's rows.
    try connection.run(
      "SELECT pg_advisory_xact_lock(hashtextextended($1, 11))", [.text("\(opened.identifier)")])
    for entity in changes.entities {
      try derive(entity) { attribute, node in
        attribute.derivation != .now || changes.written.contains(node.objectID)
      }
    }
  }

  /// Computes all of them; when a row was last saved is no less true than before.
  ///
  /// For each entity with derived attributes it reads all objects, and writes each attribute at once.
  func refresh() throws {
    for entity in opened.schema.model.entities where entity.attributes.contains(where: isOwn(entity)) {
      try derive(entity) { attribute, node in
        attribute.derivation != .now || node.value(of: attribute).isNull
      }
    }
  }

  private func isOwn(_ entity: EntityDescription) -> (AttributeDescription) -> Bool {
    { $0.derivation != nil && $0.entity === entity }
  }

  /// Writes the values that are others now: one statement for each attribute with some.
  private func derive(
    _ entity: EntityDescription, _ isConcerned: (AttributeDescription, IncrementalStoreNode) -> Bool
  ) throws {
    let nodes = try store.fetchNodes(FetchRequest(entity.name), lookup: nil)
    let attributes = Set(entity.hierarchy.flatMap(\.attributes)).sorted { $0.name < $1.name }
    for attribute in attributes where attribute.field >= 0 {
      guard let derivation = attribute.derivation else { continue }
      var changed: [IncrementalStoreNode] = []
      let builder = NodeBuilder()
      for node in nodes where node.entity.isKind(of: attribute.entity) && isConcerned(attribute, node) {
        let value = try derivation.value(of: StoreQueryObject(node, in: store), for: attribute)
        if value == node.value(of: attribute) { continue }
        builder.begin(fieldCount: node.entity.fieldCount)
        try builder.set(attribute, value)
        changed.append(
          builder.finish(node.objectID.storeEntity, reference: node.reference, version: node.version))
      }
      if !changed.isEmpty { try write(attribute, of: changed) }
    }
  }

  private func write(_ attribute: AttributeDescription, of nodes: [IncrementalStoreNode]) throws {
    let table = opened.schema.table(attribute.entity)
    guard let column = table.column(.attribute(attribute)) else { return }
    try connection.run(
      "UPDATE \(table.name.quoted) SET \(column.name.quoted) = \(column.type.cast("v.c0"))"
        + " FROM unnest($1::bigint[], $2::\(column.type.arrayName)) AS v(id, c0) WHERE _id = v.id",
      [.numbers(nodes.map(\.reference)), try ServerSave.values(attribute.field, column.type, of: nodes)])
  }
}
