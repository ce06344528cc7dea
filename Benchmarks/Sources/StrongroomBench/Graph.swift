import ArgumentParser
import BenchKit
import Foundation
import Strongroom

/// Large graphs: what is let go of, a long chain of cascades, very many links.
struct Graph: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Memory of objects let go of, cascades over chains, a save of very many links.")

  @Option(help: "Objects that are fetched and let go of, and the length of the longest chain.")
  var objects = 100_000
  @Option(help: "Links that one save stores; a square number.")
  var links = 1_000_000

  func run() async throws {
    let folder = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent(
      "strongroom-graph-\(getpid())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let model = try ManagedObjectModel {
      Entity("Node") {
        Attribute("name", .string)
        Relationship("next", to: "Node", inverse: "previous", deleteRule: .cascade)
        Relationship("previous", to: "Node", inverse: "next")
      }
      Entity("Left") { Relationship("rights", toMany: "Right", inverse: "lefts") }
      Entity("Right") { Relationship("lefts", toMany: "Left", inverse: "rights") }
    }
    let container = PersistentContainer(
      name: "Graph", managedObjectModel: model, url: folder.appendingPathComponent("g.strongroom"),
      vault: InMemoryVault())
    try await container.loadPersistentStores()
    try memory(container)
    try chains(container)
    try manyLinks(container)
    try taking(container)
    try container.close()
  }

  private func memory(_ container: PersistentContainer) throws {
    let context = container.newContext()
    for number in 0..<objects { try context.insert("Node").set("name", "node number \(number)") }
    try context.save()
    _ = try context.fetch(FetchRequest("Node", fetchLimit: 1))
    let before = heapBytes()
    let (registered, during) = try Self.holding(context) { (context.registeredObjectCount, heapBytes()) }
    let after = heapBytes()
    print(
      "\(registered) objects registered: \(format(during - before)); let go of: \(context.registeredObjectCount) registered,"
        + " \(format(after - before)) kept")
  }

  /// What is measured while all objects are held.
  private static func holding<R>(_ context: ManagedObjectContext, _ body: () -> R) throws -> R {
    let held = try context.fetch(FetchRequest("Node"))
    return withExtendedLifetime(held) { body() }
  }

  private func chains(_ container: PersistentContainer) throws {
    var first = 0.0
    for length in [objects / 4, objects / 2, objects] {
      let context = container.newContext()
      _ = try context.batchDelete(FetchRequest("Node"))
      var head: ManagedObject?
      var last: ManagedObject?
      for _ in 0..<length {
        let node = try context.insert("Node")
        try node.setObject(last, forKey: "previous")
        head = head ?? node
        last = node
      }
      try context.save()
      guard let id = head?.objectID else { return }
      let other = container.newContext()
      let start = now()
      try other.delete(try other.existingObject(with: id))
      let deleted = other.deletedObjects.count
      try other.save()
      let seconds = now() - start
      if first == 0 { first = seconds / Double(length) }
      print(
        String(
          format: "a cascade over a chain of %d: %.2f s, %.1f us an object, %.2f times the shortest chain's",
          deleted,
          seconds, seconds / Double(length) * 1e6, seconds / Double(length) / first))
    }
  }

  private func manyLinks(_ container: PersistentContainer) throws {
    let side = Int(Double(links).squareRoot())
    let context = container.newContext()
    let lefts = try (0..<side).map { _ in try context.insert("Left") }
    let rights = try (0..<side).map { _ in try context.insert("Right") }
    var start = now()
    for left in lefts { try left.add(contentsOf: rights, to: "rights") }
    let linked = now() - start
    start = now()
    try context.save()
    let saved = now() - start
    let other = container.newContext()
    let counts = try other.fetch(FetchRequest("Left")).map { try $0.objects("rights").count }
    print(
      String(
        format: "%d links: %.2f s to make, %.2f s to save in one, %d read back", side * side, linked, saved,
        counts.reduce(0, +)))
  }

  /// New objects that are deleted one by one, before they were ever saved.
  private func taking(_ container: PersistentContainer) throws {
    var first = 0.0
    for count in [objects / 4, objects / 2, objects] {
      let context = container.newContext()
      let nodes = try (0..<count).map { _ in try context.insert("Node") }
      let start = now()
      for node in nodes { try context.delete(node) }
      let seconds = now() - start
      if first == 0 { first = seconds / Double(count) }
      print(
        String(
          format:
            "%d new objects deleted one by one: %.2f us an object, %.2f times the fewest's, changes left: %@",
          count, seconds / Double(count) * 1e6, seconds / Double(count) / first,
          context.hasChanges ? "yes" : "none"))
    }
  }

  private func format(_ bytes: Int64) -> String { String(format: "%.1f MB", Double(bytes) / 1e6) }
}
