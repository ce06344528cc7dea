import CipherDatabase
import Foundation
import StoreContract

/// What deferred migrations left in a file: columns and tables that the store's model does not have
/// any more, and that a clean-up is to remove.
///
/// Recorded in `_store` by the transaction that leaves them, and by each that removes some.
struct DeferredCleanUp: Codable, Sendable {
  struct Column: Codable, Sendable {
    let name: String
    let storage: ColumnStorage

    var definition: String { "\(name.quoted) \(storage.declaredType)" }
  }

  /// The tables that are to be dropped.
  var tables: [String] = []
  /// The columns that are to be dropped, by the name of their table.
  var columns: [String: [Column]] = [:]

  var isEmpty: Bool { tables.isEmpty && columns.isEmpty }

  /// Adds a table, under a name that no model's table, index or trigger gets: those that begin with
  /// one underscore have a second one.
  mutating func addTable() -> String {
    var number = 1
    while tables.contains("_dropped\(number)") { number += 1 }
    tables.append("_dropped\(number)")
    return "_dropped\(number)"
  }

  /// Whether a table of the file is one that is to be dropped, and of columns without any
  /// expression, which SQLite would compute.
  func isDroppedTable(_ name: String, _ sql: String) -> Bool {
    let start = "CREATE TABLE \(name.quoted) ("
    guard tables.contains(name), sql.hasPrefix(start) else { return false }
    var text = sql.dropFirst(start.count)
    if text.hasSuffix(Self.joinTableEnd) {
      text = text.dropLast(Self.joinTableEnd.count)
    } else if text.last == ")" {
      text = text.dropLast()
    } else {
      return false
    }
    return ColumnDefinitions(text).withoutDefaults.allSatisfy {
      Self.ownColumns.contains(String($0))
        || $0.wholeMatch(of: #/"(?:[^"]|"")*" (?:INTEGER|REAL|TEXT|BLOB)/#) != nil
    }
  }

  private static let joinTableEnd = ", PRIMARY KEY (_source, _target)) WITHOUT ROWID"
  private static let ownColumns: Set<String> = [
    "_id INTEGER PRIMARY KEY NOT NULL", "_entity INTEGER NOT NULL", "_version INTEGER NOT NULL",
    "_source INTEGER NOT NULL", "_target INTEGER NOT NULL", "_position INTEGER NOT NULL DEFAULT 0",
    "_inverse_position INTEGER NOT NULL DEFAULT 0",
  ]
}

extension StoreTable {
  private static let cleanUpKey = "deferred_clean_up"

  /// What deferred migrations left in the file.
  ///
  /// One statement.
  /// - Throws: `StoreError` with code `modelMismatch` when that cannot be read.
  func deferredCleanUp() throws -> DeferredCleanUp {
    guard let json = try read(Self.cleanUpKey) else { return DeferredCleanUp() }
    do {
      return try JSONDecoder().decode(DeferredCleanUp.self, from: Data(json.utf8))
    } catch let error as DecodingError {
      throw StoreError(
        .modelMismatch, "what the store says about its deferred migration cannot be read; restore a copy",
        cause: error)
    }
  }

  func write(_ cleanUp: DeferredCleanUp) throws {
    guard !cleanUp.isEmpty else {
      return try connection.execute("DELETE FROM _store WHERE key = '\(Self.cleanUpKey)'")
    }
    try write(Self.cleanUpKey, String(decoding: JSONEncoder.sorted.encode(cleanUp), as: UTF8.self))
  }
}
