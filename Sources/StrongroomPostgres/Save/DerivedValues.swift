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

  /// Reads and writes every object of the entities concerned; no statement where none is derived.
  func write(_ save: SaveChangesRequest) throws {
    let written =
      save.inserted.map(\.entity) + save.updated.map(\.node.entity) + save.deleted.map(\.objectID.entity)
    let linked = save.relationshipChanges.flatMap { [$0.relationship.entity, $0.relationship.destination] }
    let changed = Set((save.inserted + save.updated.map(\.node)).map(\.objectID))
    let entities = Set((written + linked).flatMap(\.derivedEntities))
    if entities.isEmpty { return }
    // Of two saves that change what is derived from, the second sees the first's rows.
    try connection.run(
      "SELECT pg_advisory_xact_lock(hashtextextended($1, 11))", [.text("\(opened.identifier)")])
    for entity in entities {
      for node in try store.fetchNodes(FetchRequest(entity.name), lookup: nil) {
        try derive(node, isChanged: changed.contains(node.objectID))
      }
    }
  }

  private func derive(_ node: IncrementalStoreNode, isChanged: Bool) throws {
    let table = opened.schema.table(node.entity)
    for attribute in node.entity.attributes {
      guard let derivation = attribute.derivation, attribute.field >= 0, derivation != .now || isChanged,
        let column = table.column(.attribute(attribute))
      else { continue }
      let value = try derivation.value(of: StoreQueryObject(node, in: store), for: attribute)
      if value == node.value(of: attribute) { continue }
      let builder = NodeBuilder()
      builder.begin(fieldCount: node.entity.fieldCount)
      try builder.set(attribute, value)
      let one = builder.finish(node.objectID.storeEntity, reference: node.reference, version: node.version)
      try connection.run(
        "UPDATE \(table.name.quoted) SET \(column.name.quoted) = \(column.type.cast("v.c0"))"
          + " FROM unnest($1::bigint[], $2::\(column.type.arrayName)) AS v(id, c0) WHERE _id = v.id",
        [.numbers([node.reference]), try ServerSave.values(attribute.field, column.type, of: [one])])
    }
  }
}
