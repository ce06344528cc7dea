import ArgumentParser
import BenchKit
import CLimit
import Foundation
import Strongroom

/// A command-line program from its start to its first row, as a process of its own, beside a
/// program in C alone.
struct StartLoad: Load {
  func measure(in folder: URL) async throws -> [LoadRun] {
    let workload = Workload(books: 1000)
    let model = try libraryModel()
    let (own, limit) = (
      folder.appendingPathComponent("start").path, folder.appendingPathComponent("start.c").path
    )
    try await BulkPath(workload: workload, model: model).makeStore(at: own)
    try LimitPath(workload: workload).makeStore(at: limit)
    let programs = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    let c = programs.deletingLastPathComponent().appendingPathComponent("first-row-limit")
    var (bare, whole, main, opened): ([Double], [Double], [Double], [Double]) = ([], [], [], [])
    for _ in 0..<31 {
      bare.append(try seconds(of: c, [limit]).whole)
      let run = try seconds(of: programs, ["first-row", own])
      whole.append(run.whole)
      main.append(run.marks[0])
      opened.append(run.marks[1])
    }
    return [
      // Two thirds are the libraries of Swift and Foundation, loaded before the first line runs.
      LoadRun(what: "start: to the first row", unit: "ms", bare: bare.median, own: whole.median, gate: 5),
      LoadRun(what: "start: of it, before main", unit: "ms", bare: 0, own: main.median, gate: .infinity),
      LoadRun(
        what: "start: of it, opening the store", unit: "ms", bare: 0, own: opened.median - main.median,
        gate: .infinity),
    ]
  }

  /// Milliseconds from a process's start to its end, and to the moments that it prints.
  private func seconds(of program: URL, _ arguments: [String]) throws -> (whole: Double, marks: [Double]) {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    let start = now()
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let end = now()
    guard process.terminationStatus == 0 else {
      throw Rounds.Failure(
        description: "\(program.lastPathComponent) ended with \(process.terminationStatus)")
    }
    let marks = String(decoding: output, as: UTF8.self).split(separator: "\n").compactMap { Double($0) }
    return ((end - start) * 1e3, marks.map { ($0 - start) * 1e3 })
  }
}

/// Opens a store, fetches one object, and prints the moments of its way there.
struct FirstRow: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "first-row", shouldDisplay: false)

  @Argument var path: String

  func run() async throws {
    let begun = now()
    let container = try await openLibrary(path, libraryModel())
    let opened = now()
    let books = try container.newContext().fetch(FetchRequest("Book", fetchLimit: 1), as: Book.self)
    guard try read(books) != 1 else { throw ExitCode.failure }
    print(begun)
    print(opened)
    try container.close()
  }
}
