import ArgumentParser
import BenchKit
import CLibrary
import CLimit
import Foundation
import Strongroom

/// What is counted: one operation over the whole library.
enum CountedOperation: String, CaseIterable, ExpressibleByArgument {
  case fetch, save, fault
  case limitFetch = "limit-fetch"
  case limitSave = "limit-save"
}

/// Runs one operation inside `lm_collect`, so that a counter told to watch that function counts it
/// alone.
struct Instructions: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "One operation for an instruction counter to watch.")

  @Argument(help: "fetch, save, fault, limit-fetch or limit-save.") var operation: CountedOperation
  @Option(help: "Books in the library.") var n = 20_000

  func run() async throws {
    let folder = NSTemporaryDirectory() + "strongroom-count-\(getpid())"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = folder + "/store"
    let workload = Workload(books: n)
    switch operation {
    case .limitFetch, .limitSave:
      let store = lm_open(path, 1, 1)!
      if operation == .limitSave {
        try collect { _ = lm_insert_all(store, workload.books, workload.authors, workload.tags) }
      } else {
        _ = lm_insert_all(store, workload.books, workload.authors, workload.tags)
        try collect { _ = lm_fetch_all(store) }
      }
      lm_close(store)
    case .fetch, .save, .fault: try await ours(path, workload)
    }
  }

  private func ours(_ path: String, _ workload: Workload) async throws {
    let model = try libraryModel()
    let managed = ManagedPath(workload: workload, model: model)
    let container = try await openLibrary(path, model, create: true)
    if operation == .save {
      let context = container.newContext()
      try collect { try managed.insertAll(context) }
      return try container.close()
    }
    try managed.insertAll(container.newContext())
    let context = container.newContext()
    var request = FetchRequest("Book")
    request.returnsObjectsAsFaults = operation == .fault
    try collect {
      let books = try context.fetch(request, as: Book.self)
      if operation == .fetch { _ = try read(books) } else { _ = books[0].pages }
    }
    try container.close()
  }

  private func collect(_ body: () throws -> Void) throws {
    var failure: (any Error)?
    withoutActuallyEscaping({ do { try body() } catch { failure = error } }) { body in
      var box: () -> Void = body
      withUnsafeMutablePointer(to: &box) { pointer in
        lm_collect({ $0!.assumingMemoryBound(to: (() -> Void).self).pointee() }, pointer)
      }
    }
    if let failure { throw failure }
  }
}
