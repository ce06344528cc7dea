import Foundation
import ObjectContext
import ObjectModel
import ObjectQuery
import PostgresServer
import StoreContract
import StoreTransfer
import StrongroomPostgres
import Testing

@Suite("Others who use the server", .enabled(if: PostgresServer.programs != nil))
struct StrangersTests {
  private static func model(_ attributes: String...) throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Author") {
        Attribute("name", .string)
        Relationship("books", toMany: "Book", inverse: "author")
      }
      Entity("Book") {
        Attribute("title", .string, indexed: true)
        for name in attributes { Attribute(name, .double) }
        Relationship("author", to: "Author", inverse: "books")
        Relationship("tags", toMany: "Tag", inverse: "books", ordered: true)
      }
      Entity("Tag") {
        Attribute("name", .string)
        Relationship("books", toMany: "Book", inverse: "tags")
      }
    }
  }

  private static func context(_ store: PostgresStore, _ model: ManagedObjectModel) throws
    -> ManagedObjectContext
  {
    let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(store)
    return ManagedObjectContext(coordinator, isolation: nil)
  }

  @discardableResult
  private static func fill(_ context: ManagedObjectContext, _ count: Int) throws -> [ManagedObject] {
    let (author, tag) = (try context.insert("Author"), try context.insert("Tag"))
    try author.set("name", "Ada")
    let books = try (0..<count).map { number in
      let book = try context.insert("Book")
      try book.set("title", "title \(number)")
      try book.setObject(author, forKey: "author")
      try book.setObjects([tag], forKey: "tags")
      return book
    }
    try context.save()
    return books
  }

  /// Functions that a statement would call, were it not for the schema in front of their names: their
  /// arguments are those that it has, and the server's own take others, or any.
  private static let planted = [
    "unnest(bigint[]) RETURNS SETOF bigint", "unnest(text[]) RETURNS SETOF text",
    "unnest(bytea[]) RETURNS SETOF bytea", "unnest(double precision[]) RETURNS SETOF double precision",
    "unnest(boolean[]) RETURNS SETOF boolean", "hashtextextended(text, integer) RETURNS bigint",
    "count(bigint) RETURNS bigint", "count(text) RETURNS bigint", "convert_to(text, text) RETURNS bytea",
    "obj_description(oid, text) RETURNS text", "pg_total_relation_size(oid) RETURNS bigint",
    "pg_notify(character varying, character varying) RETURNS void",
    "starts_with(character varying, character varying) RETURNS boolean",
    "set_config(character varying, character varying, boolean) RETURNS text",
    "to_regclass(character varying) RETURNS regclass", "length(character varying) RETURNS integer",
  ]

  @Test("functions that others plant into the schema are not called")
  func functions() async throws {
    let server = try PostgresServer.shared()
    let schema = server.newSchema()
    let functions = Self.planted.map {
      "CREATE FUNCTION \"\(schema)\".\($0) LANGUAGE plpgsql AS $$ BEGIN RAISE 'planted'; END $$;"
    }
    let operators = """
      CREATE FUNCTION "\(schema)".minus(double precision, integer) RETURNS double precision LANGUAGE plpgsql
      AS $$ BEGIN RAISE 'planted'; END $$;
      CREATE OPERATOR "\(schema)".- (LEFTARG = double precision, RIGHTARG = integer,
      FUNCTION = "\(schema)".minus);
      """
    try server.execute("CREATE SCHEMA \"\(schema)\"; \(functions.joined()) \(operators)")
    let old = try Self.model()
    var store = try await PostgresFactory.store(old, schema: schema)
    var context = try Self.context(store, old)
    // By statements, and by a copy.
    let few = try Self.fill(context, 3)
    try Self.fill(context, 600)
    try few[0].set("title", "changed")
    try context.delete(few[1])
    try few[2].setObjects([], forKey: "tags")
    try context.save()
    let author = try #require(old.entity(named: "Author"))
    var names = ["B", "C"]
    let inserted = try store.insert(into: author) { row in
      guard let name = names.popLast() else { return false }
      try row.set("name", .string(name))
      return true
    }
    #expect(inserted.count == 2)
    let books = FetchRequest("Book", where: .compare("title", .beginsWith, "title"))
    #expect(try store.update(BatchUpdate(books, set: ["title": "new"])).count == 601)
    #expect(try context.fetch(FetchRequest("Author")).count == 4)
    try store.registerHistoryConsumer("sync", span: 10)
    #expect(try store.execute(.fetchHistory(after: nil)).transactions.count >= 4)
    _ = try await PostgresStore.migrationForecast(for: store.description, to: Self.model("pages"))
    _ = try StoreComparison.of(store, store, model: old)
    try store.close()
    let new = try Self.model("pages")
    store = try await PostgresFactory.store(new, schema: schema)
    context = try Self.context(store, new)
    try Self.fill(context, 2)
    #expect(try store.count(for: FetchRequest("Book")) == 604)
  }

  @Test("rows that a policy hides are not taken for all that there are")
  func policies() async throws {
    let server = try PostgresServer.shared()
    let (model, schema) = (try Self.model(), server.newSchema())
    let store = try await PostgresFactory.store(model, schema: schema)
    try Self.fill(Self.context(store, model), 3)
    let reader = "reader_\(UUID().uuidString.prefix(8).lowercased())"
    try server.execute(
      """
      CREATE ROLE \(reader) LOGIN; GRANT USAGE ON SCHEMA "\(schema)" TO \(reader);
      GRANT SELECT ON ALL TABLES IN SCHEMA "\(schema)" TO \(reader);
      """)
    var description = try PostgresFactory.description(schema: schema)
    description.url = URL(
      string: try server.url.absoluteString.replacing("user=tester", with: "user=\(reader)"))
    description.isReadOnly = true
    let reading = try PostgresStore(model: model, description: description)
    try await reading.loadMetadata()
    #expect(try reading.count(for: FetchRequest("Book")) == 3)
    // Nothing is written for it, numbers neither.
    let book = try #require(model.entity(named: "Book"))
    #expect { try reading.obtainPermanentIDs(for: [book]) } throws: {
      ($0 as? StoreError)?.message.contains("open for reading") == true
    }
    try server.execute(
      """
      ALTER TABLE "\(schema)"."Book" ENABLE ROW LEVEL SECURITY;
      CREATE POLICY part ON "\(schema)"."Book" FOR SELECT USING (_id <> 2)
      """)
    #expect { try reading.count(for: FetchRequest("Book")) } throws: {
      ($0 as? StoreError)?.message.contains("row-level security") == true
    }
  }

  /// What is changed behind the store's back, and what says so.
  private static let damages = [
    ("UPDATE \"Book\" SET _entity = 99 WHERE _id = 2", "of no entity"),
    ("UPDATE \"Book\" SET _id = -7 WHERE _id = 2", "of no entity"),
    ("UPDATE \"Book\" SET _version = 0 WHERE _id = 2", "of no entity"),
    ("UPDATE \"Book\" SET author = 999 WHERE _id = 2", "author leads to no object of Author"),
    ("INSERT INTO \"Book_tags\" VALUES (2, 999, 5, 0)", "lead to no object of Tag"),
    ("DELETE FROM \"Tag\"", "lead to no object of Tag"),
    ("ALTER TABLE \"Book\" DROP CONSTRAINT \"_Book_key\"", "lost its primary key"),
  ]

  @Test(
    "what they write that a store does not is found by a verification, a move and a comparison",
    arguments: damages)
  func damage(sql: String, message: String) async throws {
    let (model, places) = (try Self.model(), try PostgresServer.shared())
    let schema = places.newSchema()
    let store = try await PostgresFactory.store(model, schema: schema)
    try Self.fill(Self.context(store, model), 3)
    try store.verify()
    try places.execute("SET search_path TO \"\(schema)\"; \(sql)")
    func says(_ error: any Error) -> Bool { (error as? StoreError)?.message.contains(message) == true }
    #expect(performing: { try store.verify() }, throws: says)
    let other = try PostgresFactory.description(schema: places.newSchema())
    let move = try StoreMove(from: store, model: model)
    await #expect(
      performing: { try await move.run(to: PostgresStore.self, other) }, throws: says)
    let count = try places.execute(
      "SELECT count(*) FROM pg_namespace WHERE nspname = '\(other.serverSchema)'")
    #expect(count == "0\n")
  }

  /// A store whose server runs a function of others before each insertion.
  private func notes(withTrigger body: String) async throws -> NoteStore {
    let server = try PostgresServer.shared()
    let notes = try await NoteStore(server.url, schema: server.newSchema())
    let schema = notes.store.description.serverSchema
    try server.execute(
      "CREATE FUNCTION \"\(schema)\".own() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN \(body) END';"
        + "CREATE TRIGGER own BEFORE INSERT ON \"\(schema)\".\"Note\""
        + " FOR EACH ROW EXECUTE FUNCTION \"\(schema)\".own()")
    return notes
  }

  @Test("whose triggers keep rows out have saves refused", arguments: [1, 600])
  func triggers(count: Int) async throws {
    let notes = try await notes(withTrigger: "RETURN NULL;")
    let texts = Array(repeating: "a", count: count)
    #expect(try notes.refusal(texts) == (count == 1 ? .conflict : .schemaMismatch))
    #expect(try notes.count == 0)
    let table = "\"\(notes.store.description.serverSchema)\".\"Note\""
    try PostgresServer.shared().execute("DROP TRIGGER own ON \(table)")
    try notes.save(texts)
    #expect(try notes.count == count)
  }

  @Test("whose triggers divide by zero have saves refused for that, and not for another model")
  func division() async throws {
    let notes = try await notes(withTrigger: "PERFORM 1 / (NEW._id - NEW._id); RETURN NEW;")
    #expect(try notes.refusal(["a"]) == .other)
    #expect(try notes.count == 0)
  }

  @Test("who empty the history's table have saves refused")
  func noHistory() async throws {
    let server = try PostgresServer.shared()
    let notes = try await NoteStore(server.url, schema: server.newSchema())
    try server.execute("DELETE FROM \"\(notes.store.description.serverSchema)\"._history")
    #expect(try notes.refusal() == .fileDamaged)
    #expect(try notes.count == 0)
  }
}
