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
  }
}
