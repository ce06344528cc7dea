import Strongroom

/// Makes a store at the path given, saves 20,000 objects in batches, then 80,000 more, then 100,000
/// at once; prints by how many bytes memory grew over the 80,000, and how many objects there are.
///
/// Then inserts a million rows in one batch and scans them ten times; prints by how many bytes
/// memory grew, and how many rows went by.
@main
struct ImportProbe {
  static func main() async throws {
    let model = try ManagedObjectModel {
      Entity("Item") {
        Attribute("name", .string)
        Attribute("number", .integer64)
      }
    }
    let url = URL(fileURLWithPath: CommandLine.arguments[1])
    let container = PersistentContainer(
      name: "Many", managedObjectModel: model, url: url, vault: InMemoryVault())
    try await container.loadPersistentStores()
    let context = container.newContext()
    // The first batches fill the page cache and the allocator's own stores.
    for _ in 0..<4 { try insert(5000, context) }
    let before = try residentBytes()
    for _ in 0..<16 { try insert(5000, context) }
    let grown = try residentBytes() - before
    try insert(100_000, context)
    print("\(grown) \(try context.count(for: FetchRequest("Item"))) \(context.registeredObjectCount)")
    try batches(context)
  }

  private static func batches(_ context: ManagedObjectContext) throws {
    var request = FetchRequest("Item")
    request.propertiesToFetch = [ExpressionDescription("name")]
    // The page cache is full, and stays so.
    try context.enumerateRows(request) { _ in true }
    let before = try residentBytes()
    try context.batchInsert(into: "Item", of: 0..<1_000_000) { row, number in
      try row.set("name", .string("a name that does not fit into a word, number \(number)"))
    }
    var seen = 0
    for _ in 0..<10 {
      try context.enumerateRows(request) { row in
        seen += row.bytes(0).isEmpty ? 0 : 1
        return true
      }
    }
    print("\(try residentBytes() - before) \(seen)")
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
