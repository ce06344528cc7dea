import ObjectModel
import ObjectQuery
import StoreContract

/// Computes derived attributes, within the transaction of a save or a migration.
struct DerivedValues {
  private let connection: ServerConnection
  private let opened: PostgresStore.Opened
  private let store: PostgresStore

  /// How many objects are in memory at once.
  private static let objectsTogether = 1000

  init(_ connection: ServerConnection, _ opened: PostgresStore.Opened, _ store: PostgresStore) {
    (self.connection, self.opened, self.store) = (connection, opened, store)
  }

  /// Writes the derived attributes of the objects that saves concern.
  ///
  /// No statement where nothing is derived from what was written; else one, and up to five for each
  /// attribute.
  func write(_ changes: DerivedChanges) throws {
    if changes.isEmpty { return }
    // Of two saves that change what is derived from, the second sees the first's rows.
    try connection.run(
      "SELECT pg_advisory_xact_lock(pg_catalog.hashtextextended($1, 11))", [.text("\(opened.identifier)")])
    for attribute in opened.schema.derivedAttributes {
      try derive(attribute, of: changes.owners(of: attribute))
    }
  }

  /// Computes all of them; when a row was last saved is no less true than before.
  func refresh() throws {
    for attribute in opened.schema.derivedAttributes {
      var request = FetchRequest(attribute.entity.name)
      if attribute.derivation == .now {
        request.predicate = .compare(attribute.name, .equal, .null)
      }
      try derive(attribute, of: store.fetchObjectIDs(request).map(\.reference))
    }
  }

  private func derive(_ attribute: AttributeDescription, of owners: [Int64]) throws {
    for start in stride(from: 0, to: owners.count, by: Self.objectsTogether) {
      let end = min(start + Self.objectsTogether, owners.count)
      try deriveTogether(attribute, of: Array(owners[start..<end]))
    }
  }

  /// Writes the values that are others now.
  private func deriveTogether(_ attribute: AttributeDescription, of owners: [Int64]) throws {
    guard let derivation = attribute.derivation else { return }
    let nodes = try store.newValues(for: owners, of: attribute.entity).compactMap { $0 }
      .filter { $0.entity.isKind(of: attribute.entity) }
    let builder = NodeBuilder()
    var changed: [IncrementalStoreNode] = []
    for object in QueryCohort.objects(nodes, in: store) {
      let node = object.node
      let value = try derivation.value(of: object, for: attribute)
      if value == node.value(of: attribute) { continue }
      builder.begin(fieldCount: node.entity.fieldCount)
      try builder.set(attribute, value)
      changed.append(builder.finish(node.storeEntity, reference: node.reference, version: node.version))
    }
    if !changed.isEmpty { try write(attribute, of: changed) }
  }

  private func write(_ attribute: AttributeDescription, of nodes: [IncrementalStoreNode]) throws {
    let table = opened.schema.table(attribute.entity)
    guard let column = table.column(.attribute(attribute)) else { return }
    try connection.run(
      "UPDATE \(table.name.quoted) SET \(column.name.quoted) = \(column.type.cast("v.c0"))"
        + " FROM unnest($1::bigint[], $2::\(column.type.arrayName)) AS v(id, c0) WHERE _id = v.id",
      [
        .numbers(nodes.map(\.reference)),
        try ServerSave.values(attribute.field, column.type, of: nodes, opened.sealing),
      ])
  }
}
