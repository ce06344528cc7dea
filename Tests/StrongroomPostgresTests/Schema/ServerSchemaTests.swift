import Foundation
import ObjectModel
import ObjectQuery
import PostgresServer
import StoreContract
import StrongroomPostgres
import Testing

@Suite("Tables on a server", .enabled(if: PostgresServer.programs != nil))
struct ServerSchemaTests {
  private func insert(_ store: PostgresStore, _ name: String) throws {
    let entity = try #require(store.storeEntities.first { $0.entity.name == name }?.entity)
    let builder = NodeBuilder()
    var save = SaveChangesRequest()
    for id in try store.obtainPermanentIDs(for: [entity]) {
      builder.begin(fieldCount: entity.fieldCount)
      for attribute in entity.attributes where attribute.type == .integer64 {
        try builder.set(attribute, .integer(7))
      }
      save.inserted.append(builder.finish(id.storeEntity, reference: id.reference, version: 1))
    }
    try store.save(save)
  }

  @Test("have names that the server uses itself, or that differ late")
  func names() async throws {
    let long = String(repeating: "a", count: 70)
    let names = [
      "pg_class", "pg_type", "text", "Note", "Note_pkey", "_Note_key", "_transaction", "_history", "user",
      "SELECT",
      long + "b", long + "c", "e" + String(repeating: "\u{301}", count: 40),
      "q\"\u{301} bigint); DROP TABLE \"Note\"; --", "transaction",
    ]
    let columns = [
      "q\"\u{301}", "ctid", "xmin", "tableoid", "_id", "_version", "user", "select", long + "d", long + "e",
      "pkey",
    ]
    let model = try ManagedObjectModel(
      ModelDeclaration(
        entities: names.map { name in
          Entity(name) { for column in columns { Attribute(column, .integer64, indexed: column == "pkey") } }
        }))
    let store = try await PostgresFactory.store(model)
    for name in names {
      try insert(store, name)
      let nodes = try store.fetchNodes(FetchRequest(name), lookup: nil)
      #expect(nodes.count == 1 && columns.indices.allSatisfy { nodes[0].integer($0) == 7 }, "\(name)")
    }
  }

  @Test(
    "that others have changed are noticed, and nothing else is read for a value",
    arguments: [
      "ALTER TABLE \"Note\" ALTER number TYPE integer", "ALTER TABLE \"Note\" ALTER number TYPE text",
      "ALTER TABLE \"Note\" ALTER number TYPE numeric", "ALTER TABLE \"Note\" ALTER weight TYPE real",
      "ALTER TABLE \"Note\" ALTER _version TYPE integer", "ALTER TABLE \"Note\" DROP COLUMN number",
      "ALTER TABLE \"Note\" ALTER _version DROP NOT NULL; UPDATE \"Note\" SET _version = NULL",
      "UPDATE \"Note\" SET _version = 9223372036854775807", "UPDATE \"Note\" SET _entity = 99",
      "ALTER TABLE \"Note\" RENAME TO \"Notes\"", "UPDATE \"Note\" SET price = repeat('1', 72)::numeric",
    ])
  func changed(_ sql: String) async throws {
    let server = try PostgresServer.shared()
    let schema = server.newSchema()
    let model = try ManagedObjectModel {
      Entity("Note") {
        Attribute("number", .integer64)
        Attribute("weight", .double)
        Attribute("price", .decimal)
      }
    }
    let store = try await PostgresFactory.store(model, schema: schema)
    try insert(store, "Note")
    try server.execute("SET search_path TO \"\(schema)\"; \(sql)")
    // By a new connection, which knows no statement yet.
    let error = await #expect(throws: StoreError.self) {
      let again = try await PostgresFactory.store(model, schema: schema)
      _ = try again.fetchNodes(FetchRequest("Note"), lookup: nil)
      let ids = again.storeEntities.map { ManagedObjectID($0, reference: 1) }
      _ = try again.newValues(for: ids.map(\.reference), of: ids[0].entity)
    }
    #expect(
      error.map { [.schemaMismatch, .fileDamaged].contains($0.code) } == true, "\(sql): \(error as Any)")
  }
}
