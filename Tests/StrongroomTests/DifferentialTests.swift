import Foundation
import Testing

/// A sample of what `Scripts/differential` does at length.
@Suite("SQL and memory")
struct DifferentialTests {
  @Test("answer random conditions and orders alike")
  func agree() throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("differential-probe")
    // On a change's own check a fixed seed, whose outcome is of the change; elsewhere a new one every time.
    let seed =
      ProcessInfo.processInfo.environment["CI"] == nil ? UInt64.random(in: 1...1_000_000) : 20_261_121
    process.arguments = ["--evaluations", "100000", "--seed", String(seed)]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(text)")
    #expect(text.contains("differences 0") && text.contains("answered in memory 0,"), "\(text)")
  }
}
