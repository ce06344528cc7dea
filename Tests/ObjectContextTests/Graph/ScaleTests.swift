import Foundation
import Strongroom
import Testing

@Suite("Large graphs", .serialized)
struct ScaleTests {
  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Node") {
        Attribute("name", .string)
        Relationship("next", to: "Node", inverse: "previous", deleteRule: .cascade)
        Relationship("previous", to: "Node", inverse: "next", deleteRule: .cascade)
        Relationship("others", toMany: "Node", inverse: "others")
      }
    }
  }

  private static func chain(_ length: Int, _ context: ManagedObjectContext) throws -> ManagedObjectID {
    let nodes = try (0..<length).map { _ in try context.insert("Node") }
    for (node, next) in zip(nodes, nodes.dropFirst()) { try node.setObject(next, forKey: "next") }
    try context.save()
    return nodes[length / 2].objectID
  }

  @Test("a hundred thousand released objects return their memory")
  func memory() async throws {
    // In a process of its own, since other tests' memory counts in this one.
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      let shelf = try await Shelf(Self.model())
      let context = shelf.container.newContext()
      for number in 0..<100_000 { try context.insert("Node").set("name", "node number \(number)") }
      try context.save()
      var resident = [try Self.residentBytes()]
      for _ in 0..<6 {
        try Self.register(context)
        #expect(context.registeredObjectCount == 0)
        resident.append(try Self.residentBytes())
      }
      print("bytes: \(resident[1] - resident[0]) \(resident[6] - resident[1])")
    }
    let told = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
    let line = try #require(told.split(separator: "\n").first { $0.hasPrefix("bytes: ") })
    let numbers = line.split(separator: " ").compactMap { Int($0) }
    try #require(numbers.count == 2)
    print("100,000 objects registered and let go of six times: \(line)")
    // The allocator keeps what it had for the first time, and a sanitizer keeps what was freed.
    let isSanitized = ProcessInfo.processInfo.environment["SANITIZER"] != nil
    #expect(isSanitized || numbers[1] < 8 << 20)
  }

  private static func register(_ context: ManagedObjectContext) throws {
    let held = try context.fetch(FetchRequest("Node"))
    #expect(context.registeredObjectCount == 100_000)
    withExtendedLifetime(held) {}
  }

  private static func residentBytes() throws -> Int {
    let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return try #require(Int(fields[1])) * 4096
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

  @Test("a chain of a hundred thousand is walked, undone and released without a stack overflow")
  func walk() async throws {
    let shelf = try await Shelf(Self.model())
    let context = shelf.container.newContext()
    _ = try Self.chain(100_000, context)
    context.reset()
    let first = try context.fetch(
      FetchRequest("Node", sortDescriptors: [FetchSortDescriptor("previous")], fetchLimit: 1))
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
