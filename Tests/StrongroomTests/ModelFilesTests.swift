import Foundation
import Testing

private let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
  .appendingPathComponent("../../../shared/models").standardized

/// Published models, where they are at hand; the project's own fixtures are in ObjectModelTests.
@Suite("Published Core Data models", .enabled(if: FileManager.default.fileExists(atPath: folder.path)))
struct ModelFilesTests {
  private func tool(_ arguments: [String]) throws -> (code: Int32, lines: [String]) {
    let (code, output) = try Tool.run(arguments)
    return (code, output.split(separator: "\n").map(String.init))
  }

  @Test("every version makes a store that gives everything back, and is written and read again the same")
  func trial() throws {
    let result = try tool(["model", "try", folder.path])
    #expect(result.code == 0, "\(result.lines.suffix(20))")
    #expect(result.lines.last?.hasSuffix("differences 0") == true, "\(result.lines.suffix(20))")
  }

  @Test("the only faults are bundles without a model")
  func check() throws {
    let result = try tool(["model", "check", "--quiet", folder.path])
    let faults = result.lines.filter { $0.contains(": fault: ") }
    #expect(faults.allSatisfy { $0.contains("there is no model") }, "\(faults)")
    #expect(result.lines.last?.hasSuffix("faults \(faults.count)") == true)
  }
}
