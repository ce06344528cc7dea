import BenchKit
import CLimit
import CSQLCipherLimit
import Foundation
import Strongroom

/// The memory and time of a batch import of a million small rows.
struct ImportLoad: Load {
  var rows = 1_000_000

  func measure(in folder: URL) async throws -> [LoadRun] {
    let limit = try openLimit(folder.appendingPathComponent("import.c").path)
    defer { lm_close(limit) }
    try run(limit, "CREATE TABLE reading (id INTEGER PRIMARY KEY, name TEXT, value INTEGER)")
    let bare = try await peak {
      try run(limit, "BEGIN IMMEDIATE")
      let statement = try floorStatement(limit, 0, "INSERT INTO reading VALUES (?, ?, ?)")
      for index in 1...rows {
        sqlite3_bind_int64(statement, 1, Int64(index))
        bindText("reading \(index)", to: statement, 2)
        sqlite3_bind_int64(statement, 3, Int64(index &* 31))
        sqlite3_step(statement)
        sqlite3_reset(statement)
      }
      try run(limit, "COMMIT")
    }
    let model = try ManagedObjectModel {
      Entity("Reading") {
        Attribute("name", .string)
        Attribute("value", .integer64)
      }
    }
    let container = try await openStore(folder.appendingPathComponent("import").path, model)
    let context = container.newContext()
    let own = try await peak {
      try context.batchInsert(into: "Reading", of: 1...rows) { row, index in
        try row.set("name", .string("reading \(index)"))
        try row.set("value", .integer(Int64(index &* 31)))
      }
    }
    try container.close()
    return [
      LoadRun(
        what: "import: a row of a million", unit: "us", bare: bare.seconds / Double(rows) * 1e6,
        own: own.seconds / Double(rows) * 1e6, gate: 1.5),
      // The page cache, which both fill, and nothing that grows with the rows.
      LoadRun(what: "import: memory", unit: "MB", bare: bare.bytes / 1e6, own: own.bytes / 1e6, gate: 1.2),
    ]
  }
}
