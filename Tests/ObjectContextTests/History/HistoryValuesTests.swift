import Foundation
import Strongroom
import Testing

@Suite("Values in a history")
struct HistoryValuesTests {
  private static let all = [EntityDescription.recordsHistoryValuesKey: "YES"]

  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Item", userInfo: all) {
        Attribute("name", .string)
        Attribute("price", .decimal)
        Attribute("picture", .binary)
        Relationship("box", to: "Box", inverse: "items")
        Relationship("tags", toMany: "Tag", inverse: "items")
        Relationship("steps", toMany: "Tag", ordered: true)
      }
      Entity("Gadget", parent: "Item") { Attribute("power", .double) }
      Entity("Box") {
        Attribute("label", .string, userInfo: all)
        Attribute("size", .integer64)
        Relationship("items", toMany: "Item", inverse: "box")
      }
      Entity("Tag") {
        Attribute("name", .string)
        Relationship("items", toMany: "Item", inverse: "tags")
      }
    }
  }

  private func last(_ context: ManagedObjectContext) throws -> [PersistentHistoryChange] {
    let transactions = try context.execute(.fetchHistory(after: Date.distantPast)).transactions
    return (transactions.last?.changes ?? []).sorted {
      $0.changedObjectID.entity.name < $1.changedObjectID.entity.name
    }
  }

  @Test("are those before and after each change, of what the model asks for and of nothing else")
  func saves() async throws {
    let shelf = try await Shelf(Self.model())
    let context = shelf.container.newContext()
    let (item, box) = (try context.insert("Gadget"), try context.insert("Box"))
    try item.set("name", "lamp")
    try item.set("power", 1.5)
    try box.set("label", "red")
    try box.set("size", 3)
    try context.save()
    var changes = try last(context)
    #expect(changes[0].newValues == ["label": .attribute(.string("red"))] && changes[0].oldValues == nil)
    #expect(changes[1].newValues?["name"] == .attribute(.string("lamp")))
    #expect(changes[1].newValues?["power"] == .attribute(.double(1.5)))
    #expect(changes[1].newValues?["box"] == .object(nil))

    try item.set("name", "torch")
    try item.set("price", Decimal(string: "9.99"))
    try item.setObject(box, forKey: "box")
    try box.set("size", 4)
    try context.save()
    changes = try last(context)
    #expect(changes[0].newValues == nil && changes[0].oldValues == nil, "nobody asked for the size")
    let old: [String: PersistentHistoryValue] = [
      "name": .attribute(.string("lamp")), "price": .attribute(.null), "box": .object(nil),
    ]
    #expect(changes[1].oldValues == old)
    #expect(changes[1].newValues?["price"] == .attribute(.decimal(try #require(Decimal(string: "9.99")))))
    #expect(changes[1].newValues?["box"] == .object(box.objectID))

    try context.delete(item)
    try context.save()
    changes = try last(context)
    #expect(changes.first { $0.changeType == .delete }?.oldValues?["name"] == .attribute(.string("torch")))
    #expect(changes.allSatisfy { $0.changeType != .delete || $0.newValues == nil })
  }

  @Test("of to-manys are who joined and who left, and whole lists of ordered ones")
  func links() async throws {
    let shelf = try await Shelf(Self.model())
    let context = shelf.container.newContext()
    let item = try context.insert("Gadget")
    let tags = try (0..<3).map { _ in try context.insert("Tag") }
    try item.setObjects(Array(tags[0...1]), forKey: "tags")
    try item.setObjects([tags[1], tags[0]], forKey: "steps")
    try context.save()
    func ids(_ places: Int...) -> PersistentHistoryValue { .objects(places.map { tags[$0].objectID }) }
    func sorted(_ value: PersistentHistoryValue?) -> Set<ManagedObjectID> {
      if case .objects(let ids) = value { Set(ids) } else { [] }
    }
    let inserted = try #require(try last(context).first { $0.changedObjectID == item.objectID })
    #expect(sorted(inserted.newValues?["tags"]) == Set(tags[0...1].map(\.objectID)))
    #expect(inserted.newValues?["steps"] == ids(1, 0))

    try item.remove(tags[0], from: "tags")
    try item.add(tags[2], to: "tags")
    try item.setObjects([tags[0], tags[1], tags[2]], forKey: "steps")
    try context.save()
    let changed = try #require(try last(context).first { $0.changedObjectID == item.objectID })
    #expect(changed.oldValues?["tags"] == ids(0) && changed.newValues?["tags"] == ids(2))
    #expect(changed.oldValues?["steps"] == ids(1, 0) && changed.newValues?["steps"] == ids(0, 1, 2))
  }

  @Test("are in batches as well, whatever expression made them")
  func batches() async throws {
    let shelf = try await Shelf(Self.model())
    let context = shelf.container.newContext()
    var number = 0
    try context.batchInsert(into: "Item") { row in
      number += 1
      try row.set("name", .string("item \(number)"))
      return number <= 3
    }
    let inserted = try last(context)
    #expect(inserted.map { $0.newValues?["name"] } == (1...3).map { .attribute(.string("item \($0)")) })
    try context.batchUpdate(FetchRequest("Item"), set: ["name": .string("all")])
    let changes = try last(context)
    #expect(changes.map { $0.oldValues?["name"] } == (1...3).map { .attribute(.string("item \($0)")) })
    #expect(changes.allSatisfy { $0.newValues == ["name": .attribute(.string("all"))] })
    try context.batchDelete(FetchRequest("Item", where: FetchPredicate(format: "name == 'all'")))
    #expect(try last(context).allSatisfy { $0.oldValues?["name"] == .attribute(.string("all")) })
  }

  @Test("of links that a batch makes are at both ends, with the lists of ordered ones")
  func batchLinks() async throws {
    let model = try ManagedObjectModel {
      Entity("Item", userInfo: Self.all) { Relationship("tags", toMany: "Tag", inverse: "items") }
      Entity("Tag", userInfo: Self.all) {
        Relationship("items", toMany: "Item", inverse: "tags", ordered: true)
      }
      Entity("Label", parent: "Tag") { Relationship("tops", toMany: "Top", inverse: "labels") }
      Entity("Top") { Relationship("labels", toMany: "Label", inverse: "tops") }
    }
    let shelf = try await Shelf(model)
    let context = shelf.container.newContext()
    let (tag, first) = (try context.insert("Label"), try context.insert("Item"))
    try first.add(tag, to: "tags")
    try context.save()
    var left = 2
    try context.batchInsert(into: "Item") { row in
      if left == 0 { return false }
      left -= 1
      try row.set("tags", destinations: [tag.objectID])
      return true
    }
    var changes = try last(context)
    #expect(changes.map(\.changeType) == [.insert, .insert, .update])
    let new = changes.prefix(2).map(\.changedObjectID)
    #expect(changes[0].newValues?["tags"] == .objects([tag.objectID]))
    #expect(
      changes[2].changedObjectID == tag.objectID && changes[2].updatedProperties?.map(\.name) == ["items"])
    #expect(changes[2].oldValues == ["items": .objects([first.objectID])])
    #expect(changes[2].newValues == ["items": .objects([first.objectID] + new)])

    left = 1
    try context.batchInsert(into: "Top") { row in
      if left == 0 { return false }
      left -= 1
      try row.set("labels", destinations: [tag.objectID])
      return true
    }
    changes = try last(context)
    #expect(changes.map(\.changedObjectID.entity.name) == ["Label", "Top"])
    #expect(changes[0].oldValues == nil)
    #expect(changes[0].newValues == ["tops": .objects([changes[1].changedObjectID])])
  }

  @Test("cost no statement where none are asked for, and one an object where they are")
  func statements() async throws {
    let shelf = try await Shelf(Self.model())
    let context = shelf.container.newContext()
    let boxes = try (0..<5).map { _ in try context.insert("Box") }
    try context.save()
    func count(_ work: () throws -> Void) throws -> Int {
      try work()
      let before = try shelf.statements
      try context.save()
      return try shelf.statements - before
    }
    _ = try count { for box in boxes { try box.set("size", 1) } }
    #expect(try count { for box in boxes { try box.set("size", 2) } } == 5 + 4)
    #expect(try count { for box in boxes { try box.set("label", "x") } } == 2 * 5 + 4)
  }
}
