import Foundation
import MigrationPlace
import Strongroom
import Testing

@Suite("A store that is newer than the program opens for reading on request")
struct NewerStoreTests {
  private static func old() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Book") {
        UniquenessConstraint("isbn")
        Attribute("title", .string)
        Attribute("isbn", .string)
        Attribute("pages", .integer32)
        FetchIndex.fullText("titles", on: "title")
        Relationship("author", to: "Author", inverse: "books")
      }
      Entity("Author") {
        Attribute("name", .string)
        Relationship("books", toMany: "Book", inverse: "author")
      }
    }
  }

  private enum Change { case none, type, removed, renamed, required, subentity }

  /// Adds attributes, relationships and an entity, and changes something that is there.
  private static func new(_ change: Change = .none) throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Book") {
        UniquenessConstraint("isbn")
        if change == .renamed {
          Attribute("name", .string, renamingIdentifier: "title")
          FetchIndex.fullText("titles", on: "name")
        } else {
          Attribute("title", .string)
          FetchIndex.fullText("titles", on: "title")
        }
        Attribute("isbn", .string)
        if change != .removed { Attribute("pages", change == .type ? .integer64 : .integer32) }
        Attribute("rating", .integer16, optional: false, default: .integer(3))
        Relationship("author", to: "Author", inverse: "books")
        Relationship("tags", toMany: "Tag", inverse: "books")
      }
      if change == .subentity { Entity("Atlas", parent: "Book") { Attribute("maps", .integer16) } }
      Entity("Author") {
        Attribute("name", .string)
        Relationship("books", toMany: "Book", inverse: "author")
      }
      Entity("Tag") {
        Attribute("name", .string)
        Relationship("books", toMany: "Book", inverse: "tags")
      }
    }
  }

  private static func filled(_ model: ManagedObjectModel) async throws -> MigrationPlace {
    let place = try MigrationPlace()
    try await place.with(old()) { context in
      let author = try context.insert("Author")
      try author.set("name", "A")
      for index in 0..<10 {
        let book = try context.insert("Book")
        try book.set("title", "title \(index)")
        try book.set("isbn", "\(index)")
        try book.set("pages", index)
        try book.setObject(author, forKey: "author")
      }
      try context.save()
    }
    try await place.with(model) { context in
      let tag = try context.insert("Tag")
      try tag.setObjects(try context.fetch(FetchRequest("Book")), forKey: "books")
      try context.save()
    }
    return place
  }

  private static func request(_ description: inout PersistentStoreDescription) {
    description.opensNewerStoreReadOnly = true
  }

  @Test("everything is read, nothing is written, and the file does not change")
  func read() async throws {
    let place = try await Self.filled(Self.new())
    let before = try place.bytes()
    let refusal = try await place.refusal(Self.old())
    #expect(refusal?.code == .modelMismatch)
    try await place.with(Self.old(), Self.request) { context in
      let store = try #require(try context.persistentStoreCoordinator.persistentStore as? SQLCipherStore)
      #expect(store.isReadOnly)
      #expect(try context.count(for: FetchRequest("Book")) == 10)
      let found = try context.fetch(FetchRequest("Book", where: FetchPredicate(format: "title SEARCH '7'")))
      let pages = try found.map { try $0.get("pages", as: Int.self) }
      #expect(pages == [7])
      let author = try #require(try context.fetch(FetchRequest("Author")).first)
      #expect(try author.objects("books").count == 10)
      let book = try context.insert("Book")
      try book.set("isbn", "new")
      do {
        try context.save()
        Issue.record("a newer store was written to")
      } catch let error as StoreError { #expect(error.code == .readOnly) }
      #expect(throws: StoreError.self) { try context.batchDelete(FetchRequest("Book")) }
    }
    #expect(try place.bytes() == before)
    // The newer program opens it as before, also beside the older one.
    let reader = try place.container(Self.old(), Self.request)
    try await reader.loadPersistentStores()
    try await place.with(Self.new()) { context in
      try context.insert("Book").set("isbn", "11")
      try context.save()
    }
    #expect(try reader.newContext().count(for: FetchRequest("Book")) == 11)
    try reader.close()
  }

  @Test("what the program's model lacks in the store is said")
  func refused() async throws {
    let cases: [(Change, String)] = [
      (.type, "Book.pages is integer64 in the store and integer32 here"),
      (.removed, "Book.pages is not in the store"), (.renamed, "Book.title is not in the store"),
      (.subentity, "Book has the subentity Atlas"),
    ]
    for (change, message) in cases {
      let place = try await Self.filled(Self.new(change))
      let before = try place.bytes()
      let error = try await place.refusal(Self.old(), Self.request)
      #expect(error?.code == .modelMismatch)
      #expect(error?.message.contains(message) == true, "\(error?.message ?? "opened")")
      #expect(try place.bytes() == before)
    }
  }

  @Test("an older store is migrated, and one of the program's version is written to")
  func notNewer() async throws {
    let place = try MigrationPlace()
    try await place.with(Self.old()) { _ in }
    try await place.with(Self.new(), Self.request) { context in
      try context.insert("Tag").set("name", "x")
      try context.save()
    }
    try await place.with(Self.new(), Self.request) { context in
      let count = try context.count(for: FetchRequest("Tag"))
      #expect(count == 1)
    }
  }

  @Test("a store that was made with a newer version of the stages, and one that may not be migrated")
  func made() async throws {
    let place = try MigrationPlace()
    try await place.with(Self.new()) {
      try $0.insert("Book").set("isbn", "1"); try $0.save()
    }
    let stages = StagedMigrationManager([
      LightweightMigrationStage([
        ManagedObjectModelReference(model: try Self.old()),
        ManagedObjectModelReference(model: try Self.new()),
      ])
    ])
    let refusal = try await place.refusal(Self.old()) { $0.stagedMigrationManager = stages }
    #expect(refusal?.code == .newerModelVersion)
    try await place.with(
      Self.old(),
      {
        Self.request(&$0)
        $0.stagedMigrationManager = stages
      }
    ) { context in
      let count = try context.count(for: FetchRequest("Book"))
      #expect(count == 1)
    }
    try await place.with(
      Self.old(),
      {
        Self.request(&$0)
        $0.shouldMigrateStoreAutomatically = false
      }
    ) { context in
      let count = try context.count(for: FetchRequest("Book"))
      #expect(count == 1)
    }
  }
}
