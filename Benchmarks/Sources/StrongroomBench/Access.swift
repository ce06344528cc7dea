import ArgumentParser
import BenchKit
import Foundation
import Strongroom
import StrongroomData

/// A plain class beside which accessors are measured.
final class PlainBook {
  var pages: Int64 = 1
  var price = 1.5
}

/// Times reading and writing one value by generated accessors, in a client's module.
struct Access: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Reading and writing scalars by accessors, against a plain stored property.")

  func run() async throws {
    let model = try libraryModel()
    let path = NSTemporaryDirectory() + "strongroom-access-\(getpid())"
    defer {
      for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }
    let container = try await openLibrary(path, model, create: true)
    let context = container.newContext()
    for index in 0..<1000 { try context.insert(Book.self).pages = Int64(index) }
    try context.save()
    let books = try context.fetch(FetchRequest("Book"), as: Book.self)
    let plain = books.map { _ in PlainBook() }
    var sum: Int64 = 0
    var total = 0.0
    print("ns each, least of 7 runs of 5,000,000")
    report("read Int64, plain property") { for _ in 0..<5000 { for book in plain { sum &+= book.pages } } }
    report("read Int64, accessor") { for _ in 0..<5000 { for book in books { sum &+= book.pages } } }
    report("read Double, accessor") { for _ in 0..<5000 { for book in books { total += book.price } } }
    report("write Int64, plain property") {
      for round in 0..<5000 { for book in plain { book.pages = Int64(round) } }
    }
    report("write Int64, accessor") {
      for round in 0..<5000 { for book in books { book.pages = Int64(round) } }
    }
    report("write Double, accessor") {
      for round in 0..<5000 { for book in books { book.price = Double(round) } }
    }
    report("read Int64 that was changed, accessor") {
      for _ in 0..<5000 { for book in books { sum &+= book.pages } }
    }
    report("read Int64 by name", count: 50) {
      for _ in 0..<50 { for book in books { sum &+= (try? book.get("pages", as: Int64.self)) ?? 0 } }
    }
    guard sum != 0, total != -1 else { return }
    try container.close()
    try typed()
  }

  private func typed() throws {
    let container = try ModelContainer(
      for: TypedBook.self, TypedAuthor.self, TypedTag.self,
      configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    for index in 0..<1000 {
      context.insert(
        TypedBook(
          title: "", isbn: String(index), pages: Int64(index), price: 1, published: .distantPast,
          inPrint: true, cover: Data(), rating: nil))
    }
    try context.save()
    let reading = ModelContext(container)
    defer { withExtendedLifetime(reading) {} }
    let books = try reading.fetch(FetchDescriptor<TypedBook>())
    var sum: Int64 = 0
    var total = 0.0
    report("read Int64, model") { for _ in 0..<5000 { for book in books { sum &+= book.pages } } }
    report("read Double, model") { for _ in 0..<5000 { for book in books { total += book.price } } }
    report("write Int64, model") { for round in 0..<5000 { for book in books { book.pages = Int64(round) } } }
    report("read Int64 that was changed, model") {
      for _ in 0..<5000 { for book in books { sum &+= book.pages } }
    }
    guard sum != 0, total != -1 else { return }
  }

  private func report(_ name: String, count: Int = 5000, _ body: () -> Void) {
    var best = Double.infinity
    for _ in 0..<7 {
      let start = now()
      body()
      best = min(best, now() - start)
    }
    let text = String(format: "%.2f", best / Double(count * 1000) * 1e9)
    print(name.padding(toLength: 42, withPad: " ", startingAt: 0) + text)
  }
}
