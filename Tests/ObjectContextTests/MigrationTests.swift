import Foundation
import Strongroom
import Testing

/// Rules of Core Data's lightweight migration (Core Data Model Versioning and Data Migration Programming Guide).
@Suite("A store follows its model where that can be inferred")
struct MigrationTests {
  private struct Place {
    let url: URL
    let vault = InMemoryVault()

    init() throws {
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      url = folder.appendingPathComponent("library.strongroom")
    }

    func open(_ model: ManagedObjectModel, automatically: Bool = true) async throws -> PersistentContainer {
      var description = PersistentStoreDescription(url: url, vault: vault)
      description.shouldMigrateStoreAutomatically = automatically
      description.busyTimeoutMilliseconds = 100
      let container = PersistentContainer(model: model, description: description)
      try await container.load()
      return container
    }

    var files: [String] {
      get throws {
        try FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path).sorted()
      }
    }
  }

  private static func renamed(_ relationship: RelationshipDescription, _ old: String)
    -> RelationshipDescription
  {
    var relationship = relationship
    relationship.renamingIdentifier = old
    return relationship
  }

  private static func tagCount() -> AttributeDescription {
    var attribute = AttributeDescription("tagCount", .integer64)
    attribute.derivationExpression = "tags.@count"
    return attribute
  }

  private static func first() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      EntityDescription("Author") {
        AttributeDescription("name", .string, optional: false)
        AttributeDescription("born", .integer16)
        RelationshipDescription("books", toMany: "Book", inverse: "author")
        RelationshipDescription("friends", toMany: "Author")
      }
      EntityDescription("Book") {
        AttributeDescription("title", .string)
        AttributeDescription("pages", .integer32)
        AttributeDescription("cover", .binary)
        RelationshipDescription("author", to: "Author", inverse: "books")
        RelationshipDescription("tags", toMany: "Tag", inverse: "books", ordered: true)
        RelationshipDescription("shelf", to: "Shelf")
      }
      EntityDescription("Novel", parent: "Book") { AttributeDescription("genre", .string) }
      EntityDescription("Shelf") { AttributeDescription("place", .string) }
      EntityDescription("Tag") {
        AttributeDescription("word", .string)
        RelationshipDescription("books", toMany: "Book", inverse: "tags")
      }
    }
  }

  /// Three authors with two books each, one of them a novel, with tags in an order that is not that of their making.
  private func fill(_ container: PersistentContainer) throws -> [ManagedObjectID] {
    let context = container.newContext()
    let tags = try ["b", "a", "c"].map { word in
      let tag = try context.insert("Tag")
      try tag.set("word", word)
      return tag
    }
    let shelf = try context.insert("Shelf")
    try shelf.set("place", "left")
    var authors: [ManagedObject] = []
    for number in 1...3 {
      let author = try context.insert("Author")
      try author.set("name", "author \(number)")
      try author.set("born", 1900 + number)
      for kind in ["Book", "Novel"] {
        let book = try context.insert(kind)
        try book.set("title", "\(kind) \(number)")
        try book.set("pages", 100 * number)
        try book.set("cover", Data(repeating: UInt8(number), count: 200_000))
        try book.setObject(author, for: "author")
        try book.setObjects([tags[1], tags[0], tags[2]], for: "tags")
        try book.setObject(shelf, for: "shelf")
        if kind == "Novel" { try book.set("genre", "crime") }
      }
      authors.append(author)
    }
    try authors[0].add(authors[1], authors[2], to: "friends")
    try context.save()
    return authors.map(\.objectID)
  }

  @Test("what is new, renamed, wider, ordered, turned into a to-many or moved to a superentity comes along")
  func everything() async throws {
    let place = try Place()
    var container = try await place.open(Self.first())
    let ids = try fill(container)
    try container.close()
    let second = try ManagedObjectModel {
      // Renamed, with its to-many ordered now, and an inverse where there was none.
      EntityDescription("Writer", renamingIdentifier: "Author") {
        AttributeDescription("fullName", .string, optional: false, renamingIdentifier: "name")
        AttributeDescription("born", .integer64)
        AttributeDescription("country", .string, optional: false, default: "unknown")
        RelationshipDescription("books", toMany: "Book", inverse: "author", ordered: true)
        RelationshipDescription("friends", toMany: "Writer", inverse: "friendOf")
        RelationshipDescription("friendOf", toMany: "Writer", inverse: "friends")
      }
      // A superentity that was not there.
      EntityDescription("Item") { AttributeDescription("title", .string) }
      EntityDescription("Book", parent: "Item") {
        AttributeDescription("pages", .integer32, optional: false, default: 1)
        AttributeDescription("cover", .binary)
        Self.tagCount()
        RelationshipDescription("author", to: "Writer", inverse: "books")
        RelationshipDescription("tags", toMany: "Tag", inverse: "books", ordered: true)
        // One shelf became any number.
        Self.renamed(RelationshipDescription("shelves", toMany: "Shelf"), "shelf")
      }
      EntityDescription("Novel", parent: "Book") { AttributeDescription("genre", .string) }
      EntityDescription("Shelf") { AttributeDescription("place", .string) }
      EntityDescription("Tag") {
        AttributeDescription("word", .string)
        RelationshipDescription("books", toMany: "Book", inverse: "tags")
      }
      EntityDescription("Loan") { RelationshipDescription("book", to: "Book") }
    }
    container = try await place.open(second)
    let context = container.newContext()
    let writers = try context.fetch(FetchRequest("Writer", sort: [FetchSort("fullName")]))
    #expect(writers.map(\.objectID.reference) == ids.map(\.reference))
    #expect(
      try writers.map { try $0.get("fullName", as: String.self) } == ["author 1", "author 2", "author 3"])
    #expect(try writers.map { try $0.get("born", as: Int.self) } == [1901, 1902, 1903])
    #expect(try writers.map { try $0.get("country", as: String.self) } == ["unknown", "unknown", "unknown"])
    #expect(try writers[0].objects("friends").map(\.objectID).count == 2)
    #expect(try Array(writers[2].objects("friendOf")) == [writers[0]])
    for (number, writer) in writers.enumerated() {
      let books = Array(try writer.objects("books"))
      #expect(books.map(\.entity.name) == ["Book", "Novel"])
      for book in books {
        #expect(try book.get("cover", as: Data.self) == Data(repeating: UInt8(number + 1), count: 200_000))
        #expect(try book.objects("tags").map { try $0.get("word", as: String.self) } == ["a", "b", "c"])
        #expect(try book.objects("shelves").map { try $0.get("place", as: String.self) } == ["left"])
        #expect(try book.get("tagCount", as: Int.self) == 3)
        #expect(try book.object("author") === writer)
      }
      #expect(try books[1].get("genre", as: String.self) == "crime")
    }
    // Nothing was lost, so nothing was kept; a new object gets a number that nothing had.
    #expect(try !place.files.contains { $0.contains("before-migration") })
    let loan = try context.insert("Loan")
    try loan.setObject(try writers[0].objects("books").first, for: "book")
    let new = try context.insert("Writer")
    try new.set("fullName", "new")
    try context.save()
    #expect(!ids.map(\.reference).contains(new.objectID.reference))
    try container.close()
    let findings = try await SQLCipherStore.verify(
      PersistentStoreDescription(url: place.url, vault: place.vault))
    #expect(findings.isEmpty, "\(findings)")
  }

  @Test("what has no place any more is kept in a copy beside the store, which opens with the old model")
  func losing() async throws {
    let place = try Place()
    var container = try await place.open(Self.first())
    _ = try fill(container)
    try container.close()
    let second = try ManagedObjectModel {
      EntityDescription("Author") { AttributeDescription("name", .string, optional: false) }
      EntityDescription("Tag") { AttributeDescription("word", .string) }
    }
    container = try await place.open(second)
    let context = container.newContext()
    #expect(try context.count(for: FetchRequest("Author")) == 3)
    #expect(try context.count(for: FetchRequest("Tag")) == 3)
    try container.close()
    #expect(try place.files.contains("library.strongroom.before-migration"))
    let copy = place.url.deletingLastPathComponent().appendingPathComponent(
      "library.strongroom.before-migration")
    let old = PersistentContainer(name: "old", model: try Self.first(), url: copy, vault: place.vault)
    try await old.load()
    #expect(try old.newContext().count(for: FetchRequest("Book")) == 6)
    try old.close()
  }

  @Test(
    "what cannot be inferred is told, each reason in words, and nothing is changed",
    arguments: [
      "type", "required", "unique", "abstract", "to-one", "foreign", "apart", "off", "in use",
    ])
  func refused(_ reason: String) async throws {
    let place = try Place()
    let container = try await place.open(Self.first())
    _ = try fill(container)
    if reason != "in use" { try container.close() }
    let before = try Data(contentsOf: place.url)
    let model = try ManagedObjectModel {
      EntityDescription("Author", abstract: reason == "abstract") {
        AttributeDescription("name", reason == "type" ? .date : .string, optional: false)
        AttributeDescription("born", .integer16, optional: reason != "required")
        RelationshipDescription("books", toMany: "Book", inverse: "author")
        if reason == "to-one" {
          RelationshipDescription("friends", to: "Author")
        } else {
          RelationshipDescription("friends", toMany: "Author")
        }
        if reason == "required" { AttributeDescription("country", .string, optional: false) }
      }
      EntityDescription("Book") {
        if reason == "unique" { UniquenessConstraint("pages") }
        AttributeDescription("title", .string)
        AttributeDescription("pages", .integer32)
        RelationshipDescription("author", to: "Author", inverse: "books")
      }
      if reason == "unique" { EntityDescription("Novel", parent: "Book") }
      EntityDescription("Tag", parent: reason == "apart" ? "Author" : nil) {
        AttributeDescription("word", .string)
      }
      if reason == "in use" || reason == "off" {
        EntityDescription("New") { AttributeDescription("a", .string) }
      }
    }
    let foreign = try ManagedObjectModel { EntityDescription("Other") { AttributeDescription("a", .string) } }
    do {
      let other = try await place.open(reason == "foreign" ? foreign : model, automatically: reason != "off")
      Issue.record("it opened")
      try other.close()
    } catch let error as StoreError {
      #expect(error.code == (reason == "in use" ? .busy : .modelMismatch), "\(error)")
      let words = [
        "type": "Author.name was string and is date", "required": "Author.country is required",
        "unique": "the same values", "abstract": "Author is abstract and has objects",
        "to-one": "Author.friends led to many", "foreign": "none of the store's entities",
        "apart": "which were apart", "off": "shouldMigrateStoreAutomatically",
      ]
      if let words = words[reason] { #expect(error.message.contains(words), "\(error)") }
    }
    #expect(try Data(contentsOf: place.url) == before)
    if reason == "in use" { try container.close() }
    let again = try await place.open(Self.first())
    #expect(try again.newContext().count(for: FetchRequest("Book")) == 6)
    try again.close()
  }
}
