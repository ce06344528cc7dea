import Foundation
import ObjectModel
import ObjectQuery
import PostgresServer
import StoreContract
import StrongroomPostgres
import Testing

@Suite("A backup that takes the place of a store in use", .enabled(if: PostgresServer.programs != nil))
struct OlderStoreTests {
  /// Puts the tables of a schema back as they were, as a restoration does.
  private func copy(_ schema: String, from other: String, _ server: PostgresServer) throws {
    let tables = ["Note", "_store", "_sequence", "_history", "_transaction", "_consumer", "_commit"]
    let copies = tables.map {
      "DROP TABLE IF EXISTS \"\(schema)\".\"\($0)\";"
        + "CREATE TABLE \"\(schema)\".\"\($0)\" (LIKE \"\(other)\".\"\($0)\" INCLUDING ALL);"
        + "INSERT INTO \"\(schema)\".\"\($0)\" SELECT * FROM \"\(other)\".\"\($0)\";"
    }
    try server.execute(
      "SET client_min_messages TO error; CREATE SCHEMA IF NOT EXISTS \"\(schema)\"; \(copies.joined())")
  }

  @Test(
    "has a save refused where an object of before may be another one now, however many were saved since",
    arguments: [0, 1, 5])
  func restored(others: Int) async throws {
    let server = try PostgresServer.shared()
    let (schema, backup) = (server.newSchema(), server.newSchema())
    let notes = try await NoteStore(server.url, schema: schema)
    try notes.save(["a"])
    try copy(backup, from: schema, server)
    try notes.save(["late"])
    try notes.save(["later"])
    try copy(schema, from: backup, server)
    let other = try await NoteStore(server.url, schema: schema)
    for _ in 0..<others { try other.save(["another"]) }
    #expect(try notes.refusal() == .fileReplaced)
    #expect(try notes.refusal() == .fileReplaced)
    #expect(try other.texts.sorted() == ["a"] + Array(repeating: "another", count: others))
    try notes.store.close()
    try await notes.store.loadMetadata()
    try notes.save(["again"])
    try other.save(["and on"])
    #expect(try notes.count == others + 3)
  }
}
