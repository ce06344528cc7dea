import CipherDatabase
import ObjectModel

/// Reads the links of a to-many relationship, by owner and in their order.
struct AppleLinkReader {
  private let relationship: RelationshipDescription
  private let links: AppleLinks
  private let store: AppleStore
  private let objects: AppleObjects
  private let report: (AppleStoreFault) -> Void

  init(
    _ relationship: RelationshipDescription, _ links: AppleLinks, _ store: AppleStore,
    _ objects: AppleObjects,
    report: @escaping (AppleStoreFault) -> Void
  ) throws {
    self.relationship = relationship
    self.links = links
    self.store = store
    self.objects = objects
    self.report = report
  }

  private var table: String { PlainDatabase.quoted(links.table) }
  private var owner: String { PlainDatabase.quoted(links.owner) }
  private var destination: String { PlainDatabase.quoted(links.destination) }

  private func fault(_ kind: AppleStoreFault.Kind, _ key: Int64, _ message: String) {
    report(AppleStoreFault(kind, relationship.entity.name, key, relationship.name, message))
  }

  /// Calls a closure with owner, destination and place of each link that leads from an object to an
  /// object.
  func each(_ body: (Int64, Int64, Int64) throws -> Void) throws {
    let order = relationship.isOrdered ? links.order.map(PlainDatabase.quoted) : nil
    let rows = try store.database.query(
      "SELECT \(owner), \(destination), \(order ?? "NULL") FROM \(table)"
        + " WHERE typeof(\(owner)) = 'integer' AND typeof(\(destination)) = 'integer'"
        + " ORDER BY \(owner), \(order.map { $0 + ", " } ?? "")\(destination)")
    var (last, position, lastPlace): (Int64?, Int64, Int64?) = (nil, 0, nil)
    while try rows.step() {
      let (source, target) = (rows.integer(0), rows.integer(1))
      guard try isLink(source, target) else { continue }
      if source != last { (last, position, lastPlace) = (source, 0, nil) }
      if order != nil {
        let place = rows.kind(2) == .null ? nil : rows.integer(2)
        if place == nil { fault(.order, source, "row \(target) has no place in the order; it comes first") }
        if place != nil, place == lastPlace {
          fault(.order, source, "row \(target) shares its place in the order")
        }
        lastPlace = place
      }
      try body(source, target, position)
      position += 1
      if links.isReflexive, try !isThere(target, source) {
        fault(.oneSided, source, "row \(target) does not reference it back; that is completed")
        try body(target, source, 0)
      }
    }
  }

  private func isLink(_ source: Int64, _ target: Int64) throws -> Bool {
    guard let destination = try objects.entity(of: target, in: relationship.destination.root) else {
      fault(.dangling, source, "a link leads to row \(target), which is not there; it is left out")
      return false
    }
    guard destination.isKind(of: relationship.destination) else {
      // A column of a table that several entities share may have a default in rows of the others.
      if links.destination != "Z_PK" || relationship.inverse == nil {
        fault(
          .wrongDestination, source, "a link leads to row \(target), a \(destination.name); it is left out")
      }
      return false
    }
    guard let entity = try objects.entity(of: source, in: relationship.entity.root),
      entity.isKind(of: relationship.entity)
    else {
      if links.destination != "Z_PK" || relationship.inverse == nil {
        fault(.dangling, source, "a link to row \(target) leads from a row that is not there; it is left out")
      }
      return false
    }
    return true
  }

  private func isThere(_ source: Int64, _ target: Int64) throws -> Bool {
    let row = try store.database.query(
      "SELECT 1 FROM \(table) WHERE \(owner) = ? AND \(destination) = ?")
    row.restart(source, target)
    return try row.step()
  }

  /// Reports links that are there more than once; the new store has each once.
  func checkRepetitions() throws {
    if links.destination == "Z_PK" { return }
    let rows = try store.database.query(
      "SELECT \(owner), \(destination) FROM \(table) GROUP BY 1, 2 HAVING count(*) > 1")
    while try rows.step() {
      fault(.repeatedLink, rows.integer(0), "the link to row \(rows.integer(1)) is there more than once")
    }
  }
}
