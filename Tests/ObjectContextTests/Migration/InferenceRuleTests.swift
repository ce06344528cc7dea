import Foundation
import MigrationPlace
import Strongroom
import Testing

/// Each change that Core Data infers, as Apple lists them in "Using Lightweight Migration" and in
/// "Core Data Model Versioning and Data Migration Programming Guide".
@Suite("What Core Data infers is inferred")
struct InferenceRuleTests {
  /// A book with an author and two tags, a novel, and a shelf without books.
  private static func first() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Author") {
        Attribute("name", .string)
        Relationship("books", toMany: "Book", inverse: "author")
      }
      Entity("Book") {
        Attribute("title", .string, optional: false, default: "untitled")
        Attribute("pages", .integer32)
        Relationship("author", to: "Author", inverse: "books")
        Relationship("tags", toMany: "Tag", inverse: "books")
        Relationship("shelf", to: "Shelf")
      }
      Entity("Novel", parent: "Book") { Attribute("genre", .string) }
      Entity("Shelf") { Attribute("place", .string) }
      Entity("Tag") {
        Attribute("word", .string)
        Relationship("books", toMany: "Book", inverse: "tags")
      }
    }
  }

  private func fill(_ place: MigrationPlace) async throws {
    try await place.with(Self.first()) { context in
      let author = try context.insert("Author")
      try author.set("name", "Ada")
      let shelf = try context.insert("Shelf")
      try shelf.set("place", "left")
      let tags = try ["a", "b"].map { word in
        let tag = try context.insert("Tag")
        try tag.set("word", word)
        return tag
      }
      for (kind, title) in [("Book", "one"), ("Novel", "two")] {
        let book = try context.insert(kind)
        try book.set("title", title)
        if kind == "Novel" { try book.set("genre", "crime") }
        if kind == "Book" { try book.set("pages", 10) }
        try book.setObject(author, forKey: "author")
        try book.setObject(shelf, forKey: "shelf")
        try book.setObjects(tags, forKey: "tags")
      }
      try context.save()
    }
  }

  /// Changes the first model's entities.
  private static func changed(_ change: (inout [String: Entity]) -> Void) throws -> ManagedObjectModel {
    var entities = Dictionary(uniqueKeysWithValues: try first().declaration.entities.map { ($0.name, $0) })
    change(&entities)
    return try ManagedObjectModel(ModelDeclaration(entities: entities.values.sorted { $0.name < $1.name }))
  }

  /// Migrates to a changed model and hands out its books by title, or all of an entity.
  private func migrate(
    _ kind: MigrationPlace.Kind, isLossy: Bool = false, _ change: (inout [String: Entity]) -> Void,
    check: (ManagedObjectContext) throws -> Void
  ) async throws {
    let place = try MigrationPlace(kind)
    try await fill(place)
    let model = try Self.changed(change)
    let forecast = try await place.forecast(model)
    #expect(forecast.issues.isEmpty, "\(forecast.issues)")
    #expect(forecast.isLossy == isLossy)
    try await place.with(model) { try check($0) }
    #expect(try place.hasCopy() == isLossy)
    #expect(try await place.problems().isEmpty)
  }

  private func all(_ context: ManagedObjectContext, _ entity: String, by name: String) throws
    -> [ManagedObject]
  {
    try context.fetch(FetchRequest(entity, sortDescriptors: [FetchSortDescriptor(name)]))
  }

  @Test("an attribute is added, and one is removed", arguments: MigrationPlace.Kind.all)
  func attributes(kind: MigrationPlace.Kind) async throws {
    try await migrate(kind) {
      $0["Book"]?.attributes.append(Attribute("year", .integer16, default: 1900))
    } check: {
      let found = try all($0, "Book", by: "title")
      #expect(try found.map { try $0.get("year", as: Int.self) } == [1900, 1900])
    }
    try await migrate(kind, isLossy: true) {
      $0["Book"]?.attributes.removeAll { $0.name == "pages" }
    } check: {
      let found = try all($0, "Book", by: "title")
      #expect(found.count == 2)
    }
  }

  @Test(
    "an optional attribute becomes required with a default, and a required one optional",
    arguments: MigrationPlace.Kind.all)
  func optionality(kind: MigrationPlace.Kind) async throws {
    try await migrate(kind) {
      $0["Book"]?.attributes[1].isOptional = false
      $0["Book"]?.attributes[1].defaultValue = .integer(1)
    } check: {
      let found = try all($0, "Book", by: "title")
      #expect(try found.map { try $0.get("pages", as: Int.self) } == [10, 1])
    }
    try await migrate(kind) {
      $0["Book"]?.attributes[0].isOptional = true
    } check: {
      let found = try all($0, "Book", by: "title")
      #expect(try found.map { try $0.get("title", as: String.self) } == ["one", "two"])
    }
  }

  @Test(
    "entities, attributes and relationships are renamed by their identifiers",
    arguments: MigrationPlace.Kind.all)
  func renamed(kind: MigrationPlace.Kind) async throws {
    try await migrate(kind) { entities in
      entities["Author"]?.name = "Writer"
      entities["Author"]?.renamingIdentifier = "Author"
      entities["Book"]?.attributes[0].name = "heading"
      entities["Book"]?.attributes[0].renamingIdentifier = "title"
      entities["Book"]?.relationships[0].destinationEntityName = "Writer"
      entities["Book"]?.relationships[0].name = "writer"
      entities["Book"]?.relationships[0].renamingIdentifier = "author"
      entities["Author"]?.relationships[0].inverseName = "writer"
    } check: {
      let books = try all($0, "Book", by: "heading")
      #expect(try books.map { try $0.get("heading", as: String.self) } == ["one", "two"])
      #expect(try books.map { try $0.object("writer")?.get("name", as: String.self) } == ["Ada", "Ada"])
    }
  }

  @Test(
    "a renaming identifier that stays the same reaches over versions that were skipped",
    arguments: MigrationPlace.Kind.all)
  func canonicalIdentifiers(kind: MigrationPlace.Kind) async throws {
    func model(_ name: String) throws -> ManagedObjectModel {
      try Self.changed {
        $0["Book"]?.attributes[0].name = name
        $0["Book"]?.attributes[0].renamingIdentifier = "title"
      }
    }
    for names in [["heading"], ["label"], ["heading", "label"], ["label", "heading", "label"]] {
      let place = try MigrationPlace(kind)
      try await fill(place)
      for name in names {
        try await place.with(model(name)) { context in
          let titles = try all(context, "Book", by: name).map { try $0.get(name, as: String.self) }
          #expect(titles == ["one", "two"])
        }
      }
      #expect(try !place.hasCopy())
    }
  }

  @Test("entities and relationships are added and removed", arguments: MigrationPlace.Kind.all)
  func entities(kind: MigrationPlace.Kind) async throws {
    try await migrate(kind) { entities in
      entities["Loan"] = Entity("Loan") { Relationship("book", to: "Book", inverse: "loans") }
      entities["Book"]?.relationships.append(Relationship("loans", toMany: "Loan", inverse: "book"))
    } check: {
      let loan = try $0.insert("Loan")
      try loan.setObject(try all($0, "Book", by: "title")[1], forKey: "book")
      try $0.save()
      let found = try all($0, "Book", by: "title")
      #expect(try found.map { try $0.objects("loans").count } == [0, 1])
    }
    try await migrate(kind, isLossy: true) { entities in
      entities["Shelf"] = nil
      entities["Book"]?.relationships.removeAll { $0.name == "shelf" }
    } check: {
      let found = try all($0, "Book", by: "title")
      #expect(try found.map { try $0.objects("tags").count } == [2, 2])
    }
  }

  @Test(
    "a to-one becomes a to-many, also with a to-one inverse where no two objects share it",
    arguments: MigrationPlace.Kind.all)
  func toMany(kind: MigrationPlace.Kind) async throws {
    try await migrate(kind) { entities in
      entities["Book"]?.relationships[2] = Relationship("shelf", toMany: "Shelf")
    } check: {
      let books = try all($0, "Book", by: "title")
      #expect(
        try books.map { try $0.objects("shelf").map { try $0.get("place", as: String.self) } } == [
          ["left"], ["left"],
        ])
    }
    // Both books share the shelf, which has room for one of them now.
    try await migrate(kind, isLossy: true) { entities in
      entities["Book"]?.relationships[2] = Relationship("shelf", toMany: "Shelf", inverse: "book")
      entities["Shelf"]?.relationships.append(Relationship("book", to: "Book", inverse: "shelf"))
    } check: {
      let found = try all($0, "Book", by: "title")
      #expect(try found.map { try $0.objects("shelf").count } == [1, 0])
    }
  }

  @Test("a to-many gets an order and loses it", arguments: MigrationPlace.Kind.all)
  func order(kind: MigrationPlace.Kind) async throws {
    let place = try MigrationPlace(kind)
    try await fill(place)
    for ordered in [true, false] {
      let model = try Self.changed {
        $0["Book"]?.relationships[1].isOrdered = ordered
        // Another version than the first, to which no program may go back with a loss.
        if !ordered { $0["Book"]?.attributes.append(Attribute("isRead", .boolean)) }
      }
      let forecast = try await place.forecast(model)
      #expect(forecast.issues.isEmpty && forecast.droppedOrderCount == (ordered ? 0 : 2))
      try await place.with(model) {
        for book in try all($0, "Book", by: "title") {
          #expect(
            try book.objects("tags").map { try $0.get("word", as: String.self) ?? "" }.sorted() == ["a", "b"])
        }
      }
    }
    #expect(try place.hasCopy(), "of the order")
    #expect(try await place.problems().isEmpty)
  }

  @Test(
    "a superentity is added and removed, and properties move up and down", arguments: MigrationPlace.Kind.all)
  func hierarchies(kind: MigrationPlace.Kind) async throws {
    try await migrate(kind) { entities in
      entities["Item"] = Entity("Item", abstract: true) { Attribute("title", .string) }
      entities["Book"]?.superentityName = "Item"
      entities["Book"]?.attributes.removeFirst()
      entities["Novel"]?.attributes.removeAll()
      entities["Book"]?.attributes.append(Attribute("genre", .string))
    } check: {
      let books = try all($0, "Item", by: "title")
      #expect(try books.map { try $0.get("title", as: String.self) } == ["one", "two"])
      #expect(try books.map { try $0.get("genre", as: String.self) } == [nil, "crime"])
      #expect(try books.map { try $0.objects("tags").count } == [2, 2])
    }
    // The page count of the plain book has no place any more.
    try await migrate(kind, isLossy: true) { entities in
      entities["Book"]?.attributes.removeAll { $0.name == "pages" }
      entities["Novel"]?.attributes.append(Attribute("pages", .integer32))
    } check: {
      let found = try all($0, "Novel", by: "title")
      #expect(try found.map { try $0.get("pages", as: Int.self) } == [nil])
    }
    // Tags move to the subentity: those of the plain book are dropped.
    try await migrate(kind, isLossy: true) { entities in
      if let tags = entities["Book"]?.relationships.remove(at: 1) {
        entities["Novel"]?.relationships.append(tags)
      }
      entities["Tag"]?.relationships[0].destinationEntityName = "Novel"
    } check: {
      let found = try all($0, "Tag", by: "word")
      #expect(try found.map { try $0.objects("books").count } == [1, 1])
    }
  }

  @Test(
    "an entity leaves its hierarchy with its objects, and two hierarchies are not merged",
    arguments: MigrationPlace.Kind.all)
  func apart(kind: MigrationPlace.Kind) async throws {
    try await migrate(kind, isLossy: true) { entities in
      entities["Novel"]?.superentityName = nil
      entities["Novel"]?.attributes += [Attribute("title", .string)]
    } check: {
      let found = try all($0, "Novel", by: "title")
      #expect(try found.map { try $0.get("title", as: String.self) } == ["two"])
      let books = try all($0, "Book", by: "title")
      #expect(try books.map { try $0.get("title", as: String.self) } == ["one"])
    }
    let place = try MigrationPlace(kind)
    try await fill(place)
    let merged = try Self.changed { $0["Shelf"]?.superentityName = "Tag" }
    let issues = try await place.forecast(merged).issues
    #expect(issues.map(\.kind) == [.mergedHierarchies])
    #expect(issues.first?.message == "Tag would hold the objects of Shelf and Tag, which were apart")
    #expect(try await place.refusal(merged)?.code == .modelMismatch)
    let converted = try Self.changed {
      $0["Shelf"]?.superentityName = "Tag"
      $0["Author"]?.attributes[0] = Attribute("name", .date)
    }
    let counts = try await place.forecast(converted).issues.map(\.objectCount)
    #expect(counts == [0, 1], "what else is impossible is counted all the same")
  }
}
