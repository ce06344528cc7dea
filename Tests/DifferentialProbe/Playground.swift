import Foundation
import Strongroom

/// One set of objects in two stores: a real one, which answers in SQL, and one in memory.
final class Playground {
  let folder: URL
  let model: ManagedObjectModel
  let store: SQLCipherStore
  let memory: InMemoryStore

  init(seed: UInt64, count: Int) async throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "differential-\(UUID().uuidString)")
    model = try Self.makeModel()
    let real = PersistentContainer(
      name: "Differential", model: model, url: folder.appendingPathComponent("d.strongroom"),
      vault: InMemoryVault())
    let other = PersistentContainer(
      model: model, description: PersistentStoreDescription(type: InMemoryStore.storeType))
    for container in [real, other] {
      try await container.load()
      var random = Random(seed: seed)
      try Self.fill(container.newContext(), count, &random)
    }
    guard let store = try real.coordinator.store as? SQLCipherStore,
      let memory = try other.coordinator.store as? InMemoryStore
    else { throw CocoaError(.featureUnsupported) }
    self.store = store
    self.memory = memory
  }

  deinit {
    try? store.close()
    try? FileManager.default.removeItem(at: folder)
  }

  /// Every type, and relationships of every kind.
  private static func makeModel() throws -> ManagedObjectModel {
    try ManagedObjectModel(
      ModelDescription(
        entities: [
          EntityDescription("Item") {
            AttributeDescription("small", .integer16)
            AttributeDescription("number", .integer64)
            AttributeDescription("other", .integer32)
            AttributeDescription("real", .double)
            AttributeDescription("single", .float)
            AttributeDescription("exact", .decimal)
            AttributeDescription("flag", .boolean)
            AttributeDescription("day", .date)
            AttributeDescription("name", .string)
            AttributeDescription("title", .string)
            AttributeDescription("bytes", .binary)
            AttributeDescription("id", .uuid)
            AttributeDescription("page", .uri)
            AttributeDescription("stored", .transformable)
            AttributeDescription("place", .composite, composite: "Place")
            AttributeDescription("mood", .string, transient: true)
            FetchIndexDescription.fullText("words", on: "name", "title")
            FetchIndexDescription.fullText("names", on: "name")
            FetchIndexDescription.rTree("boxes", on: "real", "number", "day")
            RelationshipDescription("parent", to: "Item", inverse: "children")
            RelationshipDescription("children", toMany: "Item", inverse: "parent")
            RelationshipDescription("tags", toMany: "Tag", inverse: "items")
            RelationshipDescription("list", toMany: "Tag", ordered: true)
            RelationshipDescription("friends", toMany: "Item", inverse: "friends")
          },
          EntityDescription("Special", parent: "Item") { AttributeDescription("extra", .integer32) },
          EntityDescription("Tag") {
            AttributeDescription("name", .string)
            AttributeDescription("weight", .double)
            RelationshipDescription("items", toMany: "Item", inverse: "tags")
            RelationshipDescription("owner", to: "Item")
          },
        ],
        composites: [
          CompositeDescription(
            "Place", [AttributeDescription("city", .string), AttributeDescription("x", .double)])
        ]))
  }

  private static func fill(_ context: ManagedObjectContext, _ count: Int, _ random: inout Random) throws {
    let tags = try (0..<max(count / 5, 2)).map { _ in
      let tag = try context.insert("Tag")
      try tag.setValue(Values.text(&random), for: "name")
      try tag.setValue(random.chance(4) ? .null : .double(Values.real(&random)), for: "weight")
      return tag
    }
    var items: [ManagedObject] = []
    for index in 0..<count {
      let item = try context.insert(index % 4 == 3 ? "Special" : "Item")
      for attribute in item.entity.attributes where !attribute.isTransient && !random.chance(5) {
        try item.setValue(Values.value(attribute, &random), for: attribute.name)
      }
      if let parent = random.element(items), !random.chance(4) { try item.setObject(parent, for: "parent") }
      for _ in 0..<random.below(4) { try item.add(random.element(tags)!, to: "tags") }
      for tag in Set((0..<random.below(4)).map { _ in random.below(tags.count) }).sorted(by: >) {
        try item.add(tags[tag], to: "list")
      }
      if let friend = random.element(items), random.chance(2) { try item.add(friend, to: "friends") }
      items.append(item)
    }
    for tag in tags where !random.chance(3) { try tag.setObject(random.element(items), for: "owner") }
    try context.save()
  }
}
