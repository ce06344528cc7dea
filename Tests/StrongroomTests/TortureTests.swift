import Foundation
import Testing

/// A sample of what `Scripts/torture` and `Scripts/torture-disk` do at length.
@Suite("Nothing acknowledged is lost", .serialized)
struct TortureTests {
  private func probe(_ arguments: [String], _ environment: [String: String] = [:]) throws -> (
    code: Int32, text: String
  ) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("torture-probe")
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: data, as: UTF8.self))
  }

  /// The library that lets operations fail, made for this run.
  private func library() throws -> URL {
    let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../Support/FaultLibrary/fault.c").standardized
    let library = FileManager.default.temporaryDirectory.appendingPathComponent(
      "fault-\(UUID().uuidString).so")
    let compiler = Process()
    compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    compiler.arguments = ["clang", "-shared", "-fPIC", "-O1", "-o", library.path, source.path]
    try compiler.run()
    compiler.waitUntilExit()
    try #require(compiler.terminationStatus == 0)
    return library
  }

  @Test("when the program is killed", arguments: ["save", "rotate", "convert", "backup", "move", "history"])
  func kills(work: String) throws {
    let result = try probe(["run", "--kills", "100", "--what", work])
    #expect(result.code == 0 && result.text.contains("kills 100, "), "\(result.text)")
    #expect(result.text.contains("lost 0, half 0, unopened 0"), "\(result.text)")
  }

  @Test("when a write or a sync fails, whichever it is")
  func faults() throws {
    let library = try library()
    defer { try? FileManager.default.removeItem(at: library) }
    let result = try probe(["faults", library.path, "save", "rotate", "import", "history"])
    let lines = result.text.split(separator: "\n")
    #expect(
      result.code == 0 && lines.count == 16 && lines.allSatisfy { $0.hasSuffix("bad 0") }, "\(result.text)")
  }

  @Test("when the power is cut; with less than full durability it is, which shows that the cuts cut")
  func cuts() throws {
    let library = try library()
    defer { try? FileManager.default.removeItem(at: library) }
    let full = try probe(["cuts", library.path, "500"])
    #expect(full.code == 0 && full.text.hasSuffix("lost 0, corrupt 0\n"), "\(full.text)")
    let normal = try probe(["cuts", library.path, "200"], ["TORTURE_DURABILITY": "normal"])
    #expect(normal.code == 1 && normal.text.hasSuffix("corrupt 0\n"), "\(normal.text)")
  }
}
