import Foundation
import Testing

/// What a program prints to standard error with `STRONGROOM_SQL_DEBUG`.
@Suite("STRONGROOM_SQL_DEBUG")
struct SQLDebugTests {
  /// The lines that start as the trace's do, and everything printed.
  private func run(_ level: String?) throws -> (lines: [String], output: String) {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("cipher-probe")
    process.arguments = ["values", folder.appendingPathComponent("notes.store").path]
    var environment = ProcessInfo.processInfo.environment
    environment["STRONGROOM_SQL_DEBUG"] = level
    process.environment = environment
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self) == "used\n")
    let lines = text.split(separator: "\n").map(String.init)
    return (lines.filter { $0.hasPrefix("strongroom: sql: notes.store: ") }, text)
  }

  /// Times replaced, so that lines compare.
  private func timeless(_ lines: [String]) -> [String] {
    lines.map {
      $0.replacing("strongroom: sql: notes.store: ", with: "").replacing(/\d+\.\d{3} ms/, with: "T ms")
    }
  }

  private func refuseValues(_ output: String) {
    // In a text, a blob as bytes or hex, a number; and the probe's key of sevens and salt of nines.
    for value in [
      "confi'dential", "confi''dential", "confidential", "636f6e66", "424242", "4.25", "0707", "0909",
    ] {
      #expect(!output.lowercased().contains(value), "\(value) is in \(output)")
    }
  }

  @Test("prints nothing where it is not set, or 0", arguments: [nil, "0", ""])
  func off(_ level: String?) throws {
    #expect(try run(level).output.isEmpty)
  }

  @Test("1 prints each statement with rows and time, and no value")
  func statements() throws {
    let (lines, output) = try run("1")
    let seen = timeless(lines)
    #expect(seen.contains("CREATE TABLE \"it's\" (a, b) -- 0 rows, T ms"))
    #expect(seen.contains("INSERT INTO \"it's\" VALUES (?text(12), ?blob(12)) -- 0 rows, T ms"))
    #expect(seen.filter { $0 == "INSERT INTO \"it's\" VALUES (?1, ?2) -- 0 rows, T ms" }.count == 4)
    #expect(
      seen.contains("SELECT a FROM \"it's\" WHERE a LIKE ?1 AND a <> ?text(12) -- 2 rows, T ms"))
    #expect(seen.contains("SELECT a FROM \"it's\" -- 1 row, T ms"), "it was ended after one row")
    #expect(lines.count == output.split(separator: "\n").count, "one line for each statement")
    refuseValues(output)
  }

  @Test("3 prints the types and sizes of bindings too")
  func bindings() throws {
    let (lines, output) = try run("3")
    let insertions = timeless(lines).filter { $0.hasPrefix("INSERT INTO \"it's\" VALUES (?1, ?2)") }
    #expect(
      insertions == [
        "INSERT INTO \"it's\" VALUES (?1, ?2) [?1 text(15), ?2 blob(12)] -- 0 rows, T ms",
        "INSERT INTO \"it's\" VALUES (?1, ?2) [?1 text(15), ?2 blob(12)] -- 0 rows, T ms",
        "INSERT INTO \"it's\" VALUES (?1, ?2) [?1 integer, ?2 real] -- 0 rows, T ms",
        "INSERT INTO \"it's\" VALUES (?1, ?2) [?1 null, ?2 blob(0)] -- 0 rows, T ms",
      ])
    #expect(
      timeless(lines).contains(
        "SELECT ?, ?text(1), ?, ?2, ?, \"it's\".a FROM \"it's\" LIMIT 0"
          + " [?1 integer, ?2 integer, ?3 integer] -- 0 rows, T ms"))
    refuseValues(output)
  }
}
