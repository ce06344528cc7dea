import CipherDatabase
import Foundation
import ObjectModel
import ObjectQuery
import SQLCipherStore
import StoreContract
import StoreKeyring
import Testing

@Suite("A store's contents are verified and repaired")
struct VerifyTests {
  private static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Book") {
        Attribute("title", .string, optional: false)
        Attribute("isbn", .string)
        Relationship("author", to: "Author", inverse: "books")
        Relationship("tags", toMany: "Tag", inverse: "books")
        Relationship("chapters", toMany: "Chapter", inverse: "book", ordered: true)
        UniquenessConstraint("isbn")
      }
      Entity("Author") {
        Attribute("name", .string)
        Relationship("books", toMany: "Book", inverse: "author")
        Relationship("spouse", to: "Author", inverse: "spouse")
      }
      Entity("Tag") {
        Attribute("name", .string)
        Relationship("books", toMany: "Book", inverse: "tags")
      }
      Entity("Chapter") { Relationship("book", to: "Book", inverse: "chapters") }
    }
  }

  private struct Shelf {
    let scratch: Scratch
    let vault = InMemoryVault()

    init() throws { scratch = try Scratch() }

    var description: PersistentStoreDescription {
      PersistentStoreDescription(url: scratch.store, vault: vault)
    }

    /// A closed store of three books, two authors who are married, two tags, and four chapters in
    /// order.
    func make() async throws {
      let store = try SQLCipherStore(model: try VerifyTests.model(), description: description)
      try await store.loadMetadata()
      defer { try? store.close() }
      func insert(_ entity: String, _ rows: [[String: AttributeValue]]) throws {
        var rest = rows[...]
        let entity = try #require(store.storeEntities.first { $0.entity.name == entity }?.entity)
        _ = try store.insert(into: entity) { row in
          guard let values = rest.popFirst() else { return false }
          for (name, value) in values { try row.set(name, value) }
          return true
        }
      }
      try insert("Author", [["name": "a"], ["name": "b"]])
      try insert("Tag", [["name": "x"], ["name": "y"]])
      try insert(
        "Book",
        [
          ["title": "one", "isbn": "1", "author": .reference(1)], ["title": "two", "isbn": "2"],
          ["title": "three", "author": .reference(2)],
        ])
      try insert("Chapter", [[:], [:], [:], [:]])
      try await run(
        """
        UPDATE "Author" SET "spouse" = 3 - _id;
        INSERT INTO "Book_tags" (_source, _target) VALUES (1, 1), (1, 2), (2, 2);
        UPDATE "Chapter" SET "book" = 1 WHERE _id < 4;
        INSERT INTO "Book_chapters" (_source, _target, _position) VALUES (1, 1, 0), (1, 2, 1), (1, 3, 2);
        """)
    }

    /// Changes the store past the engine.
    func run(_ sql: String) async throws {
      let identifier = try RotationTests.identifier(scratch.store)
      let key = try #require(try await vault.keys(for: identifier, interaction: .silent).first?.key)
      let connection = try key.withUnsafeBytes { key in
        try withUnsafeBytes(of: identifier.uuid) {
          try Connection(
            path: scratch.store.path, key: CipherKeySpec(key: key, salt: $0), options: ConnectionOptions())
        }
      }
      defer { connection.close() }
      try connection.execute(sql)
    }
  }

  @Test(
    "a store that lacks the numbers of its entities is refused, by verifying as by opening",
    arguments: [
      "{}", "{\"Book\": 1}", "{\"Author\": 1, \"Book\": 1, \"Chapter\": 1, \"Tag\": 1}", "no JSON",
      "{\"Author\": 1, \"Book\": 2, \"Chapter\": 3, \"Tag\": 9223372036854775807}",
      "{\"Author\": 1, \"Book\": 2, \"Chapter\": 3, \"Tag\": -4}", "{\"Author\": \"one\"}",
    ])
  func entityNumbers(numbers: String) async throws {
    let shelf = try Shelf()
    try await shelf.make()
    try await shelf.run("UPDATE _store SET value = '\(numbers)' WHERE key = 'entities'")
    func isRefused(_ body: () async throws -> Void) async throws {
      do {
        try await body()
        Issue.record("it went well")
      } catch let error as StoreError {
        #expect(error.code == .modelMismatch, "\(error)")
      }
    }
    try await isRefused { _ = try await SQLCipherStore.verify(shelf.description) }
    try await isRefused { _ = try await SQLCipherStore.storedModel(shelf.description) }
    try await isRefused {
      try await SQLCipherStore(model: try Self.model(), description: shelf.description).loadMetadata()
    }
    let other = try ManagedObjectModel { Entity("Book") { Attribute("isbn", .string) } }
    try await isRefused {
      try await SQLCipherStore(model: other, description: shelf.description).loadMetadata()
    }
  }

  @Test("a sound store has no findings")
  func sound() async throws {
    let shelf = try Shelf()
    try await shelf.make()
    #expect(try await SQLCipherStore.verify(shelf.description) == [])
    let original = shelf.scratch.folder.appendingPathComponent("original")
    let result = try await SQLCipherStore.repair(shelf.description, keepingOriginalAt: original)
    #expect(result.before.isEmpty && result.after.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: original.path))
  }

  @Test(
    "each fault is found, named by entity and number, and mended where there is one right answer",
    arguments: [
      (
        "UPDATE \"Book\" SET \"author\" = 99 WHERE _id = 1", IntegrityIssue.Kind.danglingReference, "Book", 1,
        true
      ),
      ("INSERT INTO \"Book_tags\" (_source, _target) VALUES (2, 77)", .danglingRelationship, "Book", 2, true),
      ("INSERT INTO \"Book_tags\" (_source, _target) VALUES (88, 1)", .danglingRelationship, "Tag", 1, true),
      ("UPDATE \"Author\" SET \"spouse\" = NULL WHERE _id = 2", .inverseDisagrees, "Author", 1, false),
      ("UPDATE \"Book_chapters\" SET _position = 1 WHERE _target = 3", .brokenOrder, "Book", 1, true),
      ("UPDATE \"Chapter\" SET \"book\" = 2 WHERE _id = 2", .inverseDisagrees, "Book", 1, true),
      ("UPDATE \"Chapter\" SET \"book\" = 1 WHERE _id = 4", .inverseDisagrees, "Chapter", 4, true),
      ("UPDATE \"Tag\" SET _entity = 40 WHERE _id = 2", .unknownEntity, "Tag", 2, false),
      ("UPDATE \"Book\" SET \"title\" = NULL WHERE _id = 3", .missingValue, "Book", 3, false),
      ("UPDATE _sequence SET last = 1", .staleSequence, "Author", 2, true),
    ] as [(String, IntegrityIssue.Kind, String, Int64, Bool)])
  func faults(sql: String, kind: IntegrityIssue.Kind, entity: String, reference: Int64, repairable: Bool)
    async throws
  {
    let shelf = try Shelf()
    try await shelf.make()
    try await shelf.run(sql)
    let findings = try await SQLCipherStore.verify(shelf.description)
    #expect(
      findings.contains {
        $0.kind == kind && $0.entity == entity && $0.reference == reference && $0.isRepairable == repairable
      }, "\(findings)")
    let original = shelf.scratch.folder.appendingPathComponent("original")
    let before = try Data(contentsOf: shelf.scratch.store)
    let result = try await SQLCipherStore.repair(shelf.description, keepingOriginalAt: original)
    #expect(result.before.count == findings.count)
    #expect(result.after.allSatisfy { !$0.isRepairable }, "\(result.after)")
    #expect(try await SQLCipherStore.verify(shelf.description).count == result.after.count)
    if repairable {
      #expect(result.after.isEmpty)
      #expect(try Data(contentsOf: original).prefix(16) == before.prefix(16))
    }
  }

  @Test("a missing unique index, and what it let through")
  func uniqueness() async throws {
    let shelf = try Shelf()
    try await shelf.make()
    try await shelf.run("DROP INDEX \"_Book_unique_isbn\"; UPDATE \"Book\" SET isbn = '1' WHERE _id < 3")
    let kinds = try await SQLCipherStore.verify(shelf.description).map(\.kind)
    #expect(Set(kinds) == [.missingTable, .notUnique])
  }

  @Test("a missing index is made again")
  func index() async throws {
    let shelf = try Shelf()
    try await shelf.make()
    try await shelf.run("DROP INDEX \"_Book_author\"")
    let result = try await SQLCipherStore.repair(
      shelf.description, keepingOriginalAt: shelf.scratch.folder.appendingPathComponent("original"))
    #expect(result.before.map(\.kind) == [.missingTable] && result.after.isEmpty)
  }

  @Test("every damaged page is named, and no repair is tried")
  func pages() async throws {
    let shelf = try Shelf()
    try await shelf.make()
    var data = try Data(contentsOf: shelf.scratch.store)
    for page in [3, 5] { data[page * 4096 + 1000] ^= 1 }
    try data.write(to: shelf.scratch.store)
    let findings = try await SQLCipherStore.verify(shelf.description)
    let pages = findings.filter { $0.kind == .damagedPage }
    #expect(
      pages.map(\.message).joined().contains("page 4 ") && pages.map(\.message).joined().contains("page 6 "))
    #expect(pages.count == 2)
    await #expect {
      try await SQLCipherStore.repair(
        shelf.description, keepingOriginalAt: shelf.scratch.folder.appendingPathComponent("original"))
    } throws: { ($0 as? StoreError)?.code == .fileDamaged }
    #expect(try Data(contentsOf: shelf.scratch.store) == data)
  }

  @Test("pages that were swapped are named")
  func swapped() async throws {
    let shelf = try Shelf()
    try await shelf.make()
    let data = try Data(contentsOf: shelf.scratch.store)
    func page(_ number: Int) -> Data { data.subdata(in: (number - 1) * 4096..<number * 4096) }
    var changed = page(1) + page(2) + page(3)
    for number in [6, 5, 4] { changed += page(number) }
    changed += data.subdata(in: 6 * 4096..<data.count)
    try changed.write(to: shelf.scratch.store)
    let pages = try await SQLCipherStore.verify(shelf.description).filter { $0.kind == .damagedPage }
    let text = pages.map(\.message).joined()
    #expect(pages.count == 2 && text.contains("page 4 ") && text.contains("page 6 "), "\(pages)")
  }

  @Test("a store that others have open is not repaired")
  func repairOfOpen() async throws {
    let shelf = try Shelf()
    try await shelf.make()
    try await shelf.run("INSERT INTO \"Book_tags\" (_source, _target) VALUES (2, 77)")
    let store = try SQLCipherStore(model: try Self.model(), description: shelf.description)
    try await store.loadMetadata()
    var description = shelf.description
    description.busyTimeoutMilliseconds = 50
    let original = shelf.scratch.folder.appendingPathComponent("original")
    await #expect { try await SQLCipherStore.repair(description, keepingOriginalAt: original) } throws: {
      ($0 as? StoreError)?.code == .busy
    }
    try store.close()
    #expect(try await SQLCipherStore.verify(shelf.description).count == 1)
  }
}
