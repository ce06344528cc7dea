import ArgumentParser
import BenchKit
import CLimit
import Foundation
import Strongroom
import TextTable

/// Measures how reading scales with threads, each with a context of its own on one store, beside C
/// with a connection for each thread.
struct Cores: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Reads of one store from several threads, as multiples of what one thread reads.")

  @Option(help: "Books in the library.") var n = 20_000
  @Option(help: "Threads.") var threads = ProcessInfo.processInfo.activeProcessorCount
  @Option(help: "Rounds of each measurement.") var rounds = 5

  /// What a thread reads over and over: its objects or rows, and a checksum of them.
  private struct Load {
    let name: String
    let gate: Double
    /// Reads once.
    let managed: @Sendable (ManagedObjectContext) throws -> UInt64
    let limit: @Sendable (OpaquePointer) -> UInt64
  }

  private struct Row {
    let name, path, one, many, scale, gate: String
  }

  func run() async throws {
    keepHeap()
    let path = NSTemporaryDirectory() + "strongroom-cores-\(getpid())"
    defer {
      for name in [path, path + ".c"] {
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: name + suffix) }
      }
    }
    let workload = Workload(books: n)
    let model = try libraryModel()
    try await ManagedPath(workload: workload, model: model).makeStore(at: path)
    try LimitPath(workload: workload).makeStore(at: path + ".c")
    let container = try await openLibrary(path, model)
    var rows: [Row] = []
    for load in loads(workload) {
      let ours = try scale { try reader(load, container) }
      rows.append(row(load, "managed", ours, gate: load.gate * Double(threads)))
      let c = try scale { try limitReader(load, path + ".c") }
      rows.append(row(load, "C", c, gate: nil))
    }
    try container.close()
    print("\(threads) threads, medians of \(rounds) rounds; readings a second")
    TextTable<Row> { row in
      [
        Column(title: "load", value: row.name), Column(title: "path", value: row.path),
        Column(title: "one thread", value: row.one, align: .right),
        Column(title: "all", value: row.many, align: .right),
        Column(title: "scale", value: row.scale, align: .right),
        Column(title: "goal", value: row.gate, align: .right),
      ]
    }.print(rows, style: Style.psql)
  }

  private func row(_ load: Load, _ path: String, _ rates: (one: Double, many: Double), gate: Double?) -> Row {
    Row(
      name: load.name, path: path, one: String(format: "%.1f", rates.one),
      many: String(format: "%.1f", rates.many), scale: String(format: "%.2f", rates.many / rates.one),
      gate: gate.map { String(format: "%.2f", $0) } ?? "")
  }

  private func loads(_ workload: Workload) -> [Load] {
    let picks = Array(workload.randomBooks(seed: 6).prefix(500))
    let isbns = picks.map(floorISBN)
    return [
      Load(
        name: "fetch all", gate: 0.85,
        managed: { context in
          var sum = Checksum()
          for book in try context.fetch(FetchRequest("Book"), as: Book.self) { book.add(to: &sum) }
          return sum.value
        }, limit: { lm_fetch_all($0) }),
      Load(
        name: "500 by unique attribute", gate: 0.85,
        managed: { context in
          var sum = Checksum()
          for isbn in isbns {
            for book in try context.fetch(Book.self, where: .compare("isbn", .equal, .string(isbn))) {
              book.add(to: &sum)
            }
          }
          return sum.value
        }, limit: { lm_by_isbn($0, picks.map { $0 - 1 }, Int64(picks.count), 0, 0) }),
      Load(
        name: "books of every author", gate: 0.85,
        managed: { context in
          var sum = Checksum()
          for author in try context.fetch(FetchRequest("Author"), as: Author.self) {
            for book in try author.objects("books") { (book as? Book)?.add(to: &sum) }
          }
          return sum.value
        }, limit: { lm_books_of_authors($0, workload.authors) }),
    ]
  }

  private typealias Reader = @Sendable () throws -> UInt64

  private func reader(_ load: Load, _ container: PersistentContainer) throws -> Reader {
    let read = load.managed
    // A new context each time, so that objects are made again.
    return { try read(container.newContext()) }
  }

  private func limitReader(_ load: Load, _ path: String) throws -> Reader {
    guard let store = lm_open(path, 0, 1) else { throw Rounds.Failure(description: "the limit cannot open") }
    nonisolated(unsafe) let own = store
    let read = load.limit
    return { read(own) }
  }

  /// Readings a second by one thread and by all of them, the medians of adjacent rounds.
  private func scale(_ make: () throws -> Reader) throws -> (one: Double, many: Double) {
    let readers = try (0..<threads).map { _ in try make() }
    _ = try rate(readers)
    var (one, many): ([Double], [Double]) = ([], [])
    for _ in 0..<rounds {
      one.append(try rate([readers[0]]))
      many.append(try rate(readers))
    }
    return (one.median, many.median)
  }

  private func rate(_ readers: [Reader]) throws -> Double {
    let least = 1.0
    let done = UnsafeMutableBufferPointer<Double>.allocate(capacity: readers.count)
    defer { done.deallocate() }
    done.initialize(repeating: 0)
    nonisolated(unsafe) let rates = done
    DispatchQueue.concurrentPerform(iterations: readers.count) { index in
      let start = now()
      var count = 0.0
      while now() - start < least {
        guard let sum = try? readers[index](), sum != 0 else { return }
        count += 1
      }
      rates[index] = count / (now() - start)
    }
    guard done.allSatisfy({ $0 > 0 }) else { throw Rounds.Failure(description: "a thread could not read") }
    return done.reduce(0, +)
  }
}
