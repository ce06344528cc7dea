import Foundation
import StrongroomRecords
import Testing

/// What users of SwiftSQLiteORM write: a struct with another inside, pushed, fetched by a column,
/// deleted, cleared, dropped.
@Suite("A program in SwiftSQLiteORM's terms")
struct NestedRecordTests {
  struct Nested: Codable, Equatable {
    let desc: String
    let index: Int
  }

  enum Kind: String, Codable { case plain, fancy }

  struct Example: Record, Equatable {
    static var primaryKey: KeyPath<Example, String> { \.name }
    let name: String
    let data: Nested
    let list: [Nested]
    let kind: Kind
  }

  /// The same table, one column further.
  enum Later {
    struct Example: Record, Equatable {
      static var primaryKey: KeyPath<Example, String> { \.name }
      static var columns: [RecordColumn<Example>] { [RecordColumn(\.version, default: 1)] }
      let name: String
      let data: Nested
      let list: [Nested]
      let kind: Kind
      let version: Int
    }
  }

  @Test("define, push, reopen, fetch, delete, change the definition, reopen")
  func program() async throws {
    let place = try Place()
    let c = Example(name: "c", data: Nested(desc: "first", index: 1), list: [], kind: .plain)
    let u = Example(
      name: "u", data: Nested(desc: "second", index: 2), list: [Nested(desc: "inner", index: 7)], kind: .fancy
    )
    do {
      let store = try await place.store(Example.self)
      try store.push([c, u])
      try store.close()
    }
    do {
      let store = try await place.store(Example.self)
      let name = c.name
      #expect(try store.fetch(Example.self, where: #Predicate { $0.name == name }) == [c])
      #expect(try store.fetch(Example.self, where: #Predicate { $0.data.index == 2 }) == [u])
      let fancy = Kind.fancy
      #expect(try store.fetch(Example.self, where: #Predicate { $0.kind == fancy }) == [u])
      try store.delete([c])
      #expect(try store.count(Example.self) == 1)
      try store.close()
    }
    let store = try await place.store(Later.Example.self)
    let left = try #require(try store.fetch(Later.Example.self).first)
    #expect(left.data == u.data && left.list == u.list && left.kind == .fancy && left.version == 1)
    #expect(try store.delete(Later.Example.self, where: #Predicate { $0.name == "u" }) == 1)
    try store.clear(Later.Example.self)
    try await store.drop(Later.Example.self)
    #expect(throws: RecordError.self) { try store.count(Later.Example.self) }
  }
}
