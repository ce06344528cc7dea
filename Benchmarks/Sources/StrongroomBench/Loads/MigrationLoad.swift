import BenchKit
import CLimit
import Foundation
import Strongroom

/// Migrations: one that copies a million rows into a new table, beside the same statements of the
/// bare library; and one that adds a property, to few rows and to many.
struct MigrationLoad: Load {
  var rows = 1_000_000
  var fewRows = 10_000
  var manyRows = 10_000_000

  func measure(in folder: URL) async throws -> [LoadRun] {
    try await copying(folder) + [adding(folder)]
  }

  /// An attribute becomes real: the rows are copied, and the index is made again.
  private func copying(_ folder: URL) async throws -> [LoadRun] {
    let path = folder.appendingPathComponent("migrated").path
    let bare = try await bareCopying(path + ".c")
    let own = try await copying(path, rows)
    let larger = try await copying(path + ".larger", rows * 10)
    return [
      LoadRun(
        what: "migration that copies a million rows, ms", unit: "ms", bare: bare * 1000,
        own: own.seconds * 1000,
        gate: 1.5),
      LoadRun(
        what: "its memory: ten million rows beside one", unit: "MB", bare: own.bytes / 1e6,
        own: larger.bytes / 1e6, gate: 1.2),
    ]
  }

  private func copying(_ path: String, _ rows: Int) async throws -> (seconds: Double, bytes: Double) {
    try await fill(path, Self.model(indexed: true), rows)
    return try await migrate(path, Self.model(value: .double, indexed: true))
  }

  private func bareCopying(_ path: String) async throws -> Double {
    let limit = try openLimit(path)
    try run(
      limit,
      "CREATE TABLE reading (id INTEGER PRIMARY KEY NOT NULL, entity INTEGER NOT NULL, version INTEGER NOT NULL,"
        + " name TEXT, value INTEGER); CREATE INDEX reading_name ON reading (name);"
        + " WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))"
        + " INSERT INTO reading SELECT i, 1, 1, 'reading ' || i, i * 31 FROM n")
    lm_close(limit)
    return try await peak {
      let limit = try openLimit(path, create: false)
      try run(
        limit,
        "BEGIN EXCLUSIVE; ALTER TABLE reading RENAME TO former;"
          + " CREATE TABLE reading (id INTEGER PRIMARY KEY NOT NULL, entity INTEGER NOT NULL,"
          + " version INTEGER NOT NULL, name TEXT, value REAL);"
          + " INSERT INTO reading SELECT id, entity, version, name, CAST(value AS REAL) FROM former;"
          + " DROP TABLE former; CREATE INDEX reading_name ON reading (name); COMMIT")
      lm_close(limit)
    }.seconds
  }

  /// Attributes with and without a default are added: to 10,000 rows, and to 10,000,000.
  private func adding(_ folder: URL) async throws -> LoadRun {
    var seconds: [Double] = []
    for rows in [fewRows, manyRows] {
      let path = folder.appendingPathComponent("grown\(rows)").path
      try await fill(path, Self.model(), rows)
      seconds.append(try await migrate(path, Self.model(isGrown: true)).seconds)
      try FileManager.default.removeItem(atPath: path)
    }
    return LoadRun(
      what: "migration that adds attributes: 10,000,000 rows beside 10,000", unit: "ms",
      bare: seconds[0] * 1000,
      own: seconds[1] * 1000, gate: 1.5)
  }

  private func fill(_ path: String, _ model: ManagedObjectModel, _ rows: Int) async throws {
    let container = try await openStore(path, model)
    try container.newContext().batchInsert(into: "Reading", of: 1...rows) { row, index in
      try row.set("name", .string("reading \(index)"))
      try row.set("value", .integer(Int64(index &* 31)))
    }
    try container.close()
  }

  /// Opens the store with another version of its model, and closes it.
  private func migrate(
    _ path: String, _ model: ManagedObjectModel
  ) async throws -> (seconds: Double, bytes: Double) {
    try await peak {
      let container = try await openStore(path, model, create: false)
      try container.close()
    }
  }

  private static func model(
    value: AttributeType = .integer64, indexed: Bool = false, isGrown: Bool = false
  ) throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Reading") {
        Attribute("name", .string, indexed: indexed)
        Attribute("value", value)
        if isGrown {
          Attribute("note", .string)
          Attribute("quality", .integer16, optional: false, default: .integer(3))
        }
      }
    }
  }
}
