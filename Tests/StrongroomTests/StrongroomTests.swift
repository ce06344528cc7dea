import Strongroom
import Testing

@Suite("The whole path")
struct StrongroomTests {
  private func folder() throws -> URL {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "strongroom-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  @Test("the README's example does what it says, and is what is tested")
  func readme() async throws {
    let folder = try folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let titles = try await readmeExample(
      url: folder.appendingPathComponent("library"), vault: InMemoryVault())
    #expect(titles == ["Emma"])
    let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    func code(_ text: String, _ begin: String, _ end: String) throws -> String {
      let start = try #require(text.range(of: begin))
      let stop = try #require(text.range(of: end, range: start.upperBound..<text.endIndex))
      return text[start.upperBound..<stop.lowerBound].split(separator: "\n").map {
        $0.trimmingCharacters(in: .whitespaces)
      }.filter { !$0.isEmpty && $0 != "import Strongroom" && !$0.hasPrefix("let url =") }.joined(
        separator: "\n")
    }
    let tested = try code(
      try String(contentsOf: here.appendingPathComponent("ReadmeExample.swift"), encoding: .utf8),
      "// README begin",
      "// README end")
    let shown = try code(
      try String(contentsOf: here.appendingPathComponent("../../README.md"), encoding: .utf8), "```swift",
      "```")
    #expect(shown == tested.replacingOccurrences(of: ", vault: vault)", with: ")"))
  }

  @Test("100,000 objects in one save, and in batches with flat memory")
  func many() async throws {
    let folder = try folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    // In a process of its own, since other tests' memory counts in this one.
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("import-probe")
    process.arguments = [folder.appendingPathComponent("many").path]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let numbers = String(decoding: output, as: UTF8.self).split(whereSeparator: \.isWhitespace).compactMap {
      Int($0)
    }
    try #require(numbers.count == 3)
    #expect(numbers[0] < 16 << 20, "80,000 objects grew memory by \(numbers[0] >> 20) MiB")
    #expect(numbers[1] == 200_000)
    #expect(numbers[2] == 0)
  }
}
