import Foundation
import MigrationPlace
import Strongroom
import Testing

@Suite("A history after a migration")
struct HistoryMigrationTests {
  private static let recorded = [EntityDescription.recordsHistoryValuesKey: "YES"]

  private func changes(_ context: ManagedObjectContext) throws -> [PersistentHistoryChange] {
    var request = PersistentHistoryChangeRequest.fetchHistory(afterTransaction: 0)
    request.resultType = .changesOnly
    return try context.execute(request).changes
  }

  private func preserved(_ name: String, was identifier: String? = nil) -> Attribute {
    var attribute = Attribute(name, .string, renamingIdentifier: identifier)
    attribute.preservesValueInHistoryOnDeletion = true
    return attribute
  }

  private func renamed(_ relationship: Relationship, was identifier: String) -> Relationship {
    var relationship = relationship
    relationship.renamingIdentifier = identifier
    return relationship
  }

  @Test("says nothing of a new entity that was saved of a removed one", arguments: MigrationPlace.Kind.all)
  func entities(kind: MigrationPlace.Kind) async throws {
    let place = try MigrationPlace(kind)
    let note = Entity("Note") { Attribute("text", .string) }
    try await place.with(
      ManagedObjectModel {
        note
        Entity("Scrap") { preserved("text") }
      }
    ) { context in
      let scraps = try (0..<2).map { _ in try context.insert("Scrap") }
      try context.save()
      try scraps[0].set("text", "a secret")
      try context.save()
      try context.delete(scraps[0])
      try context.save()
    }
    try await place.with(ManagedObjectModel { note }) { context in
      let none = try changes(context)
      #expect(none.isEmpty)
    }
    try await place.with(
      ManagedObjectModel {
        note
        Entity("Leaf") { Attribute("text", .string) }
      }
    ) { context in
      #expect(try changes(context).isEmpty)
      try context.insert("Leaf")
      try context.save()
      #expect(try changes(context).map(\.changedObjectID.entity.name) == ["Leaf"])
    }
  }

  @Test(
    "has preserved values by the names of today, and none of an attribute that took a name over",
    arguments: MigrationPlace.Kind.all)
  func tombstones(kind: MigrationPlace.Kind) async throws {
    let place = try MigrationPlace(kind)
    try await place.with(
      ManagedObjectModel {
        Entity("Note") {
          preserved("code")
          preserved("left")
          preserved("right")
          preserved("gone")
        }
      }
    ) { context in
      let note = try context.insert("Note")
      for name in ["code", "left", "right", "gone"] { try note.set(name, name) }
      try context.save()
      try context.delete(note)
      try context.save()
    }
    let second = try ManagedObjectModel {
      Entity("Note") {
        preserved("code", was: "fresh")
        preserved("number", was: "code")
        preserved("left", was: "right")
        preserved("right", was: "left")
      }
    }
    try await place.with(second) { context in
      let tombstone = try changes(context).last?.tombstone
      #expect(
        tombstone == ["number": .string("code"), "left": .string("right"), "right": .string("left")])
      let note = try context.insert("Note")
      try note.set("code", "new")
      try context.save()
      try context.delete(note)
      try context.save()
      #expect(try changes(context).last?.tombstone?["code"] == .string("new"))
    }
    try await place.with(
      ManagedObjectModel {
        Entity("Note") {
          preserved("id", was: "number")
          preserved("code")
        }
      }
    ) { context in
      let tombstones = try changes(context).filter { $0.changeType == .delete }.map(\.tombstone)
      #expect(tombstones.first == ["id": .string("code")])
      #expect(tombstones.last == ["code": .string("new"), "id": .null])
    }
  }

  @Test(
    "knows values by the names of today when properties are reordered, renamed and moved",
    arguments: MigrationPlace.Kind.all)
  func values(kind: MigrationPlace.Kind) async throws {
    let place = try MigrationPlace(kind)
    try await place.with(
      ManagedObjectModel {
        Entity("Thing") { Attribute("z", .string) }
        Entity("Item", parent: "Thing", userInfo: Self.recorded) {
          Attribute("a", .string)
          Attribute("b", .integer32)
          Relationship("box", to: "Box", inverse: "items")
        }
        Entity("Box", userInfo: Self.recorded) { Relationship("items", toMany: "Item", inverse: "box") }
      }
    ) { context in
      let (item, box) = (try context.insert("Item"), try context.insert("Box"))
      try context.save()
      try item.set("a", "first")
      try item.set("b", 2)
      try item.setObject(box, forKey: "box")
      try context.save()
    }
    try await place.with(
      ManagedObjectModel {
        Entity("Case", renamingIdentifier: "Box", userInfo: Self.recorded) {
          renamed(Relationship("parts", toMany: "Part", inverse: "case"), was: "items")
        }
        Entity("Thing") {
          Attribute("b", .integer64)
          Attribute("first", .boolean)
          Attribute("z", .string)
        }
        Entity("Part", parent: "Thing", renamingIdentifier: "Item", userInfo: Self.recorded) {
          Attribute("a", .string, renamingIdentifier: "none")
          renamed(Relationship("case", to: "Case", inverse: "parts"), was: "box")
          Attribute("text", .string, renamingIdentifier: "a")
        }
      }
    ) { context in
      let update = try #require(try changes(context).first { $0.changeType == .update })
      let box = try context.fetch(FetchRequest("Case"))[0]
      #expect(update.changedObjectID.entity.name == "Part")
      #expect(Set(update.updatedProperties?.map(\.name) ?? []) == ["text", "b", "case"])
      let new: [String: PersistentHistoryValue] = [
        "text": .attribute(.string("first")), "b": .attribute(.integer(2)), "case": .object(box.objectID),
      ]
      #expect(update.newValues == new)
    }
  }
}
