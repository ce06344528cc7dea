import ArgumentParser
import BenchKit
import CLibrary
import Foundation
import Strongroom

/// Measures how time and memory grow with the number of objects.
struct Scale: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Time per object and memory from 10,000 objects on, with the slope of their growth.")

  @Option(help: "Sizes, the smallest first.") var n: [Int] = [10_000, 100_000, 1_000_000]
  @Option(help: "Write the measurements as JSON.") var json: String?
  @Option(help: "Draw the measurements as SVG.") var svg: String?
  @Option(help: "Where the stores are made.") var folder: String?

  func run() async throws {
    let folder = (folder ?? NSTemporaryDirectory()) + "/strongroom-scale-\(getpid())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    var points: [ScalePoint] = []
    for size in n {
      let path = folder + "/\(size)"
      points += try await measure(size, path)
      for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }
    ScaleTable(points).print()
    if let json {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
      try encoder.encode(points).write(to: URL(fileURLWithPath: json))
    }
    if let svg { try ScaleChart(points).svg.write(toFile: svg, atomically: true, encoding: .utf8) }
  }

  private func measure(_ size: Int, _ path: String) async throws -> [ScalePoint] {
    let workload = Workload(books: size)
    let model = try libraryModel()
    var points: [ScalePoint] = []
    func add(_ name: String, _ seconds: Double, per count: Int) {
      points.append(
        ScalePoint(
          operation: name, objects: size, microseconds: seconds / Double(count) * 1e6,
          residentMegabytes: residentMegabytes()))
    }
    var container = try await openLibrary(path, model, create: true)
    var start = now()
    try BulkPath(workload: workload, model: model).insertAll(container.newContext())
    add("import", now() - start, per: size)
    try container.close()

    start = now()
    for _ in 0..<10 {
      container = try await openLibrary(path, model)
      try container.close()
    }
    add("reopen", now() - start, per: 10)

    container = try await openLibrary(path, model)
    var context = container.newContext()
    let picked = workload.randomBooks(seed: 6).prefix(5000)
    start = now()
    for number in picked {
      let digits = String(number - 1)
      let isbn = "978" + String(repeating: "0", count: 10 - digits.count) + digits
      _ = try context.fetch(Book.self, where: .compare("isbn", .equal, .string(isbn)))
    }
    add("indexed look-up", now() - start, per: picked.count)

    start = now()
    var last: Int64 = 0
    var pages = 0
    while pages < 200 {
      let after = FetchComparison(.selfObject, .greater, .value(.reference(last)))
      let books = try context.fetch(FetchRequest("Book", where: .comparison(after), fetchLimit: 50))
      guard let end = books.last else { break }
      last = end.objectID.reference
      pages += 1
    }
    add("page of 50", now() - start, per: max(pages, 1))

    context = container.newContext()
    let ids = try identifiers("Book", Array(workload.randomBooks(seed: 10).prefix(1000)), context)
    let books = try context.objects(with: ids) as! [Book]
    start = now()
    for book in books { book.pages = 2001 }
    try context.save()
    add("save of 1,000 changes", now() - start, per: 1000)
    try container.close()
    return points
  }

  private func residentMegabytes() -> Double {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8),
      let pages = text.split(separator: " ").dropFirst().first.flatMap({ Double($0) })
    else { return 0 }
    return pages * 4096 / 1e6
  }
}
