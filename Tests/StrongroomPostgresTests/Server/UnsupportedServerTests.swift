import Foundation
import ObjectModel
import PostgresServer
import StoreContract
import StrongroomPostgres
import Testing

@Suite(
  "A server that is no PostgreSQL", .enabled(if: PostgresServer.programs != nil))
struct UnsupportedServerTests {
  /// What is changed in the catalogue of a database of its own, and what the refusal says.
  static let lacks = [
    (
      "old", "is older than PostgreSQL 13",
      """
      CREATE OR REPLACE FUNCTION pg_catalog.current_setting(name text) RETURNS text LANGUAGE sql STABLE AS
      $$ SELECT CASE name WHEN 'server_version_num' THEN '120022' ELSE current_setting(name, false) END $$
      """
    ),
    (
      "locks", "has no advisory locks",
      """
      ALTER FUNCTION pg_catalog.pg_advisory_xact_lock(bigint) RENAME TO pg_other_lock;
      CREATE FUNCTION pg_catalog.pg_advisory_xact_lock(bigint) RETURNS void LANGUAGE sql AS ''
      """
    ),
    (
      "words", "does not come through",
      """
      ALTER FUNCTION pg_catalog.pg_notify(text, text) RENAME TO pg_other_notify;
      CREATE FUNCTION pg_catalog.pg_notify(text, text) RETURNS void LANGUAGE sql AS ''
      """
    ),
    (
      "functions", "does not know a statement",
      "ALTER FUNCTION pg_catalog.hashtextextended(text, bigint) RENAME TO hash_text_extended"
    ),
  ]

  @Test("is refused before anything is made, and says what it lacks", arguments: lacks)
  func refused(database: String, message: String, sql: String) async throws {
    let server = try PostgresServer.shared()
    let name = "lacks_\(database)"
    try server.execute(
      "CREATE DATABASE \(name);\n\\connect \(name)\nSET allow_system_table_mods TO on; \(sql)")
    let address = try server.url.absoluteString.replacing("/postgres?", with: "/\(name)?")
    var description = try PersistentStoreDescription(serverAddress: address + "&schema=s")
    let model = try ManagedObjectModel { Entity("Note") { Attribute("text", .string) } }
    for isMade in [true, false] {
      description.createsIfMissing = isMade
      let store = try PostgresStore(model: model, description: description)
      await #expect { try await store.loadMetadata() } throws: { error in
        let error = error as? StoreError
        return error?.code == .unsupportedServer && error?.message.contains(message) == true
      }
    }
    let schemas = try server.execute(
      "\\connect \(name)\nSELECT count(*) FROM pg_namespace WHERE nspname = 's'")
    #expect(schemas.trimmingCharacters(in: .whitespacesAndNewlines) == "0")
  }

  @Test("an address names its schema, and is refused without being quoted")
  func addresses() throws {
    let description = try PersistentStoreDescription(
      serverAddress:
        "postgresql://ada:p%40ss@db.example.org:5433/library?sslmode=require&schema=caf%C3%A9%20x&a=b")
    #expect(description.serverSchema == "café x" && description.type == PostgresStore.storeType)
    #expect(
      description.url?.absoluteString
        == "postgresql://ada:p%40ss@db.example.org:5433/library?sslmode=require&a=b")
    let plain = try PersistentStoreDescription(serverAddress: "postgres:///library")
    #expect(plain.serverSchema == "strongroom" && plain.url?.absoluteString == "postgres:///library")
    for text in [
      "", "library", "postgresql://ada:pass@secret@host/x", "postgresql://ada:pa/secret@host/x",
      "postgresql://ada:secret?x@host/y", "postgresql://host:secret/x", "http://secret/x",
      "postgresql://a:secret@b/c?schema=%zz", "postgresql://a secret/b",
    ] {
      #expect { try PersistentStoreDescription(serverAddress: text) } throws: { error in
        let error = error as? StoreError
        return error?.code == .invalidValue && error?.message.contains("secret") == false
      }
    }
  }

  @Test("one whose user has it check no uniqueness is refused")
  func uniqueness() async throws {
    let server = try PostgresServer.shared()
    let url = try NoteStore.address(server.url, ["options": "-c session_replication_role=replica"])
    do {
      _ = try await NoteStore(url, schema: server.newSchema())
      Issue.record("it was opened")
    } catch let error as StoreError { #expect(error.message.contains("session_replication_role")) }
  }
}
