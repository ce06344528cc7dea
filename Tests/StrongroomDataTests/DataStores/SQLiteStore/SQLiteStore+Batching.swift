import Foundation
import StrongroomData

extension SQLiteStore: DataStoreBatching {
  func delete<T: PersistentModel>(_ request: DataStoreBatchDeleteRequest<T>) throws {
    let name = Schema.entityName(for: T.self)
    let own = tables.values.filter { request.includeSubclasses ? $0.kinds.contains(name) : $0.name == name }
    if own.contains(where: \.hasRules) { throw DataStoreError.preferInMemoryFilter }
    try database.transaction {
      for table in own {
        let tail = try condition(request.predicate, table)
        let rows = try database.run("SELECT _id FROM \"\(table.name)\"\(tail.sql)", tail.values)
        try database.run("DELETE FROM \"\(table.name)\"\(tail.sql)", tail.values)
        let keys = rows.compactMap { row -> String? in
          if case .integer(let key) = row[0] { "\(table.name)/\(key)" } else { nil }
        }
        try clear(keys)
      }
    }
  }

  /// Takes models that were deleted out of the to-ones that lead to them.
  private func clear(_ references: [String]) throws {
    for start in stride(from: 0, to: references.count, by: 5_000) {
      let list = Self.list(references[start..<min(start + 5_000, references.count)])
      for table in tables.values {
        for column in table.columns where column.isToOne {
          let (table, column) = ("\"\(table.name)\"", "\"\(column.name)\"")
          try database.run("UPDATE \(table) SET \(column) = NULL WHERE \(column) IN (\(list))")
        }
      }
    }
  }
}
