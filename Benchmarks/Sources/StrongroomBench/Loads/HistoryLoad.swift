import BenchKit
import CLimit
import Foundation
import Strongroom

/// What the history costs: the library's saves with it beside those without, its bytes, and deleting a
/// million changes beside the same deletion of the bare library.
struct HistoryLoad: Load {
  var books = 20_000
  var smallSaves = 4000
  var largeSaves = 40
  var objectsOfLarge = 1000
  var transactions = 100_000
  var changesOfEach = 10

  func measure(in folder: URL) async throws -> [LoadRun] {
    let off = try await bytes(folder.appendingPathComponent("off").path, tracksHistory: false)
    let on = try await bytes(folder.appendingPathComponent("on").path, tracksHistory: true)
    return try await phases(folder) + [
      LoadRun(
        what: "bytes of a transaction of one change, beside 100", unit: "bytes", bare: 100,
        own: (on.small - off.small) / Double(smallSaves), gate: 1),
      LoadRun(
        what: "bytes of each of a thousand changes, beside 40", unit: "bytes", bare: 40,
        own: (on.large - off.large) / Double(largeSaves * objectsOfLarge), gate: 1),
      try await purging(folder),
    ]
  }

  /// The library's saves.
  ///
  /// One that does not wait for the disk is the encryption of its six or seven pages and little else, and a
  /// history adds a page, so that it costs more than the others.
  private func phases(_ folder: URL) async throws -> [LoadRun] {
    let workload = Workload(books: books)
    var path = ManagedPath(workload: workload, model: try libraryModel())
    let store = folder.appendingPathComponent("library").path
    try await path.makeStore(at: store)
    var runs: [LoadRun] = []
    for phase in [Phase.saveAll, .singleSavesFull, .singleSaves, .change, .delete] {
      var seconds: [Double] = []
      for tracksHistory in [false, true] {
        path.tracksHistory = tracksHistory
        let copy = folder.appendingPathComponent("\(phase.rawValue) \(tracksHistory)").path
        if !phase.makesStore { try FileManager.default.copyItem(atPath: store, toPath: copy) }
        seconds.append(try await path.run(phase, at: copy).seconds)
      }
      runs.append(
        LoadRun(
          what: "\(phase.title), with a history beside those without", unit: "ms", bare: seconds[0] * 1000,
          own: seconds[1] * 1000, gate: phase == .singleSaves ? 1.3 : 1.15))
    }
    return runs
  }

  private struct Bytes {
    var small = 0.0
    var large = 0.0
  }

  /// Every second object, in an order that leaves no runs.
  private func bytes(_ path: String, tracksHistory: Bool) async throws -> Bytes {
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
    var result = Bytes()
    var before = try pages(container)
    for number in 0..<smallSaves {
      try readings[number % readings.count].set("value", number)
      try context.save()
    }
    result.small = Double(try pages(container) - before) * 4096
    before = try pages(container)
    for round in 0..<largeSaves {
      for reading in readings { try reading.set("value", -round - 1) }
      try context.save()
    }
    result.large = Double(try pages(container) - before) * 4096
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
