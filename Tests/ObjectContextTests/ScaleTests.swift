import Foundation
import Strongroom
import Testing

@Suite("Large graphs", .serialized)
struct ScaleTests {
  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      EntityDescription("Node") {
        AttributeDescription("name", .string)
        RelationshipDescription("next", to: "Node", inverse: "previous", deleteRule: .cascade)
        RelationshipDescription("previous", to: "Node", inverse: "next", deleteRule: .cascade)
        RelationshipDescription("others", toMany: "Node", inverse: "others")
      }
    }
  }

  private static func chain(_ length: Int, _ context: ManagedObjectContext) throws -> ManagedObjectID {
    let nodes = try (0..<length).map { _ in try context.insert("Node") }
    for (node, next) in zip(nodes, nodes.dropFirst()) { try node.setObject(next, for: "next") }
    try context.save()
    return nodes[length / 2].objectID
  }

  @Test("a hundred thousand objects let go of return their memory")
  func memory() async throws {
    let shelf = try await Shelf(Self.model())
    let context = shelf.container.newContext()
    for number in 0..<100_000 { try context.insert("Node").set("name", "node number \(number)") }
    try context.save()
    var resident = [Self.residentBytes()]
    for _ in 0..<6 {
      try Self.register(context)
      #expect(context.registeredCount == 0)
      resident.append(Self.residentBytes())
    }
    let (first, later) = (resident[1] - resident[0], resident[6] - resident[1])
    print(
      "100,000 objects registered and let go of six times: \(first) resident bytes at first, \(later) more after"
    )
    // The allocator keeps what it had for the first time. Tests beside this one take some too.
    #expect(later < 60 << 20)
  }

  private static func register(_ context: ManagedObjectContext) throws {
    let held = try context.fetch(FetchRequest("Node"))
    #expect(context.registeredCount == 100_000)
    withExtendedLifetime(held) {}
  }

  private static func residentBytes() -> Int {
    let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
    return pages.flatMap { Int($0[1]) }.map { $0 * 4096 } ?? 0
  }

  @Test("a cyclic cascade over a chain of a hundred thousand, statements rising with its length")
  func cascade() async throws {
    let shelf = try await Shelf(Self.model())
    var statements: [Int] = []
    for length in [25_000, 100_000] {
      let id = try Self.chain(length, shelf.container.newContext())
      let context = shelf.container.newContext()
      let before = try shelf.statements
      try context.delete(try context.existingObject(with: id))
      #expect(context.deletedObjects.count == length)
      try context.save()
      statements.append(try shelf.statements - before)
      #expect(try context.count(for: FetchRequest("Node")) == 0)
    }
    #expect(statements[1] <= statements[0] * 4 + 100)
  }

  @Test("a chain of a hundred thousand is walked, undone and let go of without an end of the stack")
  func walk() async throws {
    let shelf = try await Shelf(Self.model())
    let context = shelf.container.newContext()
    _ = try Self.chain(100_000, context)
    context.reset()
    let first = try context.fetch(FetchRequest("Node", sort: [FetchSort("previous")], limit: 1))
    var node: ManagedObject? = first.first
    var held: [ManagedObject] = []
    while let next = node {
      held.append(next)
      node = try next.object("next")
    }
    #expect(held.count == 100_000)
    context.undoManager = UndoManager()
    try context.delete(held[0])
    try context.undo()
    #expect(!context.hasChanges)
    held = []
  }

  @Test("a hundred thousand links in one save, each stored by the one prepared statement")
  func links() async throws {
    let shelf = try await Shelf(Self.model())
    let context = shelf.container.newContext()
    let nodes = try (0..<450).map { _ in try context.insert("Node") }
    for (place, node) in nodes.enumerated() { try node.add(contentsOf: nodes[(place + 1)...], to: "others") }
    let prepared = try shelf.prepared
    try context.save()
    #expect(try shelf.prepared - prepared < 20)
    let other = shelf.container.newContext()
    let counts = try other.fetch(FetchRequest("Node")).map { try $0.objects("others").count }
    #expect(counts == Array(repeating: 449, count: 450))
  }
}
