import Foundation
import Strongroom
import Testing

@Suite("Derived attributes")
struct DerivedTests {
  private static func derived(_ name: String, _ type: AttributeType, _ expression: String)
    -> Attribute
  {
    var attribute = Attribute(name, type)
    attribute.derivationExpression = expression
    return attribute
  }

  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Thing", abstract: true) { Attribute("note", .string) }
      Entity("Shelf", parent: "Thing") {
        Attribute("name", .string)
        derived("plain", .string, "canonical:(name)")
        derived("loud", .string, "uppercase:(name)")
        derived("quiet", .string, "lowercase:( name )")
        derived("changed", .date, "now()")
        derived("count", .integer64, "books.@count")
        derived("pages", .integer64, "books.@sum.pages")
        derived("weight", .double, "books.weight.@sum")
        derived("labels", .integer16, "tags.@count")
        derived("points", .integer64, "tags.@sum.points")
        derived("kept", .integer32, "ordered.@count")
        Relationship("books", toMany: "Book", inverse: "shelf")
        Relationship("tags", toMany: "Tag", inverse: "shelves")
        Relationship("ordered", toMany: "Book", inverse: "keeper", ordered: true)
      }
      Entity("Book") {
        Attribute("pages", .integer32)
        Attribute("weight", .double)
        derived("shelfName", .string, "shelf.name")
        derived("plainShelf", .string, "canonical:(shelf.name)")
        Relationship("shelf", to: "Shelf", inverse: "books")
        Relationship("keeper", to: "Shelf", inverse: "ordered")
      }
      Entity("Tag") {
        Attribute("points", .integer16)
        Relationship("shelves", toMany: "Shelf", inverse: "tags")
      }
    }
  }

  /// The values that count, sum and fold, compared with the same computed from the objects
  /// themselves.
  private func check(_ shelf: ManagedObject, line: Int = #line) throws {
    let books = try shelf.objects("books")
    let tags = try shelf.objects("tags")
    let place = SourceLocation(fileID: #fileID, filePath: #filePath, line: line, column: 1)
    #expect(try shelf.get("count", as: Int.self) == books.count, sourceLocation: place)
    #expect(
      try shelf.get("pages", as: Int.self)
        == books.reduce(0) { try $0 + ($1.get("pages", as: Int.self) ?? 0) },
      sourceLocation: place)
    let weight = try books.reduce(0.0) { try $0 + ($1.get("weight") ?? 0) }
    #expect(abs(try shelf.get("weight", as: Double.self)! - weight) < 1e-9, sourceLocation: place)
    #expect(try shelf.get("labels", as: Int.self) == tags.count, sourceLocation: place)
    #expect(
      try shelf.get("points", as: Int.self)
        == tags.reduce(0) { try $0 + ($1.get("points", as: Int.self) ?? 0) },
      sourceLocation: place)
    #expect(try shelf.get("kept", as: Int.self) == shelf.objects("ordered").count, sourceLocation: place)
    for book in books {
      #expect(try book.value(forKey: "shelfName") == shelf.value(forKey: "name"), sourceLocation: place)
      #expect(try book.value(forKey: "plainShelf") == shelf.value(forKey: "plain"), sourceLocation: place)
    }
  }

  @Test("follow every change at the save, and a new fetch at once", arguments: [true, false])
  func follow(inMemory: Bool) async throws {
    let place = try await Shelf(try Self.model(), inMemory: inMemory)
    defer { withExtendedLifetime(place) {} }
    let context = place.container.newContext()
    let before = Date().addingTimeInterval(-1)
    let shelf = try context.insert("Shelf")
    let other = try context.insert("Shelf")
    try shelf.set("name", "Große ÉTAGÈRE")
    let books = try (1...4).map { index in
      let book = try context.insert("Book")
      try book.set("pages", index * 100)
      try book.set("weight", Double(index) * 0.1)
      try book.setObject(shelf, forKey: "shelf")
      return book
    }
    let tags = try (1...3).map { index in
      let tag = try context.insert("Tag")
      try tag.set("points", index)
      try shelf.add(tag, to: "tags")
      return tag
    }
    try shelf.add(books[0], to: "ordered")
    try context.save()
    try check(shelf)
    try check(other)
    #expect(try shelf.get("plain", as: String.self) == "grosse etagere")
    #expect(try shelf.get("loud", as: String.self) == "GROSSE ÉTAGÈRE")
    #expect(try shelf.get("quiet", as: String.self) == "große étagère")
    let changed = try #require(try shelf.get("changed", as: Date.self))
    #expect(changed > before && changed < Date().addingTimeInterval(1))

    try books[0].setObject(other, forKey: "shelf")
    try books[1].set("pages", 7)
    try books[2].set("weight", 9.5)
    try tags[0].set("points", 50)
    try shelf.remove(tags[1], from: "tags")
    try shelf.remove(books[0], from: "ordered")
    try other.add(tags[0], to: "tags")
    try shelf.set("name", "B")
    try context.save()
    try check(shelf)
    try check(other)
    #expect(try shelf.get("count", as: Int.self) == 3)
    #expect(try shelf.get("plain", as: String.self) == "b")

    try context.delete(books[3])
    try context.delete(tags[0])
    try books[1].set("pages", nil as Int?)
    try context.save()
    try check(shelf)
    try check(other)
    let again = place.container.newContext()
    for id in [shelf.objectID, other.objectID] { try check(try again.object(with: id)) }
    let found = try again.fetch(
      FetchRequest("Shelf", where: FetchPredicate(format: "count == 1 AND pages == 100")))
    #expect(found.map(\.objectID) == [other.objectID])
  }

  @Test("follow batches too, and cannot be set")
  func batches() async throws {
    let place = try await Shelf(try Self.model(), inMemory: false)
    defer { withExtendedLifetime(place) {} }
    let context = place.container.newContext()
    let shelf = try context.insert("Shelf")
    try shelf.set("name", "A")
    try context.save()
    let number = shelf.objectID.reference
    try context.batchInsert(
      into: "Book",
      dictionaries: (0..<100).map { ["pages": .integer($0), "shelf": .reference(number), "weight": 0.5] })
    try check(shelf)
    #expect(try shelf.get("count", as: Int.self) == 100)
    try context.batchUpdate(
      FetchRequest("Book", where: FetchPredicate(format: "pages < 10")), set: ["pages": 1000])
    try check(shelf)
    try context.batchDelete(FetchRequest("Book", where: FetchPredicate(format: "pages == 1000")))
    try check(shelf)
    #expect(try shelf.get("count", as: Int.self) == 90)
    try context.batchUpdate(FetchRequest("Shelf"), set: ["name": "Z"])
    try check(shelf)
    let error = #expect(throws: ContextError.self) { try shelf.set("count", 5) }
    #expect(error?.code == .derivedAttribute)
    #expect(throws: ContextError.self) { try context.batchUpdate(FetchRequest("Shelf"), set: ["count": 5]) }
  }

  @Test("of objects in another context turn up there, without a conflict of the two saves")
  func concurrent() async throws {
    let place = try await Shelf(try Self.model(), inMemory: false)
    defer { withExtendedLifetime(place) {} }
    let context = place.container.newContext()
    let shelf = try context.insert("Shelf")
    try context.save()
    let other = place.container.newContext()
    let same = try other.object(with: shelf.objectID)
    #expect(try same.get("count", as: Int.self) == 0)
    for context in [context, other, context] {
      let book = try context.insert("Book")
      try book.setObject(try context.object(with: shelf.objectID), forKey: "shelf")
      try context.save()
    }
    #expect(try shelf.get("count", as: Int.self) == 3)
    other.refreshAllObjects()
    #expect(try same.get("count", as: Int.self) == 3)
  }

  @Test("are read by the next fetch, though the row has the version that is known", arguments: [true, false])
  func fetched(inMemory: Bool) async throws {
    let place = try await Shelf(try Self.model(), inMemory: inMemory)
    defer { withExtendedLifetime(place) {} }
    let context = place.container.newContext()
    let shelf = try context.insert("Shelf")
    try context.save()
    let other = place.container.newContext()
    let same = try other.object(with: shelf.objectID)
    #expect(try same.get("count", as: Int.self) == 0)
    try context.insert("Book").setObject(shelf, forKey: "shelf")
    try context.save()
    _ = try other.fetch(FetchRequest("Shelf"))
    #expect(try same.get("count", as: Int.self) == 1)
  }
}
