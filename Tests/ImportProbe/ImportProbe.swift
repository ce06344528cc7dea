import Strongroom

/// Makes a store at the path given, saves 20,000 objects in batches, then 80,000 more, then 100,000 at once; prints by how
/// many bytes memory grew over the 80,000, and how many objects there are.
@main
struct ImportProbe {
  static func main() async throws {
    let model = try ManagedObjectModel {
      EntityDescription("Item") {
        AttributeDescription("name", .string)
        AttributeDescription("number", .integer64)
      }
    }
    let url = URL(fileURLWithPath: CommandLine.arguments[1])
    let container = PersistentContainer(name: "Many", model: model, url: url, vault: InMemoryVault())
    try await container.load()
    let context = container.newContext()
    // The first batches fill the page cache and the allocator's own stores.
    for _ in 0..<4 { try insert(5000, context) }
    let before = try residentBytes()
    for _ in 0..<16 { try insert(5000, context) }
    let grown = try residentBytes() - before
    try insert(100_000, context)
    print("\(grown) \(try context.count(for: FetchRequest("Item"))) \(context.registeredCount)")
  }

  private static func insert(_ count: Int, _ context: ManagedObjectContext) throws {
    for number in 0..<count {
      let item = try context.insert("Item")
      try item.set("name", "item number \(number)")
      try item.set("number", number)
    }
    try context.save()
    context.reset()
  }

  /// What the process has in memory, by the kernel's count.
  private static func residentBytes() throws -> Int {
    let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return (Int(fields[1]) ?? 0) * 4096
  }
}
