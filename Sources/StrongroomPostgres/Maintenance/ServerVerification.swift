import ObjectModel
import StoreContract

/// Looks for what a store does not write, and others that use its tables can.
struct ServerVerification {
  private let connection: ServerConnection
  private let schema: ServerSchema

  init(_ connection: ServerConnection, _ schema: ServerSchema) {
    (self.connection, self.schema) = (connection, schema)
  }

  /// - Throws: `fileDamaged` with the first table in which something is found; `schemaMismatch` for one
  ///   without its key.
  func run() throws {
    for root in schema.roots { try check(root) }
    for links in schema.orderedLinks { try check(links) }
  }

  private func check(_ root: EntityDescription) throws {
    let table = schema.table(root)
    try checkKey(table.name)
    let entities = root.hierarchy.filter { !$0.isAbstract }
    try find(
      table.name, "_id",
      where: "_id < 1 OR _version < 1 OR NOT (\(schema.entityNumbers.condition(entities)))",
      "of no entity of the model, or without a number and a version that the store gives")
    for column in table.columns {
      // Others lead to nothing where their object was deleted by the rule "no action".
      guard case .toOne(let toOne) = column.field, toOne.cannotDangle else { continue }
      try find(
        table.name, "_id",
        where: schema.condition(toOne.entity)
          + " AND \(isOfNothing("r.\(column.name.quoted)", toOne.destination))",
        "whose \(toOne.name) leads to no object of \(toOne.destination.name)")
    }
  }

  private func check(_ links: ServerLinkTable) throws {
    try checkKey(links.name)
    var ends = [("_source", links.owner.entity)]
    // Of a relationship without an inverse a deletion leaves the other end.
    if links.owner.inverse != nil { ends.append(("_target", links.owner.destination)) }
    for (end, entity) in ends {
      try find(
        links.name, end, where: isOfNothing("r.\(end)", entity),
        "of the relationship \(links.owner.name) that lead to no object of \(entity.name)")
    }
  }

  private func isOfNothing(_ reference: String, _ entity: EntityDescription) -> String {
    "\(reference) IS NOT NULL AND NOT EXISTS (SELECT FROM \(schema.table(entity).name.quoted) d"
      + " WHERE d._id = \(reference) AND d.\(schema.condition(entity)))"
  }

  /// Without it, a row may be there twice.
  private func checkKey(_ table: String) throws {
    let keys = try connection.run(
      "SELECT FROM pg_index WHERE indrelid = $1::text::regclass AND indisprimary AND indisvalid",
      [.text(table.quoted)])
    if keys.count == 1 { return }
    throw StoreError(.schemaMismatch, "the table \(table) has lost its primary key; make it again")
  }

  private func find(_ table: String, _ number: String, where condition: String, _ what: String) throws {
    let rows = try connection.run(
      "SELECT count(*), min(r.\(number)) FROM \(table.quoted) r WHERE \(condition)")
    if rows.number(0, 0) == 0 { return }
    throw StoreError(
      .fileDamaged,
      "the table \(table) has \(rows.number(0, 0)) rows \(what), first that of \(rows.number(0, 1)); repair"
        + " them, or restore a backup")
  }
}

extension RelationshipDescription {
  /// Whether deleting the destination of a to-one clears it, or deletes its object.
  fileprivate var cannotDangle: Bool {
    (inverse ?? self).deleteRule != .noAction
  }
}
