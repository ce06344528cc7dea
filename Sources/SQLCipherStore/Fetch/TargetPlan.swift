import CipherDatabase
import ObjectModel
import StoreContract
import Synchronization

/// The statements that find what relationships lead to, each made when first asked for.
final class TargetPlanCache: Sendable {
  private let texts = Mutex<[ObjectIdentifier: StatementText]>([:])

  func text(_ relationship: Relationship, _ schema: StoreSchema) -> StatementText {
    texts.withLock { texts in
      if let known = texts[ObjectIdentifier(relationship)] { return known }
      let new = StatementText(TargetsStatement(relationship, schema: schema).sql)
      texts[ObjectIdentifier(relationship)] = new
      return new
    }
  }
}

/// Selects position of the source, target and where needed the target's entity, in the order of the sources and
/// within a source in the relationship's order.
struct TargetsStatement {
  let sql: String

  init(_ relationship: Relationship, schema: StoreSchema) {
    let destination = schema.table(relationship.destination)
    let polymorphic = relationship.destination.hasSubentities
    if let links = schema.linkTable(relationship), relationship.hasLinkTable {
      let forward = relationship === links.owner
      let from = forward ? "_source" : "_target"
      let to = forward ? "_target" : "_source"
      let order =
        relationship.isOrdered
        ? "l.\(forward ? "_position" : "_inverse_position"), l.\(to)" : "l.\(to)"
      let join = polymorphic ? " CROSS JOIN \(destination.name.quoted) AS d ON d._id = l.\(to)" : ""
      sql =
        "SELECT r.position, l.\(to)\(polymorphic ? ", d._entity" : "") FROM _integers(?1) AS r"
        + " CROSS JOIN \(links.name.quoted) AS l ON l.\(from) = r.value\(join) ORDER BY r.position, \(order)"
    } else {
      let inverse = relationship.inverse.flatMap { destination.column($0)?.name.quoted } ?? "NULL"
      sql =
        "SELECT r.position, d._id\(polymorphic ? ", d._entity" : "") FROM _integers(?1) AS r"
        + " CROSS JOIN \(destination.name.quoted) AS d ON d.\(inverse) = r.value ORDER BY r.position, d._id"
    }
  }
}
