import BuiltProgram
import Foundation
import Testing

private let python = "/usr/bin/python3"

/// A sample of what `Scripts/processes` does at length.
@Suite(
  "Processes that share a store", .enabled(if: FileManager.default.isExecutableFile(atPath: python)),
  .serialized)
struct ProcessesTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Support/processes")

  private func judge(_ script: String, _ arguments: [String]) throws -> (code: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: python)
    process.arguments = ["-B", Self.folder.appendingPathComponent(script).path] + arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }

  @Test("miss nothing, see nothing twice, and read what was written last, while some are killed")
  func run() throws {
    let folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("processes-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let run = try BuiltProgram.run(
      ["run", folder.path, "--seconds", "10", "--processes", "6"], program: "processes-probe")
    try #require(run.code == 0, "\(run.output)")
    let (code, text) = try judge("judge.py", [folder.path])
    #expect(code == 0 && text.hasSuffix("missed 0, twice 0, stale 0, anomalies 0\n"), "\(text)")
  }

  @Test("have commits of each other in contexts, results and observers, each once")
  func delay() throws {
    let (code, text) = try BuiltProgram.run(["delay", "--commits", "200"], program: "processes-probe")
    #expect(code == 0, "\(text)")
    for surface in ["context", "results", "observer"] {
      #expect(text.contains("\(surface): commits 200, "), "\(text)")
    }
  }

  @Test("are judged by what finds each kind of planted fault")
  func planted() throws {
    let (code, text) = try judge("test_judge.py", [])
    #expect(code == 0 && text.contains("Ran 33 tests") && text.hasSuffix("OK\n"), "\(text)")
  }
}
