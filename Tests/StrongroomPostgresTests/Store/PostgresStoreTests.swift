import Foundation
import ObjectModel
import PostgresServer
import StoreContract
import StoreTestKit
import StrongroomPostgres
import Testing

@Suite("A store in PostgreSQL", .enabled(if: PostgresServer.programs != nil))
struct PostgresStoreTests {
  @Test("does what a store has to do", arguments: StoreCheck.all)
  func duties(_ check: StoreCheck) async throws { try await check.run(PostgresFactory()) }
}
