import BenchKit
import CLimit
import Foundation
import Strongroom

/// What the history costs: saves with it beside saves without, its bytes, and deleting a million changes
/// beside the same deletion of the bare library.
struct HistoryLoad: Load {
  var smallSaves = 4000
  var largeSaves = 40
  var objectsOfLarge = 1000
  var transactions = 100_000
  var changesOfEach = 10

  func measure(in folder: URL) async throws -> [LoadRun] {
    let off = try await saves(folder.appendingPathComponent("off").path, tracksHistory: false)
    let on = try await saves(folder.appendingPathComponent("on").path, tracksHistory: true)
    return [
      LoadRun(
        what: "saves of one object with a history, beside those without", unit: "ms", bare: off.small * 1000,
        own: on.small * 1000, gate: 1.15),
      LoadRun(
        what: "saves of a thousand objects with a history, beside those without", unit: "ms",
        bare: off.large * 1000, own: on.large * 1000, gate: 1.15),
      LoadRun(
        what: "bytes of a transaction of one change, beside 100", unit: "bytes", bare: 100,
        own: (on.smallBytes - off.smallBytes) / Double(smallSaves), gate: 1),
      LoadRun(
        what: "bytes of each of a thousand changes, beside 40", unit: "bytes", bare: 40,
        own: (on.largeBytes - off.largeBytes) / Double(largeSaves * objectsOfLarge), gate: 1),
      try await purging(folder),
    ]
  }

  private struct Saves {
    var small = 0.0
    var large = 0.0
    var smallBytes = 0.0
    var largeBytes = 0.0
  }

  /// Every second object, in an order that leaves no runs.
  private func saves(_ path: String, tracksHistory: Bool) async throws -> Saves {
    let container = try await openStore(path, Self.model(), tracksHistory: tracksHistory)
    defer { try? container.close() }
    let context = container.newContext()
    context.transactionAuthor = "bench"
    for number in 0..<2 * objectsOfLarge {
      let reading = try context.insert("Reading")
      try reading.set("name", "reading \(number)")
    }
    try context.save()
    let all = try context.fetch(FetchRequest("Reading", sortDescriptors: [FetchSortDescriptor("name")]))
    let readings = stride(from: 0, to: all.count, by: 2).map { all[$0] }
    var result = Saves()
    var before = try pages(container)
    result.small = try timed {
      for number in 0..<smallSaves {
        try readings[number % readings.count].set("value", number)
        try context.save()
      }
    }
    result.smallBytes = Double(try pages(container) - before) * 4096
    before = try pages(container)
    result.large = try timed {
      for round in 0..<largeSaves {
        for reading in readings { try reading.set("value", -round - 1) }
        try context.save()
      }
    }
    result.largeBytes = Double(try pages(container) - before) * 4096
    return result
  }

  private func timed(_ body: () throws -> Void) rethrows -> Double {
    let start = now()
    try body()
    return now() - start
  }

  private func pages(_ container: PersistentContainer) throws -> Int {
    guard let store = try container.persistentStoreCoordinator.persistentStore as? SQLCipherStore
    else { return 0 }
    let summary = try store.summary()
    return summary.pageCount - summary.freePageCount
  }

  // MARK: Purging

  private func purging(_ folder: URL) async throws -> LoadRun {
    let path = folder.appendingPathComponent("purged").path
    let container = try await openStore(path, Self.model(), tracksHistory: true)
    let context = container.newContext()
    let readings = try (0..<changesOfEach).map { _ in try context.insert("Reading") }
    try context.save()
    for number in 1..<transactions {
      for (place, reading) in readings.enumerated() { try reading.set("value", number + place) }
      try context.save()
    }
    try container.close()
    let again = try await openStore(path, Self.model(), create: false, tracksHistory: true)
    let own = try timed {
      let deleted = try again.newContext().execute(.deleteHistory(before: nil as PersistentHistoryToken?))
      guard deleted.count == transactions else {
        throw Rounds.Failure(description: "\(deleted.count) transactions were deleted")
      }
    }
    try again.close()
    return LoadRun(
      what: "deleting a million changes of history, ms", unit: "ms",
      bare: try bareDeletion(path + ".c") * 1000, own: own * 1000, gate: 1.2)
  }

  /// Rows of the same sizes in a table of the same columns.
  private func bareDeletion(_ path: String) throws -> Double {
    let limit = try openLimit(path)
    try run(
      limit,
      "CREATE TABLE t (number INTEGER PRIMARY KEY NOT NULL, fingerprint BLOB NOT NULL, time REAL NOT NULL,"
        + " author TEXT, context TEXT, program TEXT NOT NULL, process INTEGER NOT NULL,"
        + " properties INTEGER NOT NULL, first INTEGER NOT NULL, count INTEGER NOT NULL,"
        + " total INTEGER NOT NULL, changes BLOB, recorded BLOB);"
        + " WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(transactions))"
        + " INSERT INTO t SELECT i, randomblob(16), 801000000.5 + i, NULL, NULL, 'strongroom-bench', 12345,"
        + " 0, i * 10, 10, i * 88, randomblob(8), NULL FROM n")
    lm_close(limit)
    let again = try openLimit(path, create: false)
    defer { lm_close(again) }
    let deletion = "BEGIN IMMEDIATE; DELETE FROM t WHERE number < \(transactions); COMMIT"
    return try timed { try run(again, deletion) }
  }

  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Reading") {
        Attribute("name", .string)
        Attribute("value", .integer64)
      }
    }
  }
}
