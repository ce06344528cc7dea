import CipherDatabase

/// Finds relationships between text files: a column `author_id` of which every value is the `id` of
/// a row of the file of authors.
struct ReferenceSearch {
  private(set) var catalogue: SourceCatalogue

  init(_ catalogue: SourceCatalogue) throws {
    self.catalogue = catalogue
    for index in catalogue.tables.indices { try addReferences(index) }
  }

  private mutating func addReferences(_ index: Int) throws {
    let table = catalogue.tables[index]
    for column in table.columns.indices where table.columns[column].profile.count > 0 {
      let name = table.columns[column].name
      let base = SourceNames.toOne(name)
      guard base != SourceNames.property(name) else { continue }
      for (other, destination) in catalogue.tables.enumerated() where destination.primaryKey.count == 1 {
        let entity = SourceNames.decapitalized(SourceNames.entity(destination.name))
        let isSelf = other == index && (base == "parent" || base == entity)
        guard isSelf || (other != index && base.isSame(as: entity)), !(isSelf && table.primaryKey == [column])
        else { continue }
        guard try isAllThere(table, column, destination) else {
          catalogue.notes.append(
            "\(table.name).\(name) has values that are no keys of \(destination.name); it stays a value")
          continue
        }
        catalogue.tables[index].foreignKeys.append(
          SourceForeignKey(
            columns: [column], table: other, keyColumns: destination.primaryKey, onDelete: ""))
      }
    }
  }

  private func isAllThere(_ table: SourceTable, _ column: Int, _ destination: SourceTable) throws -> Bool {
    let isThere = KeyLookup.condition(destination.primaryKey, of: destination, by: [column], of: table)
    let missing = try catalogue.database.query(
      "SELECT 1 FROM \(table.sql) AS t WHERE t.\(table.columns[column].sql) IS NOT NULL AND NOT EXISTS"
        + " (SELECT 1 FROM \(destination.sql) AS k WHERE \(isThere)) LIMIT 1")
    return try !missing.step()
  }
}
