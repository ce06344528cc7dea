import CipherDatabase
import Foundation
import ObjectModel
import ObjectQuery
import StoreContract
import StoreKeyring
import Testing

@testable import SQLCipherStore

/// Stores that somebody else made, with more in them than their model makes.
@Suite("A store's schema is compared with what its model makes")
struct SchemaCheckTests {
  /// A model with something of every kind that a model makes.
  private static func model(_ more: String? = nil) throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Note") {
        Attribute("text", .string, indexed: true)
        Attribute("title", .string)
        Attribute("picture", .binary)
        Attribute("width", .double)
        if let more { Attribute(more, .string) }
        derived("folded", .string, "canonical:(title)")
        derived("total", .integer64, "tags.@count")
        Relationship("tags", toMany: "Tag", inverse: "notes", ordered: true)
        UniquenessConstraint("title")
        FetchIndex("words", [FetchIndexElement("text", fullText: true)])
        FetchIndex("box", [FetchIndexElement("width", rTree: true)])
      }
      Entity("Tag") {
        Attribute("name", .string)
        Relationship("notes", toMany: "Note", inverse: "tags")
      }
    }
  }

  private static func derived(
    _ name: String, _ type: AttributeType, _ expression: String
  ) -> Attribute {
    var attribute = Attribute(name, type)
    attribute.derivationExpression = expression
    return attribute
  }

  private func open(_ notes: Notes, _ model: ManagedObjectModel? = nil) async throws -> SQLCipherStore {
    let store = try SQLCipherStore(model: try model ?? Self.model(), description: notes.description)
    try await store.loadMetadata()
    return store
  }

  private func insert(_ count: Int, _ store: SQLCipherStore) throws {
    let entity = try #require(store.storeEntities.first { $0.entity.name == "Note" }?.entity)
    var left = count
    _ = try store.insert(into: entity) { row in
      if left == 0 { return false }
      left -= 1
      try row.set("text", .string("some words \(left)"))
      try row.set("width", .double(Double(left)))
      return true
    }
  }

  /// A table with a column that SQLite computes.
  private static func tag(_ column: String) -> (sql: String, name: String) {
    (
      "DROP TABLE \"Tag\"; CREATE TABLE \"Tag\" (_id INTEGER PRIMARY KEY NOT NULL, _entity INTEGER NOT NULL,"
        + " _version INTEGER NOT NULL, \"name\" TEXT \(column))", "table Tag"
    )
  }

  static let foreign: [(sql: String, name: String)] = [
    tag("DEFAULT (random())"), tag("DEFAULT CURRENT_TIMESTAMP"), tag("DEFAULT 'a' CHECK (length(name) < 3)"),
    tag("DEFAULT 'a', \"more\" TEXT DEFAULT 'b'"), tag("DEFAULT 'a' COLLATE NOCASE"),
    tag("DEFAULT x'00' UNIQUE"),
    ("CREATE TRIGGER evil AFTER INSERT ON \"Note\" BEGIN DELETE FROM \"Tag\"; END", "trigger evil"),
    ("CREATE TRIGGER \"__words9_insert\" AFTER INSERT ON \"Note\" BEGIN SELECT _rank(x'00'); END", "trigger"),
    ("CREATE VIEW spy AS SELECT text FROM \"Note\"", "view spy"),
    ("CREATE TABLE more (a)", "table more"),
    ("CREATE TABLE \"__words1_more\" (a)", "table __words1_more"),
    ("CREATE INDEX slow ON \"Note\" (text, title)", "index slow"),
    ("CREATE UNIQUE INDEX once ON \"Note\" (text)", "index once"),
    ("CREATE VIRTUAL TABLE boxes USING rtree(id, a, b)", "table boxes"),
    (
      "DROP TRIGGER \"__words1_insert\"; CREATE TRIGGER \"__words1_insert\" AFTER INSERT ON \"Note\" BEGIN"
        + " DELETE FROM \"Tag\"; END", "trigger __words1_insert"
    ),
    (
      "DROP TABLE \"Tag\"; CREATE VIEW \"Tag\" AS SELECT 1 AS _id, 2 AS _entity, 1 AS _version, '' AS name",
      "view Tag"
    ),
    tag("CHECK (length(\"name\") < 3)"),
    (
      "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, 'size BLOB',"
        + " 'size BLOB CHECK (length(size) < 0)') WHERE name = '__words1_docsize'", "table __words1_docsize"
    ),
  ]

  @Test("what no model makes is refused by name before it runs, and is a finding", arguments: foreign)
  func refused(sql: String, name: String) async throws {
    let notes = try Notes()
    try await open(notes).close()
    try await notes.run(sql, .ofStore)
    let before = try Data(contentsOf: notes.scratch.store)
    let other = try Self.model("another")
    for work in [
      { try insert(3, try await open(notes)) },
      { _ = try await SQLCipherStore.storedModel(notes.description) },
      { _ = try await open(notes, other) },
    ] as [() async throws -> Void] {
      do {
        try await work()
        Issue.record("it went well")
      } catch let error as StoreError {
        #expect("\(error.code)" == "schemaMismatch" && error.message.contains(name), "\(error)")
      }
    }
    #expect(try Data(contentsOf: notes.scratch.store) == before)
    let findings = try await SQLCipherStore.verify(notes.description)
    #expect(
      findings.contains { "\($0.kind)" == "unexpectedSchema" && $0.message.contains(name) }, "\(findings)")
  }

  @Test("a view in the place of the store's own table is not asked")
  func view() async throws {
    let notes = try Notes()
    try await open(notes).close()
    try await notes.run(
      "ALTER TABLE _store RENAME TO away; CREATE VIEW _store AS SELECT key, value FROM away")
    do {
      _ = try await open(notes)
      Issue.record("it was opened")
    } catch let error as StoreError {
      #expect("\(error.code)" == "schemaMismatch" && error.message.contains("_store"), "\(error)")
    }
  }

  @Test("what the library makes by itself is no matter: statistics, its tables for indexes")
  func library() async throws {
    let notes = try Notes()
    let store = try await open(notes)
    try insert(200, store)
    try store.close()
    try await notes.run("ANALYZE", .ofStore)
    let again = try await open(notes)
    try insert(1, again)
    try again.close()
    #expect(try await SQLCipherStore.verify(notes.description).isEmpty)
  }

  @Test("a store of a migrated model opens, and one whose model was merely written in another order")
  func others() async throws {
    let notes = try Notes()
    try await open(notes).close()
    for more in ["another", "third", nil] {
      let store = try await open(notes, try Self.model(more))
      try insert(1, store)
      try store.close()
      try await open(notes, try Self.model(more)).close()
    }
    var description = try Self.model().declaration
    for entity in description.entities.indices { description.entities[entity].attributes.reverse() }
    let reversed = try ManagedObjectModel(description)
    #expect(try reversed.versionHash == Self.model().versionHash)
    try await open(notes, reversed).close()
    #expect(try await SQLCipherStore.verify(notes.description).isEmpty)
  }

  @Test("a store whose R-tree has the triggers of an earlier version opens")
  func former() async throws {
    let notes = try Notes()
    try await open(notes).close()
    let value = "NEW.\"width\""
    let plain = "CASE WHEN \(value) BETWEEN -3e38 AND 3e38 THEN \(value)"
    try await notes.run(
      "DROP TRIGGER \"__boxes2_insert\"; CREATE TRIGGER \"__boxes2_insert\" AFTER INSERT ON \"Note\" BEGIN"
        + " INSERT INTO \"__boxes2\" (id, l0, h0) VALUES (NEW._id, \(plain) WHEN \(value) > 0"
        + " THEN 3e38 ELSE -9e999"
        + " END, \(plain) WHEN \(value) < 0 THEN -3e38 ELSE 9e999 END); END", .ofStore)
    let store = try await open(notes)
    try insert(1, store)
    try store.close()
  }

  @Test("opening takes one statement for it")
  func statements() async throws {
    let notes = try Notes()
    try await open(notes).close()
    let store = try await open(notes)
    #expect(store.executedStatements <= 16, "\(store.executedStatements)")
    try store.close()
  }

  @Test(
    "_rank answers an error to what is no matchinfo",
    arguments: [
      "x''", "x'00'", "x'01000000ffffffff0000000000000000'", "x'ffffffffffffffffffffffffffffffff'",
      "x'010000000100000002000000'", "NULL", "'text'", "zeroblob(64)", "x'ffffff7f010000000100000001000000'",
    ])
  func rank(argument: String) async throws {
    let notes = try Notes()
    try await open(notes).close()
    try? await notes.run("SELECT _rank(\(argument))", .ofStore)
    try await open(notes).close()
  }

  @Test("the tables, indexes and triggers have the names and columns of the format")
  func names() async throws {
    let notes = try Notes()
    try await open(notes).close()
    func texts(_ sql: String) async throws -> Set<String> {
      Set(try await notes.text("SELECT group_concat(\(sql)").split(separator: " ").map(String.init))
    }
    let tables = try await texts("name, ' ') FROM sqlite_master WHERE type = 'table'")
    #expect(
      tables.isSuperset(of: ["_store", "_sequence", "Note", "Tag", "__words1", "__boxes2"]), "\(tables)")
    // One table of links for both directions, with the order of the one that has an order.
    let links = tables.intersection(["Note_tags", "Tag_notes"])
    #expect(links.count == 1, "\(tables)")
    let link = try await notes.text("SELECT sql FROM sqlite_master WHERE name = '\(links.first ?? "")'")
    for column in ["_source", "_target", "_position"] { #expect(link.contains(column), "\(link)") }
    let note = try await notes.text("SELECT sql FROM sqlite_master WHERE name = 'Note'")
    for column in ["_id INTEGER", "_entity INTEGER", "_version INTEGER", "\"picture\" BLOB"] {
      #expect(note.contains(column), "\(note)")
    }
    let indexes = try await texts("name, ' ') FROM sqlite_master WHERE type = 'index'")
    #expect(indexes.isSuperset(of: ["_Note_text", "_Note_unique_title"]), "\(indexes)")
    let triggers = try await texts("name, ' ') FROM sqlite_master WHERE type = 'trigger'")
    #expect(
      triggers.isSuperset(of: ["_derive", "_derive_2", "__words1_insert", "__boxes2_insert"]), "\(triggers)")
    let words = try await notes.text("SELECT sql FROM sqlite_master WHERE name = '__words1'")
    #expect(words.contains("fts4(c0, tokenize=simple)"), "\(words)")
    let derived = try await notes.text(
      "SELECT group_concat(sql) FROM sqlite_master WHERE type = 'trigger' AND name LIKE"
        + " '!_derive%' ESCAPE '!'"
    )
    #expect(derived.contains("_canonical("), "\(derived)")
  }

  @Test("the row `settled` has another text each time")
  func settled() async throws {
    let notes = try Notes()
    try await open(notes).close()
    var texts: Set<String> = []
    for _ in 0..<2 {
      try await notes.withConnection { try StoreTable($0).touch() }
      texts.insert(try await notes.text("SELECT value FROM _store WHERE key = 'settled'"))
    }
    #expect(texts.count == 2 && !texts.contains(""))
  }
}
