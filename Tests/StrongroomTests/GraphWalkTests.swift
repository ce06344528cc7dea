import BuiltProgram
import Foundation
import Testing

/// A sample of what `Scripts/graph-walk` does at length.
@Suite("A random walk over the object graph")
struct GraphWalkTests {
  @Test("and a plain reference end in the same graph")
  func agree() throws {
    // On a change's own check a fixed seed, whose outcome is of the change; elsewhere a new one
    // every time.
    let isCheck = ProcessInfo.processInfo.environment["CI"] != nil
    let seed = isCheck ? 20_261_121 : UInt64.random(in: 1...1_000_000)
    let (status, text) = try BuiltProgram.run(
      ["--steps", "6000", "--seed", String(seed)], program: "graph-probe")
    #expect(status == 0, "\(text)")
    #expect(text.contains("differences 0, seed \(seed)"), "\(text)")
    let replayed = try #require(text.firstMatch(of: /replayed (\d+) transactions into (\d+) objects/))
    #expect((Int(replayed.1) ?? 0) > 100 && (Int(replayed.2) ?? 0) > 10, "\(text)")
  }
}
