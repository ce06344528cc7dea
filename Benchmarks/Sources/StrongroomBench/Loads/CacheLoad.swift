import BenchKit
import CLimit
import Foundation
import Strongroom

/// A store ten times larger than its page cache: nearly every page is read and decrypted again.
struct CacheLoad: Load {
  private static let cache = 2_700_000

  func measure(in folder: URL) async throws -> [LoadRun] {
    let workload = Workload(books: 100_000)
    let picks = workload.randomBooks(seed: 6)
    let path = folder.appendingPathComponent("library.c").path
    try LimitPath(workload: workload).makeStore(at: path)
    let limit = try openLimit(path, create: false)
    defer { lm_close(limit) }
    try run(limit, "PRAGMA cache_size = -\(Self.cache / 1024)")
    var start = now()
    let found = lm_by_isbn(limit, picks.map { $0 - 1 }, Int64(picks.count), 0, 0)
    let bareLookUps = now() - start
    start = now()
    let all = lm_fetch_all(limit)
    let bareScan = now() - start

    let model = try libraryModel()
    let own = folder.appendingPathComponent("library").path
    try await BulkPath(workload: workload, model: model).makeStore(at: own)
    let container = try await openLibrary(own, model, pageCacheBytes: Self.cache)
    let context = container.newContext()
    start = now()
    var sum = Checksum()
    for number in picks {
      let isbn = floorISBN(number)
      let books = try context.fetch(Book.self, where: .compare("isbn", .equal, .string(isbn)))
      sum.add(Int64(bitPattern: try read(books)))
    }
    let lookUps = now() - start
    start = now()
    let scanned = try read(context.fetch(FetchRequest("Book"), as: Book.self))
    let scan = now() - start
    guard sum.value == found, scanned == all else {
      throw Rounds.Failure(description: "the store with a small cache holds other books")
    }
    try container.close()
    let picked = Double(picks.count)
    return [
      // Decryption, which is the same for both, outweighs the object.
      LoadRun(
        what: "small cache: by unique attribute", unit: "us", bare: bareLookUps / picked * 1e6,
        own: lookUps / picked * 1e6, gate: 1.4),
      // Objects, as in P4, whose gate is 2.0, and the first of their process.
      LoadRun(
        what: "small cache: fetch all", unit: "us", bare: bareScan / Double(workload.books) * 1e6,
        own: scan / Double(workload.books) * 1e6, gate: 2.3),
    ]
  }
}
