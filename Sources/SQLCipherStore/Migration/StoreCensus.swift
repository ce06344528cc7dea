import CipherDatabase
import ObjectModel

/// The numbers of rows and values of a store by entity; each table is read once, when it is first
/// asked for.
final class StoreCensus {
  private struct Counts {
    var rows = 0
    /// By the column's position.
    var values: [Int] = []
  }

  private let connection: Connection
  private let schema: StoreSchema
  /// By root entity, then by the number that `_entity` holds.
  private var counts: [EntityDescription: [Int64: Counts]] = [:]

  init(_ connection: Connection, _ schema: StoreSchema) {
    self.connection = connection
    self.schema = schema
  }

  /// Of a version that is not in the file yet: what an inferred migration makes of the numbers before
  /// it.
  init(after former: StoreCensus, _ migration: InferredMigration) throws {
    connection = migration.connection
    schema = migration.new
    for root in schema.roots { counts[root] = [:] }
    for entity in schema.model.entities {
      guard let pair = migration.mapping.entities[entity.name] else { continue }
      let table = schema.table(entity)
      var numbers = Counts(rows: try former.rows(pair.old))
      numbers.values = Array(repeating: 0, count: table.columns.count)
      for field in entity.storedFields {
        guard let column = table.ordinal(field) else { continue }
        let was = migration.old(field, pair)
        let present = try was.map { try former.values($0, pair.old) } ?? 0
        numbers.values[column] = field.isFilledWhereMissing(was) ? numbers.rows : present
      }
      counts[entity.root]?[schema.entityNumbers[entity.index]] = numbers
    }
  }

  /// Of a version that is not in the file yet, and whose data is not known: all numbers are 0.
  init(ofNothing connection: Connection, _ schema: StoreSchema) {
    self.connection = connection
    self.schema = schema
    for root in schema.roots { counts[root] = [:] }
  }

  /// The number of an entity's objects, without those of subentities.
  func rows(_ entity: EntityDescription) throws -> Int { try counts(entity)?.rows ?? 0 }

  /// The number of an entity's own objects that have a value in a field.
  func values(_ field: StoredField, _ entity: EntityDescription) throws -> Int {
    guard let column = schema.table(entity).ordinal(field) else { return 0 }
    return try counts(entity)?.values[column] ?? 0
  }

  private func counts(_ entity: EntityDescription) throws -> Counts? {
    let number = schema.entityNumbers[entity.index]
    if let known = counts[entity.root] { return known[number] }
    let read = try read(schema.table(entity))
    counts[entity.root] = read
    return read[number]
  }

  /// The types of values are in the head of a row, so that long values are not read.
  private func read(_ table: EntityTable) throws -> [Int64: Counts] {
    let sums = table.columns.map { ", sum(typeof(\($0.name.quoted)) <> 'null')" }.joined()
    let statement = try connection.prepare(
      "SELECT _entity, count(*)\(sums) FROM \(table.name.quoted) GROUP BY _entity")
    var result: [Int64: Counts] = [:]
    while try statement.step() {
      var counts = Counts(rows: Int(statement.int64(1)))
      counts.values = table.columns.indices.map { Int(statement.int64(Int32($0 + 2))) }
      result[statement.int64(0)] = counts
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
