import Foundation
import MigrationPlace
import Strongroom
import Testing

@Suite("A deferred migration drops nothing when the store is opened")
struct DeferredMigrationTests {
  static let rows = 2000

  static func first() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Book") {
        UniquenessConstraint("isbn")
        Attribute("title", .string)
        FetchIndex.fullText("titles", on: "title")
        Attribute("isbn", .string)
        Attribute("blurb (long), \"old\"", .string, indexed: true)
        Attribute("pages", .integer32)
        Relationship("author", to: "Author", inverse: "books")
        Relationship("tags", toMany: "Tag", inverse: "books", ordered: true)
      }
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

  /// Without the blurb, tags, and with a new attribute.
  static func second() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Book") {
        UniquenessConstraint("isbn")
        Attribute("title", .string)
        FetchIndex.fullText("titles", on: "title")
        Attribute("isbn", .string)
        Attribute("pages", .integer32)
        Attribute("rating", .integer16, optional: false, default: .integer(3))
        Relationship("author", to: "Author", inverse: "books")
      }
      Entity("Author") {
        Attribute("name", .string)
        Relationship("books", toMany: "Book", inverse: "author")
      }
    }
  }

  /// Without pages; the blurb and tags are back, with other contents.
  static func third() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Book") {
        UniquenessConstraint("isbn")
        Attribute("title", .string)
        FetchIndex.fullText("titles", on: "title")
        Attribute("isbn", .string)
        Attribute("rating", .integer16, optional: false, default: .integer(3))
        Attribute("Blurb (LONG), \"old\"", .integer64)
        Relationship("author", to: "Author", inverse: "books")
      }
      Entity("Author") {
        Attribute("name", .string)
        Relationship("books", toMany: "Book", inverse: "author")
      }
      Entity("Tag") { Attribute("label", .string) }
    }
  }

  static func filled() async throws -> MigrationPlace {
    let place = try MigrationPlace()
    try await place.with(first()) { context in
      let author = try context.insert("Author")
      try author.set("name", "A")
      let tag = try context.insert("Tag")
      for index in 0..<rows {
        let book = try context.insert("Book")
        try book.set("title", "title \(index)")
        try book.set("isbn", "\(index)")
        try book.set("blurb (long), \"old\"", "\(index) " + String(repeating: "-", count: 300))
        try book.set("pages", index)
        try book.setObject(author, forKey: "author")
        if index < 100 { try book.setObjects([tag], forKey: "tags") }
      }
      try context.save()
    }
    return place
  }

  private static func isPending(_ context: ManagedObjectContext) throws -> Bool {
    try coordinator(context).hasDeferredLightweightMigration
  }

  private static func coordinator(_ context: ManagedObjectContext) throws -> PersistentStoreCoordinator {
    context.persistentStoreCoordinator
  }

  private static func schema(_ context: ManagedObjectContext) throws -> [String] {
    let store = try coordinator(context).persistentStore
    return try #require(store as? SQLCipherStore).schemaStatements().sorted()
  }

  private static func check(_ context: ManagedObjectContext, count: Int = rows) throws {
    #expect(try context.count(for: FetchRequest("Book")) == count)
    let found = try context.fetch(
      FetchRequest("Book", where: FetchPredicate(format: "title SEARCH '17'")))
    #expect(found.count == 1)
    let author = try #require(try context.fetch(FetchRequest("Author")).first)
    #expect(try author.objects("books").count == count)
  }

  @Test("the columns, join tables and tables wait, few pages are written, and the clean-up removes them")
  func dropped() async throws {
    let place = try await Self.filled()
    let before = try place.bytes()
    try await place.with(Self.second(), { $0.defersLightweightMigration = true }) { context in
      #expect(try Self.isPending(context))
      try Self.check(context)
    }
    #expect(try !place.hasCopy())
    let after = try place.bytes()
    let changed = stride(from: 0, to: before.count, by: 4096).count { start in
      before[start..<start + 4096] != after[start..<min(start + 4096, after.count)]
    }
    // The pages of the dropped index are overwritten.
    #expect(changed * 2 < before.count / 4096, "\(changed) of \(before.count / 4096)")
    let issues = try await SQLCipherStore.verify(place.description)
    #expect(issues.isEmpty, "\(issues)")
    // Opened again, written to, without the option: it stays pending.
    try await place.with(Self.second()) { context in
      let book = try context.insert("Book")
      try book.set("isbn", "new")
      try book.setObject(try context.fetch(FetchRequest("Author")).first, forKey: "author")
      try context.save()
      #expect(try Self.isPending(context))
      try Self.check(context, count: Self.rows + 1)
    }
    try await place.with(Self.second()) { context in
      var pieces = 1
      while try Self.coordinator(context).finishDeferredLightweightMigrationTask() { pieces += 1 }
      // A join table, the table of tags, the table of books, and its former one.
      #expect(pieces == 4)
      #expect(try !Self.isPending(context))
      context.reset()
      try Self.check(context, count: Self.rows + 1)
      let book = try context.insert("Book")
      try book.set("isbn", "new")
      #expect(throws: (any Error).self) { try context.save() }
    }
    #expect(try await SQLCipherStore.verify(place.description).isEmpty)
    let fresh = try MigrationPlace()
    let expected = try await fresh.with(Self.second()) { try Self.schema($0) }
    let schema = try await place.with(Self.second()) { try Self.schema($0) }
    #expect(schema == expected)
  }

  @Test("a second migration before the clean-up of the first", arguments: [true, false])
  func second(isDeferred: Bool) async throws {
    let place = try await Self.filled()
    try await place.with(Self.second(), { $0.defersLightweightMigration = true }) { _ in }
    try await place.with(Self.third(), { $0.defersLightweightMigration = isDeferred }) { context in
      #expect(try Self.isPending(context))
      try Self.check(context)
      // What was left does not come back.
      let blurbs = FetchRequest("Book", where: .compare("Blurb (LONG), \"old\"", .notEqual, .null))
      #expect(try context.count(for: blurbs) == 0)
      #expect(try context.count(for: FetchRequest("Tag")) == 0)
      try context.insert("Tag").set("label", "x")
      try context.save()
      try Self.coordinator(context).finishDeferredLightweightMigration()
      #expect(try !Self.isPending(context))
      context.reset()
      try Self.check(context)
      #expect(try context.count(for: FetchRequest("Tag")) == 1)
    }
    #expect(try await SQLCipherStore.verify(place.description).isEmpty)
    let refusal = try await place.refusal(Self.third())
    #expect(refusal == nil)
  }

  @Test("a loss that is not allowed is refused, and a newer store is not moved back")
  func refused() async throws {
    let place = try await Self.filled()
    let lossy = try await place.refusal(Self.second()) {
      $0.defersLightweightMigration = true
      $0.allowsLossyMigration = false
    }
    #expect(lossy?.code == .lossyMigration)
    try await place.with(Self.second(), { $0.defersLightweightMigration = true }) { context in
      let book = try #require(try context.fetch(FetchRequest("Book", fetchLimit: 1)).first)
      try book.set("rating", 4)
      try context.save()
    }
    let back = try await place.refusal(Self.first()) { $0.defersLightweightMigration = true }
    #expect(back?.code == .modelMismatch)
  }

  @Test("another connection reads and writes between the pieces; a reader may not clean up")
  func shared() async throws {
    let place = try await Self.filled()
    try await place.with(Self.second(), { $0.defersLightweightMigration = true }) { _ in }
    let other = try place.container(Self.second())
    try await other.loadPersistentStores()
    let reader = try place.container(Self.second()) { $0.isReadOnly = true }
    try await reader.loadPersistentStores()
    let context = other.newContext()
    try Self.check(context)
    let pages = FetchPredicate.compare("pages", .greater, .integer(9))
    try await place.with(Self.second()) { cleaning in
      var number = 0
      repeat {
        number += 1
        let author = try context.insert("Author")
        try author.set("name", "B\(number)")
        let book = try context.insert("Book")
        try book.set("title", "other")
        try book.setObject(author, forKey: "author")
        try context.save()
        context.reset()
        #expect(try context.count(for: FetchRequest("Book")) == Self.rows + number)
        #expect(
          try reader.newContext().count(for: FetchRequest("Book", where: pages)) == Self.rows - 10)
        do {
          _ = try reader.persistentStoreCoordinator.finishDeferredLightweightMigrationTask()
          Issue.record("a reader wrote")
        } catch let error as StoreError { #expect(error.code == .readOnly) }
      } while try Self.coordinator(cleaning).finishDeferredLightweightMigrationTask()
      #expect(try !other.persistentStoreCoordinator.hasDeferredLightweightMigration)
      try other.persistentStoreCoordinator.finishDeferredLightweightMigration()
    }
    try other.close()
    try reader.close()
    #expect(try await SQLCipherStore.verify(place.description).isEmpty)
  }
}
