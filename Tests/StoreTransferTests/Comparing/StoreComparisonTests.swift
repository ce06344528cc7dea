import Foundation
import ObjectModel
import PostgresServer
import StoreContract
import StoreTransfer
import StrongroomPostgres
import Testing

@Suite("A comparison", .enabled(if: PostgresServer.programs != nil))
struct StoreComparisonTests {
  /// What is changed behind the store's back, and what the comparison says to it.
  static let changes = [
    (
      "UPDATE \"Person\" SET name = 'another' WHERE _id = (SELECT min(_id) FROM \"Person\")",
      "Person.name of object 1: it has another value"
    ),
    (
      "UPDATE \"Person\" SET _version = 9 WHERE _id = 1", "Person of object 1: it has another version"
    ),
    ("DELETE FROM \"Person\" WHERE _id = 1", "Person of object 1: there is no such object"),
    (
      "INSERT INTO \"Person\" (_id, _entity, _version) SELECT 999, _entity, 1 FROM \"Person\" LIMIT 1",
      "Person: there are 9 objects in place of 8"
    ),
    (
      "UPDATE \"Person_favourites\" SET _position = 10 - _position", "Person.favourites of object"
    ),
    (
      "UPDATE \"Tag_vessels\" SET _inverse_position = 10 - _inverse_position",
      "its destinations have another order"
    ),
    (
      "DELETE FROM \"Tag_vessels\" WHERE _source = (SELECT min(_source) FROM \"Tag_vessels\")",
      "it has other destinations"
    ),
    ("UPDATE \"Person\" SET mentor = NULL WHERE _id = 1", "Person.mentor of object 1: it has another value"),
    ("UPDATE _store SET value = 'x' WHERE name = 'program.theme'", "the program's metadata is another"),
    (
      "UPDATE \"Everything\" SET \"double\" = coalesce(-\"double\", 1)", "Everything.double of object"
    ),
    (
      "UPDATE \"Everything\" SET \"decimal\" = 7",
      "Everything.decimal of object"
    ),
    ("UPDATE \"Everything\" SET \"binary\" = '\\x00'", "Everything.binary of object"),
  ]

  @Test("finds each kind of difference", arguments: changes)
  func differences(sql: String, message: String) async throws {
    let (model, places) = (try Harbour.model(), try Places())
    let source = try await Places.open(places.file("source"), model)
    try Harbour.fill(source, each: 8, seed: 3)
    let schema = try places.schema()
    _ = try await StoreMove(from: source, model: model).run(to: PostgresStore.self, schema)
    let copy = try await Places.open(schema, model)
    #expect(try StoreComparison.of(source, copy, model: model).differenceCount == 0)
    try PostgresServer.shared().execute(
      "SET search_path TO \"\(schema.serverSchema)\"; SET session_replication_role TO replica; \(sql)")
    let changed = try await Places.open(schema, model)
    for (one, other) in [(source, changed), (changed, source)] {
      let result = try StoreComparison.of(one, other, model: model)
      #expect(result.differenceCount > 0)
      if one !== source { continue }
      #expect(result.differences.contains { $0.description.contains(message) }, "\(result.differences)")
    }
  }
}
