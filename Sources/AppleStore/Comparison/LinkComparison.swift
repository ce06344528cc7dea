import CipherDatabase
import ObjectModel
import SQLCipherStore
import StoreContract

/// Compares the links of the to-many relationships that are stored apart, with their orders.
struct LinkComparison {
  private let store: AppleStore
  private let reader: StoreReader
  private(set) var result: AppleStoreComparison

  init(_ store: AppleStore, _ reader: StoreReader, _ result: AppleStoreComparison) {
    self.store = store
    self.reader = reader
    self.result = result
  }

  mutating func run() throws {
    for entity in store.model.entities {
      for relationship in entity.relationships
      where relationship.entity === entity && relationship.isToMany && relationship.hasJoinTable {
        guard let own = reader.model.entity(named: entity.name)?.relationship(named: relationship.name) else {
          continue
        }
        try compare(relationship, own)
      }
    }
  }

  private mutating func compare(
    _ relationship: RelationshipDescription, _ own: RelationshipDescription
  ) throws {
    guard let links = store.layout.links(of: relationship), let query = try query(relationship, links) else {
      return
    }
    // Each pair once: a to-one's is counted with its row, that of two to-manys at one of them.
    let isCounted = own.inverse?.isToMany ?? true && own.joinTableOwner === own
    var isThere = try query.step()
    func isBefore(_ source: Int64, _ destination: Int64) -> Bool {
      relationship.isOrdered
        ? query.integer(0) < source : (query.integer(0), query.integer(1)) < (source, destination)
    }
    try reader.eachLink(of: own) { source, destination, _ in
      if isCounted { result.linkCount += 1 }
      while isThere, isBefore(source, destination) {
        result.add(relationship.entity.name, query.integer(0), relationship.name, "a link is missing")
        isThere = try query.step()
      }
      guard isThere, query.integer(0) == source else {
        return result.add(relationship.entity.name, source, relationship.name, "the source has no such link")
      }
      if query.integer(1) != destination {
        result.add(
          relationship.entity.name, source, relationship.name,
          relationship.isOrdered
            ? "another object has this place in the order" : "the source has no such link")
        if !relationship.isOrdered { return }
      }
      isThere = try query.step()
    }
    while isThere {
      result.add(relationship.entity.name, query.integer(0), relationship.name, "a link is missing")
      isThere = try query.step()
    }
  }

  /// Selects each link between objects that are there once, in the order of the relationship.
  private func query(_ relationship: RelationshipDescription, _ links: AppleLinks) throws -> PlainQuery? {
    let layout = store.layout
    guard let owners = layout.table(of: relationship.entity),
      let destinations = layout.table(of: relationship.destination)
    else { return nil }
    func q(_ name: String) -> String { PlainDatabase.quoted(name) }
    let (owner, destination) = ("l.\(q(links.owner))", "l.\(q(links.destination))")
    let order = relationship.isOrdered ? links.order.map { "min(l.\(q($0)))" } : nil
    var pairs =
      "SELECT \(owner) AS a, \(destination) AS b, \(order ?? "NULL") AS c FROM \(q(links.table)) l"
      + " JOIN \(q(owners)) o ON o.Z_PK = \(owner) AND o.Z_ENT IN (\(numbers(relationship.entity)))"
      + " JOIN \(q(destinations)) d ON d.Z_PK = \(destination)"
      + " AND d.Z_ENT IN (\(numbers(relationship.destination)))"
    if links.isReflexive {
      // A link in one direction only is completed.
      let other =
        "SELECT \(destination), \(owner), NULL FROM \(q(links.table)) l"
        + " JOIN \(q(owners)) o ON o.Z_PK = \(owner) AND o.Z_ENT IN (\(numbers(relationship.entity)))"
        + " JOIN \(q(destinations)) d ON d.Z_PK = \(destination)"
        + " AND d.Z_ENT IN (\(numbers(relationship.destination)))"
      pairs = "\(pairs) GROUP BY 1, 2 UNION \(other)"
      return try store.database.query("SELECT DISTINCT a, b FROM (\(pairs)) ORDER BY a, b")
    }
    return try store.database.query(
      "SELECT a, b FROM (\(pairs) GROUP BY 1, 2) ORDER BY a, \(order == nil ? "" : "c, ")b")
  }

  private func numbers(_ entity: EntityDescription) -> String {
    entity.hierarchy.filter { !$0.isAbstract }.compactMap { store.layout.numbers[$0.index] }.map(String.init)
      .joined(separator: ", ")
  }
}
