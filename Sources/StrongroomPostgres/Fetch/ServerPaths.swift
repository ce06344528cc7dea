import ObjectModel
import StoreContract

/// The tables that the key paths of a statement lead to, and their columns.
struct ServerPaths {
  /// A column, with what its values are.
  struct Column {
    let sql: String
    let type: ServerType
    /// The attribute; nil for a reference or a count.
    let attribute: AttributeDescription?
    var isCount = false
    /// Whether it is a text whose beginning is in an index.
    var isIndexedText = false
  }

  /// A table in a statement.
  struct Place {
    let alias: String
    let entity: EntityDescription
  }

  /// The tables with the elements of an object's to-many, and the condition that selects them.
  struct Elements {
    /// The tables, joined.
    let tables: String
    /// That an element is one of the object's.
    let condition: String
    let place: Place
  }

  private let schema: ServerSchema
  private let root: Place
  private(set) var joins = ""
  private var known: [[String]: Place] = [:]
  /// No two tables of a statement have one alias.
  private let prefix: String

  /// - Parameters:
  ///   - schema: The store's schema.
  ///   - root: Where key paths begin.
  init(_ schema: ServerSchema, from root: Place) {
    (self.schema, self.root) = (schema, root)
    prefix = root.alias + "_"
  }

  /// The column that a path over to-ones ends at; nil where it is no column.
  mutating func column(_ path: [String]) -> Column? {
    guard let last = path.last, let place = place(Array(path.dropLast())) else { return nil }
    if let toOne = place.entity.relationship(named: last), !toOne.isToMany {
      // The column of one without an inverse may have the number of a deleted object.
      return self.place(path).map { Column(sql: "\($0.alias)._id", type: .number, attribute: nil) }
    }
    guard let attribute = place.entity.attribute(named: last),
      let column = schema.table(place.entity).column(.attribute(attribute))
    else { return nil }
    let sql = "\(place.alias).\(column.name.quoted)"
    return Column(
      sql: attribute.sealing == .equality ? ServerTable.Column.equality(sql) : sql, type: column.type,
      attribute: attribute, isIndexedText: column.isIndexedText)
  }

  /// The number of the object that a path of to-ones ends at.
  mutating func number(_ path: [String]) -> Column? {
    place(path).map { Column(sql: "\($0.alias)._id", type: .number, attribute: nil) }
  }

  /// The elements of a to-many, and the path after it; nil where it leads over none, as its first or after
  /// to-ones.
  mutating func elements(_ path: [String]) -> (elements: Elements, rest: [String])? {
    for (index, name) in path.enumerated() {
      guard let place = place(Array(path[..<index])),
        let relationship = place.entity.relationship(named: name)
      else { return nil }
      if !relationship.isToMany { continue }
      return elements(of: relationship, from: place).map { ($0, Array(path[(index + 1)...])) }
    }
    return nil
  }

  private func elements(of toMany: RelationshipDescription, from place: Place) -> Elements? {
    let alias = prefix + "m"
    let table = "\(schema.table(toMany.destination).name.quoted) \(alias)"
    let end = Place(alias: alias, entity: toMany.destination)
    if let link = schema.link(toMany) {
      let isOwner = toMany === toMany.joinTableOwner
      let (own, other) = isOwner ? ("_source", "_target") : ("_target", "_source")
      return Elements(
        tables: "\(link.name.quoted) \(alias)l JOIN \(table) ON \(alias)._id = \(alias)l.\(other)",
        condition: "\(alias)l.\(own) = \(place.alias)._id", place: end)
    }
    guard let inverse = toMany.inverse, let column = schema.table(inverse.entity).column(.toOne(inverse))
    else { return nil }
    return Elements(
      tables: table,
      condition: "\(alias).\(column.name.quoted) = \(place.alias)._id"
        + " AND \(alias).\(schema.condition(inverse.entity))", place: end)
  }

  /// The table that a path of to-ones ends at.
  private mutating func place(_ path: [String]) -> Place? {
    if path.isEmpty { return root }
    if let known = known[path] { return known }
    guard let last = path.last, let from = place(Array(path.dropLast())),
      let toOne = from.entity.relationship(named: last), !toOne.isToMany,
      let column = schema.table(from.entity).column(.toOne(toOne))
    else { return nil }
    let new = Place(alias: prefix + String(known.count), entity: toOne.destination)
    joins +=
      " LEFT JOIN \(schema.table(toOne.destination).name.quoted) \(new.alias)"
      + " ON \(new.alias)._id = \(from.alias).\(column.name.quoted)"
    known[path] = new
    return new
  }
}
