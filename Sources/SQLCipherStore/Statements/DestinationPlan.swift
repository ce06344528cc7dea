import CipherDatabase
import Locks
import ObjectModel
import StoreContract

/// The statements that read destinations of relationships, each made at its first use.
final class DestinationPlanCache: Sendable {
  private let texts = Locked<[ObjectIdentifier: StatementText]>([:])
  private let rowTexts = Locked<[ObjectIdentifier: (some: StatementText, whole: StatementText)]>([:])

  /// Selects the destinations of a one-to-many, with the source's number last: for a list of
  /// sources, or for all.
  func rows(
    _ relationship: RelationshipDescription, _ plan: SelectPlan, _ column: String, _ schema: StoreSchema,
    whole: Bool
  ) -> StatementText {
    rowTexts.withLock { texts in
      let known = texts[ObjectIdentifier(relationship)]
      if let known { return whole ? known.whole : known.some }
      let table = schema.table(relationship.destination).name.quoted
      let select = "SELECT \(plan.columns), t0.\(column.quoted) FROM"
      let new = (
        some: StatementText(
          "\(select) _integers(?1) AS r CROSS JOIN \(table) AS t0 ON t0.\(column.quoted) = r.value"),
        whole: StatementText("\(select) \(table) AS t0 WHERE t0.\(column.quoted) IS NOT NULL ORDER BY t0._id")
      )
      texts[ObjectIdentifier(relationship)] = new
      return whole ? new.whole : new.some
    }
  }

  func text(_ relationship: RelationshipDescription, _ schema: StoreSchema) -> StatementText {
    texts.withLock { texts in
      if let known = texts[ObjectIdentifier(relationship)] { return known }
      let new = StatementText(DestinationsStatement(relationship, schema: schema).sql)
      texts[ObjectIdentifier(relationship)] = new
      return new
    }
  }
}

/// Selects position of the source, destination and where needed the destination's entity, in the
/// order of the sources and within a source in the relationship's order.
///
/// A cross join is a loop within a loop: sources come as they stand in the list, and destinations
/// as they stand in the index or table, which both ascend. Only a lasting order needs a sorter.
struct DestinationsStatement {
  let sql: String

  init(_ relationship: RelationshipDescription, schema: StoreSchema) {
    let destination = schema.table(relationship.destination)
    let polymorphic = relationship.destination.hasSubentities
    if let links = schema.joinTable(relationship), relationship.hasJoinTable {
      let forward = relationship === links.owner
      let from = forward ? "_source" : "_target"
      let to = forward ? "_target" : "_source"
      let order =
        relationship.isOrdered
        ? " ORDER BY r.position, l.\(forward ? "_position" : "_inverse_position"), l.\(to)" : ""
      let join = polymorphic ? " CROSS JOIN \(destination.name.quoted) AS d ON d._id = l.\(to)" : ""
      sql =
        "SELECT r.position, l.\(to)\(polymorphic ? ", d._entity" : "") FROM _integers(?1) AS r"
        + " CROSS JOIN \(links.name.quoted) AS l ON l.\(from) = r.value\(join)\(order)"
    } else {
      let inverse = relationship.inverse.flatMap { destination.column($0)?.name.quoted } ?? "NULL"
      sql =
        "SELECT r.position, d._id\(polymorphic ? ", d._entity" : "") FROM _integers(?1) AS r"
        + " CROSS JOIN \(destination.name.quoted) AS d ON d.\(inverse) = r.value"
    }
  }
}
