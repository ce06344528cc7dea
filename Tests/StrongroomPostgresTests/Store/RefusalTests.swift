import Foundation
import ObjectModel
import PostgresServer
import StoreContract
import StrongroomPostgres
import Testing

@Suite("A server that cannot be used", .enabled(if: PostgresServer.programs != nil))
struct RefusalTests {
  private func refusal(
    _ model: ManagedObjectModel? = nil, schema: String? = nil,
    _ change: (inout PersistentStoreDescription) -> Void = { _ in }
  ) async throws -> StoreError.Code? {
    let given = try model ?? ManagedObjectModel { Entity("A") { Attribute("a", .string) } }
    do {
      _ = try await PostgresFactory.store(given, schema: schema, change)
      return nil
    } catch let error as StoreError {
      #expect(!error.description.contains("secret"))
      return error.code
    }
  }

  @Test("an address that is no server's")
  func addresses() async throws {
    #expect(try await refusal { $0.url = nil } == .invalidValue)
    #expect(try await refusal { $0.url = URL(fileURLWithPath: "/tmp/a") } == .invalidValue)
    #expect(
      try await refusal { $0.url = URL(string: "postgresql://u:secret@127.0.0.1:1/a?connect_timeout=2") }
        == .serverUnreachable)
    #expect(
      try await refusal { $0.url = URL(string: "postgresql:///no-database?host=/nowhere") }
        == .serverUnreachable)
  }

  @Test("a store that is not there, or of another model")
  func stores() async throws {
    #expect(try await refusal { $0.createsIfMissing = false } == .fileMissing)
    #expect(try await refusal { $0.isReadOnly = true } == .fileMissing)
    let schema = try PostgresServer.shared().newSchema()
    #expect(try await refusal(schema: schema) == nil)
    let other = try ManagedObjectModel { Entity("A") { Attribute("a", .integer64) } }
    #expect(
      try await refusal(other, schema: schema) { $0.shouldMigrateStoreAutomatically = false }
        == .modelMismatch)
    // What is text is no number.
    #expect(try await refusal(other, schema: schema) == .modelMismatch)
    #expect(try await refusal(schema: schema) == nil)
  }

  @Test("a schema that has another's tables is left as it is")
  func foreign() async throws {
    let schema = try PostgresServer.shared().newSchema()
    #expect(try await refusal(schema: "public") == nil)
    #expect(try await refusal(schema: "a\"b; DROP SCHEMA public CASCADE; --") == nil)
    #expect(try await refusal(schema: "public") == nil)
    #expect(try await refusal(schema: schema) == nil)
    for name in ["", "$user", "pg_mine", String(repeating: "s", count: 64)] {
      #expect(try await refusal(schema: name) == .invalidValue, "\(name)")
    }
  }

  @Test(
    "a user or a database that is not there, too many connections, an address that quotes a password",
    arguments: [nil, "de"] as [String?])
  func users(language: String?) async throws {
    let server = try language.map { try PostgresServer(language: $0) } ?? .shared()
    let address = try server.url.absoluteString
    func code(_ from: String, _ to: String) async throws -> StoreError.Code? {
      try await refusal { $0.url = URL(string: address.replacing(from, with: to)) }
    }
    #expect(try await code("user=tester", "user=missing-user") == .wrongKey)
    #expect(try await code("///postgres", "///no-such-database") == .fileMissing)
    #expect(try await code("user=tester", "user=tester&password=sec%00secret") == .invalidValue)
    try server.execute("CREATE ROLE narrow LOGIN SUPERUSER CONNECTION LIMIT 0")
    try server.execute("ALTER ROLE narrow NOSUPERUSER")
    #expect(try await code("user=tester", "user=narrow") == .busy)
  }

  @Test("a schema that its owner may use, though not make others")
  func rights() async throws {
    let server = try PostgresServer.shared()
    let address = try server.url.absoluteString.replacing("user=tester", with: "user=tenant")
    try server.execute("CREATE ROLE tenant LOGIN; CREATE SCHEMA given AUTHORIZATION tenant")
    #expect(try await refusal(schema: "given") { $0.url = URL(string: address) } == nil)
    #expect(try await refusal(schema: "other") { $0.url = URL(string: address) } == .readOnly)
    try server.execute("REVOKE ALL ON SCHEMA given FROM tenant; ALTER SCHEMA given OWNER TO tester")
    #expect(try await refusal(schema: "given") { $0.url = URL(string: address) } == .readOnly)
  }
}
