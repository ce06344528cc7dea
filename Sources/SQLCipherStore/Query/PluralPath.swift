import ObjectModel
import StoreContract

/// The tables a key path over to-manys leads through, from the row `t0` outside of a subquery.
struct PluralPath {
  private(set) var tables = ""
  private(set) var links = ""
  /// The links but the first.
  private(set) var innerLinks = ""
  /// The two sides of the first link: of `t0`, and of the first table.
  private(set) var start = (outside: "t0._id", inside: "")
  let operand: PredicateTranslation.Operand

  /// Nil when a name is unknown or the end cannot be compared in SQL.
  init?(_ path: [String], _ entity: Entity, _ schema: StoreSchema, serial: Int) {
    var entity = entity
    var alias = "t0"
    var tables: [String] = []
    var links: [String] = []
    for (index, name) in path.enumerated() {
      guard let property = entity.property(named: name) else { return nil }
      guard case .relationship(let relationship) = property else {
        guard index == path.count - 1, let column = schema.table(entity).column(property), alias != "t0"
        else { return nil }
        operand = .init(sql: "\(alias).\(column.name.quoted)", field: column.field)
        self.tables = tables.joined(separator: ", ")
        self.links = links.joined(separator: " AND ")
        innerLinks = links.dropFirst().joined(separator: " AND ")
        return
      }
      if relationship.isTransient { return nil }
      let next = "s\(serial)_\(index)"
      let destination = schema.table(relationship.destination)
      if relationship.isToMany, relationship.hasLinkTable, let table = schema.linkTable(relationship) {
        let forward = relationship === table.owner
        tables.append("\(table.name.quoted) AS \(next)l")
        links.append("\(next)l.\(forward ? "_source" : "_target") = \(alias)._id")
        if index == 0 { start.inside = "\(next)l.\(forward ? "_source" : "_target")" }
        links.append("\(next)._id = \(next)l.\(forward ? "_target" : "_source")")
      } else if relationship.isToMany {
        guard let inverse = relationship.inverse.flatMap({ destination.column($0) }) else { return nil }
        links.append("\(next).\(inverse.name.quoted) = \(alias)._id")
        if index == 0 { start.inside = "\(next).\(inverse.name.quoted)" }
      } else {
        guard let column = schema.table(entity).column(relationship) else { return nil }
        links.append("\(next)._id = \(alias).\(column.name.quoted)")
        if index == 0 { start = ("\(alias).\(column.name.quoted)", "\(next)._id") }
      }
      tables.append("\(destination.name.quoted) AS \(next)")
      alias = next
      entity = relationship.destination
    }
    guard alias != "t0" else { return nil }
    operand = .init(sql: "\(alias)._id", field: nil)
    self.tables = tables.joined(separator: ", ")
    self.links = links.joined(separator: " AND ")
    innerLinks = links.dropFirst().joined(separator: " AND ")
  }
}
