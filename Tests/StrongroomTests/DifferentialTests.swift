import BuiltProgram
import Foundation
import Testing

/// A sample of what `Scripts/differential` does at length.
@Suite("SQL and memory")
struct DifferentialTests {
  @Test("answer random conditions and orders alike")
  func agree() throws {
    // On a change's own check a fixed seed, whose outcome is of the change; elsewhere a new one
    // every time.
    let seed =
      ProcessInfo.processInfo.environment["CI"] == nil ? UInt64.random(in: 1...1_000_000) : 20_261_121
    let (code, text) = try BuiltProgram.run(
      ["--evaluations", "100000", "--seed", String(seed)], program: "differential-probe")
    #expect(code == 0, "\(text)")
    #expect(text.contains("differences 0") && text.contains("answered in memory 0,"), "\(text)")
  }
}
