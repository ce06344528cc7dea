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
    let model = try ManagedObjectModel {
      EntityDescription("Item") {
        AttributeDescription("name", .string)
        AttributeDescription("number", .integer64)
      }
    }
    let container = PersistentContainer(
      name: "Many", model: model, url: folder.appendingPathComponent("many"), vault: InMemoryVault())
    try await container.load()
    let context = container.newContext()
    func insert(_ count: Int) throws {
      for number in 0..<count {
        let item = try context.insert("Item")
        try item.set("name", "item number \(number)")
        try item.set("number", number)
      }
      try context.save()
      context.reset()
    }
    // The first batches fill the page cache and the allocator's own stores.
    for _ in 0..<4 { try insert(5000) }
    let before = try residentBytes()
    for _ in 0..<16 { try insert(5000) }
    let grown = try residentBytes() - before
    #expect(grown < 16 << 20, "80,000 objects grew memory by \(grown >> 20) MiB")
    try insert(100_000)
    #expect(try context.count(for: FetchRequest("Item")) == 200_000)
    #expect(context.registeredCount == 0)
  }

  /// What the process has in memory, by the kernel's count.
  private func residentBytes() throws -> Int {
    let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return (Int(fields[1]) ?? 0) * 4096
  }
}
