import ObjectModel

/// The numbers of rows and values of a store by entity; each table is read once, when it is first
/// asked for.
package final class StoreCensus<Database: MigrationDatabase> {
  private struct Counts {
    var rows = 0
    /// By what declares the field.
    var values: [ObjectIdentifier: Int] = [:]
  }

  private let database: Database
  private let schema: Database.Schema
  /// By root entity, then by the number that `_entity` holds.
  private var counts: [EntityDescription: [Int64: Counts]] = [:]

  init(_ database: Database, _ schema: Database.Schema) {
    (self.database, self.schema) = (database, schema)
  }

  /// Of a version that is not in the store yet: what an inferred migration makes of the numbers before it.
  init(after former: StoreCensus, _ plan: MigrationPlan<Database.Schema>) throws {
    database = former.database
    schema = plan.new
    for root in schema.roots { counts[root] = [:] }
    for entity in schema.model.entities {
      guard let pair = plan.mapping.entities[entity.name] else { continue }
      var numbers = Counts(rows: try former.rows(pair.old))
      for field in entity.storedFields {
        let was = plan.old(field, pair)
        let present = try was.map { try former.values($0, pair.old) } ?? 0
        numbers.values[field.identity] = field.isFilledWhereMissing(was) ? numbers.rows : present
      }
      counts[entity.root]?[schema.number(entity)] = numbers
    }
  }

  /// Of a version that is not in the store yet, and whose data is not known: all numbers are 0.
  init(ofNothing database: Database, _ schema: Database.Schema) {
    (self.database, self.schema) = (database, schema)
    for root in schema.roots { counts[root] = [:] }
  }

  /// The number of an entity's objects, without those of subentities.
  func rows(_ entity: EntityDescription) throws -> Int { try counts(entity)?.rows ?? 0 }

  /// The number of an entity's own objects that have a value in a field.
  func values(_ field: StoredField, _ entity: EntityDescription) throws -> Int {
    try counts(entity)?.values[field.identity] ?? 0
  }

  private func counts(_ entity: EntityDescription) throws -> Counts? {
    let number = schema.number(entity)
    if let known = counts[entity.root] { return known[number] }
    let read = try read(entity.root)
    counts[entity.root] = read
    return read[number]
  }

  private func read(_ root: EntityDescription) throws -> [Int64: Counts] {
    var columns: [ObjectIdentifier: String] = [:]
    for entity in root.hierarchy {
      for field in entity.storedFields {
        columns[field.identity] = schema.columnName(field, of: entity)
      }
    }
    let fields = Array(columns)
    let sums = fields.map { ", \(database.valueCount($0.value))" }.joined()
    var result: [Int64: Counts] = [:]
    for row in try database.numbers(
      "SELECT _entity, count(*)\(sums) FROM \(schema.tableName(root)) GROUP BY _entity", MigrationDefaults())
    {
      var counts = Counts(rows: Int(row[1]))
      for (field, count) in zip(fields, row.dropFirst(2)) { counts.values[field.key] = Int(count) }
      result[row[0]] = counts
    }
    return result
  }
}

extension StoredField {
  /// Whether a migration gives a default value to all rows that have none.
  fileprivate func isFilledWhereMissing(_ was: StoredField?) -> Bool {
    guard case .attribute(let attribute) = self, attribute.derivation == nil else { return false }
    return !attribute.defaultValue.isNull && (was == nil || !attribute.isOptional)
  }
}
