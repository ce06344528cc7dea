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

  @Test("the README's examples do what they say, and are what is tested")
  func readme() async throws {
    let folder = try folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    let result = try await readmeExample(
      url: folder.appendingPathComponent("library"), vault: InMemoryVault())
    #expect(result.titles == ["Emma"])
    // 200 runs of 0 to 499, where 0 to 9 became 10, and Jane Austen's.
    #expect(result.pages == 200 * (499 * 500 / 2 - 45 + 100) + 474 + 249)
    let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let tested = try code(
      here.appendingPathComponent("ReadmeExample.swift"), "// README begin", "// README end")
    // The example of typed models is in the tests of these.
    let shown = try code(here.appendingPathComponent("../../README.md"), "```swift", "```").filter {
      !$0.contains("@Model")
    }
    // The second one is on the page about performance, whose code is compared with the manual's.
    #expect(tested.count == 2)
    #expect(
      shown == [
        tested[0].replacingOccurrences(of: "vault: vault)", with: "vault: SecretServiceVault())")
      ])
  }

  /// The pieces of code between two marks, without indentation and what cannot be the same.
  private func code(_ file: URL, _ begin: String, _ end: String) throws -> [String] {
    let text = try String(contentsOf: file, encoding: .utf8)
    return text.components(separatedBy: begin).dropFirst().map { piece in
      piece.components(separatedBy: end)[0].split(separator: "\n").map {
        $0.trimmingCharacters(in: .whitespaces)
      }.filter { !$0.isEmpty && $0 != "import Strongroom" && !$0.hasPrefix("let url =") }.joined(
        separator: "\n")
    }
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
    try #require(numbers.count == 5)
    // A sanitizer keeps what was freed.
    let isSanitized = ProcessInfo.processInfo.environment["SANITIZER"] != nil
    #expect(isSanitized || numbers[0] < 16 << 20, "80,000 objects grew memory by \(numbers[0] >> 20) MiB")
    #expect(numbers[1] == 200_000)
    #expect(numbers[2] == 0)
    // A million such rows held at once would be 100 MB.
    #expect(isSanitized || numbers[3] < 48 << 20, "a million rows grew memory by \(numbers[3] >> 20) MiB")
    #expect(numbers[4] == 12_000_000)
  }
}
