import ObjectModel
import ObjectQuery
import StoreContract

/// The tables that a path of relationships crosses, from a row outside of a subquery.
struct PathRows {
  /// What stands behind FROM.
  private(set) var tables: [String] = []
  /// How the tables hang together, the row outside first.
  private(set) var links: [String] = []
  /// The two sides of the first link: of the row outside, and of the first table.
  private(set) var start = (outside: "", inside: "")
  /// The last table, its entity, and the expression that orders its rows.
  private(set) var alias: String
  private(set) var entity: EntityDescription
  private(set) var order = ""
  /// Whether the last table is reached by a join table, so that it has one row for each of that table's.
  private var endsBehindJoinTable = false
  private let serial: Int

  /// - `alias`: The table outside.
  /// - `serial`: Makes the names of the tables differ from those of others.
  init(from alias: String, _ entity: EntityDescription, serial: Int) {
    self.alias = alias
    self.entity = entity
    self.serial = serial
  }

  /// Goes one relationship on; false for one that is not stored.
  mutating func follow(_ relationship: RelationshipDescription, _ schema: StoreSchema) -> Bool {
    if relationship.isTransient { return false }
    let isFirst = tables.isEmpty
    let next = "s\(serial)_\(tables.count)"
    let destination = schema.table(relationship.destination)
    endsBehindJoinTable = false
    if relationship.isToMany, relationship.hasJoinTable {
      guard let table = schema.joinTable(relationship) else { return false }
      let isForward = relationship === table.owner
      let (near, far) = isForward ? ("_source", "_target") : ("_target", "_source")
      tables.append("\(table.name.quoted) AS \(next)l")
      link("\(next)l.\(near)", "\(alias)._id", isFirst)
      links.append("\(next)._id = \(next)l.\(far)")
      endsBehindJoinTable = true
      order = relationship.isOrdered ? "\(next)l.\(isForward ? "_position" : "_inverse_position"), " : ""
    } else if relationship.isToMany {
      guard let inverse = relationship.inverse.flatMap({ destination.column($0) }) else { return false }
      link("\(next).\(inverse.name.quoted)", "\(alias)._id", isFirst)
      order = ""
    } else {
      guard let column = schema.table(entity).column(relationship) else { return false }
      link("\(next)._id", "\(alias).\(column.name.quoted)", isFirst)
      order = ""
    }
    tables.append("\(destination.name.quoted) AS \(next)")
    alias = next
    entity = relationship.destination
    return true
  }

  private mutating func link(_ inside: String, _ outside: String, _ isFirst: Bool) {
    links.append("\(inside) = \(outside)")
    if isFirst { start = (outside, inside) }
  }

  /// The rows in the order of the last relationship.
  func ordered(descending: Bool) -> String {
    (order + alias + "._id").split(separator: ",").map { descending ? "\($0) DESC" : String($0) }
      .joined(separator: ",")
  }

  /// The number of rows, for which the last table is not read where nothing is asked of it.
  func count(_ conditions: [String]) -> String {
    guard endsBehindJoinTable, conditions.isEmpty else { return "(SELECT count(*) \(source(conditions)))" }
    var near = self
    near.tables.removeLast()
    near.links.removeLast()
    return "(SELECT count(*) \(near.source()))"
  }

  /// FROM and WHERE, with conditions besides.
  func source(_ conditions: [String] = []) -> String {
    "FROM \(tables.joined(separator: ", ")) WHERE \((links + conditions).joined(separator: " AND "))"
  }
}
