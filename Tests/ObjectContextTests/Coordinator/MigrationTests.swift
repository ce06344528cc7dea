import Foundation
import Strongroom
import Testing

/// Rules of Core Data's lightweight migration (Core Data Model Versioning and Data Migration
/// Programming Guide).
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
      let container = PersistentContainer(managedObjectModel: model, description: description)
      try await container.loadPersistentStores()
      return container
    }

    var files: [String] {
      get throws {
        try FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path).sorted()
      }
    }
  }

  private static func renamed(_ relationship: Relationship, _ old: String)
    -> Relationship
  {
    var relationship = relationship
    relationship.renamingIdentifier = old
    return relationship
  }

  private static func tagCount() -> Attribute {
    var attribute = Attribute("tagCount", .integer64)
    attribute.derivationExpression = "tags.@count"
    return attribute
  }

  private static func first() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Author") {
        Attribute("name", .string, optional: false)
        Attribute("born", .integer16)
        Relationship("books", toMany: "Book", inverse: "author")
        Relationship("friends", toMany: "Author")
      }
      Entity("Book") {
        Attribute("title", .string)
        Attribute("pages", .integer32)
        Attribute("cover", .binary)
        Relationship("author", to: "Author", inverse: "books")
        Relationship("tags", toMany: "Tag", inverse: "books", ordered: true)
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

  /// Three authors with two books each, one of them a novel, with tags in an order that is not that
  /// of their making.
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
        try book.setObject(author, forKey: "author")
        try book.setObjects([tags[1], tags[0], tags[2]], forKey: "tags")
        try book.setObject(shelf, forKey: "shelf")
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
      Entity("Writer", renamingIdentifier: "Author") {
        Attribute("fullName", .string, optional: false, renamingIdentifier: "name")
        Attribute("born", .integer64)
        Attribute("country", .string, optional: false, default: "unknown")
        Relationship("books", toMany: "Book", inverse: "author", ordered: true)
        Relationship("friends", toMany: "Writer", inverse: "friendOf")
        Relationship("friendOf", toMany: "Writer", inverse: "friends")
      }
      // A superentity that was not there.
      Entity("Item") { Attribute("title", .string) }
      Entity("Book", parent: "Item") {
        Attribute("pages", .integer32, optional: false, default: 1)
        Attribute("cover", .binary)
        Self.tagCount()
        Relationship("author", to: "Writer", inverse: "books")
        Relationship("tags", toMany: "Tag", inverse: "books", ordered: true)
        // One shelf became any number.
        Self.renamed(Relationship("shelves", toMany: "Shelf"), "shelf")
      }
      Entity("Novel", parent: "Book") { Attribute("genre", .string) }
      Entity("Shelf") { Attribute("place", .string) }
      Entity("Tag") {
        Attribute("word", .string)
        Relationship("books", toMany: "Book", inverse: "tags")
      }
      Entity("Loan") { Relationship("book", to: "Book") }
    }
    container = try await place.open(second)
    let context = container.newContext()
    let writers = try context.fetch(
      FetchRequest("Writer", sortDescriptors: [FetchSortDescriptor("fullName")]))
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
    try loan.setObject(try writers[0].objects("books").first, forKey: "book")
    let new = try context.insert("Writer")
    try new.set("fullName", "new")
    try context.save()
    #expect(!ids.map(\.reference).contains(new.objectID.reference))
    try container.close()
    let findings = try await SQLCipherStore.verify(
      PersistentStoreDescription(url: place.url, vault: place.vault))
    #expect(findings.isEmpty, "\(findings)")
  }

  @Test("dropped data stays in a copy beside the store, which opens with the old model")
  func losing() async throws {
    let place = try Place()
    var container = try await place.open(Self.first())
    _ = try fill(container)
    try container.close()
    let second = try ManagedObjectModel {
      Entity("Author") { Attribute("name", .string, optional: false) }
      Entity("Tag") { Attribute("word", .string) }
    }
    container = try await place.open(second)
    let context = container.newContext()
    #expect(try context.count(for: FetchRequest("Author")) == 3)
    #expect(try context.count(for: FetchRequest("Tag")) == 3)
    try container.close()
    #expect(try place.files.contains("library.strongroom.before-migration"))
    let copy = place.url.deletingLastPathComponent().appendingPathComponent(
      "library.strongroom.before-migration")
    let old = PersistentContainer(
      name: "old", managedObjectModel: try Self.first(), url: copy, vault: place.vault)
    try await old.loadPersistentStores()
    #expect(try old.newContext().count(for: FetchRequest("Book")) == 6)
    try old.close()
  }

  @Test(
    "what cannot be inferred is an error with each reason in words, and nothing is changed",
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
      Entity("Author", abstract: reason == "abstract") {
        Attribute("name", reason == "type" ? .date : .string, optional: false)
        Attribute("born", .integer16, optional: reason != "required")
        Relationship("books", toMany: "Book", inverse: "author")
        if reason == "to-one" {
          Relationship("friends", to: "Author")
        } else {
          Relationship("friends", toMany: "Author")
        }
        if reason == "required" { Attribute("country", .string, optional: false) }
      }
      Entity("Book") {
        if reason == "unique" { UniquenessConstraint("pages") }
        Attribute("title", .string)
        Attribute("pages", .integer32)
        Relationship("author", to: "Author", inverse: "books")
      }
      if reason == "unique" { Entity("Novel", parent: "Book") }
      Entity("Tag", parent: reason == "apart" ? "Author" : nil) {
        Attribute("word", .string)
      }
      if reason == "in use" || reason == "off" {
        Entity("New") { Attribute("a", .string) }
      }
    }
    let foreign = try ManagedObjectModel { Entity("Other") { Attribute("a", .string) } }
    do {
      let other = try await place.open(reason == "foreign" ? foreign : model, automatically: reason != "off")
      Issue.record("it opened")
      try other.close()
    } catch let error as StoreError {
      #expect(error.code == (reason == "in use" ? .busy : .modelMismatch), "\(error)")
      let words = [
        "type": "Author.name was string and is date", "required": "Author.country is required",
        "unique": "the same values", "abstract": "Author is abstract and has objects",
        "to-one": "Author.friends was to-many", "foreign": "none of the store's entities",
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
