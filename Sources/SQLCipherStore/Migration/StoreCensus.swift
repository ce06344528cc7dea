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
