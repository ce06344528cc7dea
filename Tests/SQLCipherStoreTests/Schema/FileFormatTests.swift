import Cryptography
import Foundation
import ObjectModel
import SQLCipherStore
import StoreContract
import StoreKeyring
import Testing

@Suite("What stands in a store's tables")
struct FileFormatTests {
  private static func model() throws -> ManagedObjectModel {
    let thing = Entity("Thing") {
      for type in AttributeType.allCases where type != .undefined {
        Attribute(type.rawValue, type, composite: type == .composite ? "Parts" : nil)
      }
    }
    let parts = Composite("Parts", [Attribute("part", .string)])
    return try ManagedObjectModel(ModelDeclaration(entities: [thing], composites: [parts]))
  }

  private static let values: [(AttributeType, AttributeValue, String)] = [
    (.integer16, .integer(7), "integer 7"), (.integer32, .integer(7), "integer 7"),
    (.integer64, .integer(7), "integer 7"), (.boolean, .boolean(true), "integer 1"),
    (.double, .double(1.5), "real 1.5"), (.float, .double(1.5), "real 1.5"),
    (.date, .date(Date(timeIntervalSinceReferenceDate: 86400.5)), "real 86400.5"),
    (.string, .string("text"), "text text"),
    (.uri, .uri(URL(string: "https://example.org/a")!), "text https://example.org/a"),
    (
      .uuid, .uuid(UUID(uuid: (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))),
      "blob 000102030405060708090A0B0C0D0E0F"
    ),
    (.binary, .data(Data([1, 2])), "blob 0102"), (.transformable, .data(Data([3])), "blob 03"),
  ]

  @Test("values have the types and forms of the format")
  func forms() async throws {
    let notes = try Notes()
    let store = try SQLCipherStore(model: try Self.model(), description: notes.description)
    try await store.loadMetadata()
    let entity = store.storeEntities[0].entity
    let id = try store.obtainPermanentIDs(for: [entity])[0]
    let builder = NodeBuilder()
    builder.begin(fieldCount: entity.fieldCount)
    for attribute in entity.attributes {
      var value = AttributeValue.null
      for one in Self.values where one.0 == attribute.type { value = one.1 }
      if attribute.type == .decimal { value = .decimal(2) }
      if attribute.type == .composite { value = .composite(["part": .string("x")]) }
      try builder.set(attribute, value)
    }
    var save = SaveChangesRequest()
    save.inserted = [builder.finish(id.storeEntity, reference: id.reference, version: 1)]
    try store.save(save)
    try store.close()
    for (type, _, form) in Self.values {
      let column = "\"\(type.rawValue)\""
      let shown = "CASE typeof(\(column)) WHEN 'blob' THEN hex(\(column)) ELSE \(column) END"
      #expect(
        try await notes.text("SELECT typeof(\(column)) || ' ' || \(shown) FROM Thing") == form, "\(type)")
    }
    let composite = try await notes.text("SELECT typeof(composite) || composite FROM Thing")
    #expect(composite.hasPrefix("text[") && composite.contains("part"), "\(composite)")
    #expect(try await notes.text("SELECT typeof(\"\(AttributeType.decimal.rawValue)\") FROM Thing") == "blob")
    #expect(try await notes.text("SELECT _id || ' ' || _entity || ' ' || _version FROM Thing") == "1 1 1")
    #expect(try await notes.text("SELECT entity || ' ' || last FROM _sequence") == "1 1")
  }

  @Test("the store describes itself, and notes the models it was moved on from and that its code was shown")
  func store() async throws {
    let notes = try Notes()
    try await notes.make(1)
    func keys() async throws -> String {
      try await notes.text("SELECT group_concat(key, ' ') FROM (SELECT key FROM _store ORDER BY key)")
    }
    #expect(try await notes.text("PRAGMA application_id") == "\(0x5374_726D)")
    #expect(try await notes.text("PRAGMA user_version") == "1")
    #expect(try await keys() == "entities format history_properties metadata model model_hash")
    #expect(try await notes.text("SELECT value FROM _store WHERE key = 'entities'") == "{\"Note\":1}")
    let hash = try await notes.text("SELECT value FROM _store WHERE key = 'model_hash'")
    let other = try ManagedObjectModel {
      Entity("Note") {
        Attribute("text", .string)
        Attribute("more", .string)
      }
    }
    let moved = try SQLCipherStore(model: other, description: notes.description)
    try await moved.loadMetadata()
    try moved.close()
    #expect(try await notes.text("SELECT value FROM _store WHERE key = 'former_hashes'") == hash)
    try await SQLCipherStore.noteRecoveryCodeShown(of: notes.description)
    let identifier = try RotationTests.identifier(notes.scratch.store)
    let stored = try await notes.vault.keys(for: identifier, interaction: .silent)
    let key = try #require(stored.first?.key).withUnsafeBytes { Data($0) }
    let digest = (Data("strongroom recovery code shown|\(identifier.uuidString)|".utf8) + key)
      .withUnsafeBytes { Digest.of($0) }
    let note = digest.prefix(8).map { byte in String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }
      .joined()
    #expect(try await notes.text("SELECT value FROM _store WHERE key = 'recovery_code_shown'") == note)
  }
}
