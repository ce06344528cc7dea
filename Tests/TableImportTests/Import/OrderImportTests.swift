import Foundation
import Strongroom
import Synchronization
import TableImport
import Testing

@Suite("Ordered relationships of an imported store")
struct OrderImportTests {
  /// The model of files, with some to-manys ordered: `Entity.name`.
  private func model(_ files: [URL], ordered: Set<String>) throws -> ManagedObjectModel {
    var declaration = try TableSource(files).model.declaration
    var count = 0
    for entity in declaration.entities.indices {
      for place in declaration.entities[entity].relationships.indices {
        let name = declaration.entities[entity].relationships[place].name
        guard ordered.contains("\(declaration.entities[entity].name).\(name)") else { continue }
        declaration.entities[entity].relationships[place].isOrdered = true
        count += 1
      }
    }
    #expect(count == ordered.count)
    return try ManagedObjectModel(declaration)
  }

  private func destinations(
    _ context: ManagedObjectContext, _ entity: String, _ number: Int64, _ name: String
  ) throws -> [Int64] {
    let object = try #require(
      try context.fetch(FetchRequest(entity)).first { $0.objectID.reference == number })
    return try object.objects(name).map(\.objectID.reference)
  }

  @Test("a to-many whose inverse is a to-one has the rows that refer to its object, in their order")
  func oneToMany() async throws {
    let place = try Place()
    let files = [
      try place.write("things.csv", "id\n1\n2\n3\n"),
      // The fourth row repeats a name, and the sixth refers to nothing.
      try place.write(
        "parts.csv",
        "id,name,thing_id\n13,c,1\n11,a,2\n12,b,1\n15,a,1\n10,e,1\n16,f,\n14,d,2\n"),
    ]
    var declaration = try model(files, ordered: ["Thing.parts"]).declaration
    let part = try #require(declaration.entities.firstIndex { $0.name == "Part" })
    declaration.entities[part].uniquenessConstraints.append(UniquenessConstraint("name"))
    let model = try ManagedObjectModel(declaration)
    let faults = Mutex<[TableImportFault]>([])
    let summary = try await TableSource(files, model: model).importStore(into: place.description) {
      fault in faults.withLock { $0.append(fault) }
    }
    #expect(faults.withLock { $0 }.map(\.kind) == [.notUnique] && summary.objects == ["Thing": 3, "Part": 6])
    let container = try await place.open()
    let context = container.newContext()
    #expect(try destinations(context, "Thing", 1, "parts") == [1, 3, 5])
    #expect(try destinations(context, "Thing", 2, "parts") == [2, 7])
    #expect(try destinations(context, "Thing", 3, "parts").isEmpty)
    // A new one comes last.
    let new = try context.insert("Part")
    try new.set("id", 17)
    let thing = try #require(try context.fetch(FetchRequest("Thing")).first { $0.objectID.reference == 1 })
    try new.setObject(thing, forKey: "thing")
    try context.save()
    #expect(try thing.objects("parts").map(\.objectID.reference) == [1, 3, 5, new.objectID.reference])
    try container.close()
    #expect(try await SQLCipherStore.verify(place.description).isEmpty)
  }

  @Test(
    "a many-to-many has the order of its table's rows on each side that is ordered",
    arguments: [["Author.shops"], ["Shop.authors"], ["Author.shops", "Shop.authors"]] as [Set<String>])
  func manyToMany(ordered: Set<String>) async throws {
    let place = try Place()
    let files = [
      try place.write("authors.csv", "id,name\n1,Anna\n2,Ben\n"),
      try place.write("shops.csv", "id,name\n1,Here\n2,There\n3,Nowhere\n"),
      try place.write("authors_shops.csv", "author_id,shop_id\n1,2\n2,1\n1,1\n2,2\n1,3\n1,2\n"),
    ]
    let source = try TableSource(files, model: try model(files, ordered: ordered))
    let summary = try await source.importStore(into: place.description)
    #expect(summary.linkCount == 5 && summary.faults == [.repeatedLink: 1])
    let container = try await place.open()
    let context = container.newContext()
    func expect(_ entity: String, _ number: Int64, _ name: String, _ wanted: [Int64]) throws {
      let found = try destinations(context, entity, number, name)
      let isOrdered = ordered.contains("\(entity).\(name)")
      #expect(isOrdered ? found == wanted : found.sorted() == wanted.sorted())
    }
    try expect("Author", 1, "shops", [2, 1, 3])
    try expect("Author", 2, "shops", [1, 2])
    try expect("Shop", 1, "authors", [2, 1])
    try expect("Shop", 2, "authors", [1, 2])
    try expect("Shop", 3, "authors", [1])
    try container.close()
    #expect(try await SQLCipherStore.verify(place.description).isEmpty)
  }

  @Test(
    "of a database is in the order of its row numbers",
    arguments: [
      ["Author.books", "Author.children", "Country.authors", "Order.lines"], ["Book.tags"], ["Tag.books"],
      ["Book.tags", "Tag.books"],
    ] as [Set<String>])
  func database(ordered: Set<String>) async throws {
    let place = try Place()
    let file = try place.database()
    let source = try TableSource([file], model: try model([file], ordered: ordered))
    let summary = try await source.importStore(into: place.description)
    #expect(summary.faultCount == 5 && summary.linkCount == 12)
    let container = try await place.open()
    let context = container.newContext()
    #expect(try destinations(context, "Author", 1, "books") == [1, 2])
    #expect(try destinations(context, "Author", 2, "children") == [7])
    #expect(try destinations(context, "Order", 1, "lines") == [1, 2])
    #expect(try destinations(context, "Book", 1, "tags").sorted() == [1, 2])
    #expect(try destinations(context, "Tag", 2, "books").sorted() == [1, 2])
    try container.close()
    let issues = try await SQLCipherStore.verify(place.description)
    #expect(issues.allSatisfy { $0.kind == .missingValue }, "\(issues)")
  }

  @Test("of an abstract entity lead to and from the one that inherits from it")
  func inherited() async throws {
    let place = try Place()
    let files = [
      try place.write("books.csv", "id,name\n1,One\n2,Two\n"), try place.write("tags.csv", "id\n1\n2\n"),
      try place.write("parts.csv", "id,item_id\n1,2\n2,1\n3,2\n"),
      try place.write("item_tags.csv", "item_id,tag_id\n1,2\n1,1\n"),
    ]
    func toMany(_ name: String, _ entity: String, _ inverse: String, _ marks: [String: String] = [:])
      -> Relationship
    {
      var relationship = Relationship(name, toMany: entity, inverse: inverse, ordered: true)
      relationship.userInfo = marks
      return relationship
    }
    let links = ["joinTable": "item_tags", "key": "id"]
    var toOne = Relationship("item", to: "Item", inverse: "parts")
    toOne.userInfo = ["foreignKey": "item_id", "key": "id"]
    let model = try ManagedObjectModel {
      Entity("Item", abstract: true) {
        Attribute("id", .integer64)
        toMany("parts", "Part", "item")
        toMany("tags", "Tag", "items", links.merging(["foreignKey": "tag_id"]) { $1 })
      }
      Entity("Book", parent: "Item") { Attribute("name", .string) }
      Entity("Part") {
        Attribute("id", .integer64)
        toOne
      }
      Entity("Tag") {
        Attribute("id", .integer64)
        toMany("items", "Item", "tags", links.merging(["foreignKey": "item_id"]) { $1 })
      }
    }
    let summary = try await TableSource(files, model: model).importStore(into: place.description)
    #expect(summary.faultCount == 0 && summary.linkCount == 5)
    let container = try await place.open()
    let context = container.newContext()
    #expect(try destinations(context, "Book", 2, "parts") == [1, 3])
    #expect(try destinations(context, "Book", 1, "tags") == [2, 1])
    #expect(try destinations(context, "Tag", 1, "items") == [1])
    try container.close()
    #expect(try await SQLCipherStore.verify(place.description).isEmpty)
  }

  @Test("a many-to-many that is its own inverse is refused, since rows lead one way")
  func reflexive() throws {
    let place = try Place()
    let files = [
      try place.write("people.csv", "id,name\n1,Anna\n2,Ben\n"),
      try place.write("friends.csv", "people_id,friend_id\n1,2\n"),
    ]
    var people = Entity("People") {
      Attribute("id", .integer64)
      Relationship("friends", toMany: "People", inverse: "friends")
    }
    people.userInfo["table"] = "people"
    people.relationships[0].userInfo = ["joinTable": "friends", "foreignKey": "friend_id", "key": "id"]
    let model = try ManagedObjectModel(ModelDeclaration(entities: [people]))
    #expect { try TableSource(files, model: model) } throws: {
      ($0 as? TableImportError)?.code == .wrongModel
    }
  }
}
