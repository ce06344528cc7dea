import ObjectModel
import StoreContract

extension StoreSchema {
  /// For each row in turn id, entity, version, then the entity's fields in order.
  ///
  /// It fails rather than aborts, here and in updates: to be able to undo one statement of many
  /// rows the library keeps a copy, enciphered, of each page it touches, and a save is undone
  /// whole.
  func insertion(_ entity: EntityDescription, rows: Int = 1) -> String {
    let table = table(entity)
    let columns = ["_id", "_entity", "_version"] + entity.storedFields.map { columnName($0, table) }
    let row = "(" + columns.map { _ in "?" }.joined(separator: ", ") + ")"
    return "INSERT OR FAIL INTO \(table.name.quoted) (\(columns.joined(separator: ", "))) VALUES "
      + Array(repeating: row, count: rows).joined(separator: ", ")
  }

  /// `?1` id, `?2` the version it must have, then the fields in the order given.
  func updating(_ fields: [Int], of entity: EntityDescription) -> String {
    let table = table(entity)
    let stored = entity.storedFields
    let settings =
      ["_version = _version + 1"]
      + fields.enumerated().map { "\(columnName(stored[$0.element], table)) = ?\($0.offset + 3)" }
    return
      "UPDATE OR FAIL \(table.name.quoted) SET \(settings.joined(separator: ", ")) WHERE _id = ?1 AND"
      + " _version = ?2"
  }

  /// Makes fields of the row `?1` null.
  func clearing(_ fields: [Int], of entity: EntityDescription) -> String {
    let table = table(entity)
    let stored = entity.storedFields
    let settings = fields.map { "\(columnName(stored[$0], table)) = NULL" }
    return "UPDATE OR FAIL \(table.name.quoted) SET \(settings.joined(separator: ", ")) WHERE _id = ?1"
  }

  /// The statements that remove all links of an object, `?1` its id.
  func joinTableDeletions(_ entity: EntityDescription) -> [String] {
    joinTableColumns(entity).map { "DELETE FROM \($0.table.name.quoted) WHERE \($0.column) = ?1" }
  }

  /// Where an object of the entity may stand in link tables.
  func joinTableColumns(_ entity: EntityDescription) -> [(table: JoinTable, column: String)] {
    var ends: [(JoinTable, String)] = []
    for relationship in entity.relationships {
      guard relationship.hasJoinTable, let links = joinTable(relationship) else { continue }
      if relationship === links.owner { ends.append((links, "_source")) }
      if relationship !== links.owner || relationship.inverse === relationship {
        ends.append((links, "_target"))
      }
    }
    for links in unidirectionalJoinTables[entity.root.index] ?? [] { ends.append((links, "_target")) }
    return ends
  }

  func columnName(_ field: StoredField, _ table: EntityTable) -> String {
    table.ordinal(field).map { table.columns[$0].name.quoted } ?? "NULL"
  }
}

extension EntityDescription {
  /// The fields that stand in a uniqueness constraint.
  var uniqueFields: Set<Int> {
    let names = Set(uniquenessConstraints.flatMap(\.propertyNames))
    return Set(storedFields.indices.filter { names.contains(storedFields[$0].name) })
  }
}

extension JoinTable {
  /// How many links one statement inserts where there are as many.
  static let rowsTogether = 45

  /// Selects the place after the last of an order.
  ///
  /// - `column`: The column with the places; `condition`: whose order it is.
  func nextPlace(_ column: String, _ condition: String) -> String {
    "SELECT ifnull(max(\(column)), -1) + 1 FROM \(name.quoted) WHERE \(condition)"
  }

  /// A link that is there already stays once.
  ///
  /// A new one goes to the end of each order, and so needs to see the links before: an ordered
  /// table takes one at a time, with the places that are known as `?3` and, of the inverse, `?4`.
  func insertion(rows: Int = 1) -> String {
    if rows > 1 {
      let marks = Array(repeating: "(?, ?)", count: rows).joined(separator: ", ")
      return "INSERT OR IGNORE INTO \(name.quoted) (_source, _target) VALUES \(marks)"
    }
    var columns = ["_source", "_target"]
    var values = ["?1", "?2"]
    if hasPosition {
      columns.append("_position")
      values.append("ifnull(?3, (\(nextPlace("_position", "_source = ?1"))))")
    }
    if hasInversePosition {
      columns.append("_inverse_position")
      values.append("ifnull(?4, (\(nextPlace("_inverse_position", "_target = ?2"))))")
    }
    return
      "INSERT OR IGNORE INTO \(name.quoted) (\(columns.joined(separator: ", "))) VALUES"
      + " (\(values.joined(separator: ", ")))"
  }
}

extension PropertyIndexSet {
  /// Any order will do, so long as equal sets come together.
  var order: Int { elements.reduce(into: 0) { $0 = $0 &* 131 &+ $1 &+ 1 } }
}

extension Array {
  func sortedByKey<A: Comparable, B: Comparable>(_ key: (Element) -> (A, B)) -> [Element] {
    var isSorted = true
    for index in indices.dropFirst() where key(self[index - 1]) > key(self[index]) {
      isSorted = false
      break
    }
    return isSorted ? self : sorted { key($0) < key($1) }
  }

  func sortedByKey<A: Comparable, B: Comparable, C: Comparable>(
    _ key: (Element) -> (A, B, C)
  ) -> [Element] {
    map { (key($0), $0) }.sorted { $0.0 < $1.0 }.map(\.1)
  }
}
