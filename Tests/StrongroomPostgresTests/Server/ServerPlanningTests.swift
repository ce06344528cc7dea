import Foundation
import PostgresServer
import StoreContract
import Testing

@testable import StrongroomPostgres

@Suite("How the server plans statements", .enabled(if: PostgresServer.programs != nil))
struct ServerPlanningTests {
  private let notes: NoteStore
  private let pool: ServerPool
  private let own = ["force_custom_plan", "2.5"]
  private let forSaves = ["force_generic_plan", "0.1"]

  init() async throws {
    let server = try PostgresServer.shared()
    let options = "-c plan_cache_mode=\(own[0]) -c random_page_cost=\(own[1])"
    notes = try await NoteStore(
      NoteStore.address(server.url, ["options": options]), schema: server.newSchema())
    pool = try notes.store.open.pool
  }

  private func settings(_ connection: ServerConnection) throws -> [String] {
    let rows = try connection.run(
      "SELECT current_setting('plan_cache_mode'), current_setting('random_page_cost')")
    return [rows.text(0, 0), rows.text(0, 1)]
  }

  private func ofSave() throws -> [String] { try pool.write(.locking(nil), planning: .forSaves, settings) }

  @Test("saves find rows by their numbers, and all else is planned as the user has it, in every order")
  func order() throws {
    for _ in 0..<2 {
      #expect(try pool.read(settings) == own)
      try notes.save()
      #expect(try pool.read(settings) == own)
      #expect(try ofSave() == forSaves)
      #expect(try ofSave() == forSaves)
      #expect(try pool.readMoment(settings) == own)
      var inSave: [String] = []
      try notes.save { inSave = try pool.read(settings) }
      #expect(inSave == own, "it is another connection")
      #expect(try pool.write(locking: nil, settings) == own)
      try notes.save()
      #expect(try pool.moment(version: notes.store.open.schema.version).read(settings) == own)
    }
    #expect(try notes.count == 6)
  }

  @Test("an error takes back what was changed with it, and is followed by the right plans")
  func errors() throws {
    struct Stop: Error {}
    func stop(_ connection: ServerConnection) throws {
      _ = try settings(connection)
      throw Stop()
    }
    for _ in 0..<2 {
      try notes.save()
      #expect(throws: StoreError.self) { try pool.read { try $0.run("SELECT 1 / 0") } }
      #expect(try pool.read(settings) == own)
      #expect(throws: Stop.self) { try pool.write(.locking(nil), planning: .forSaves, stop) }
      #expect(try ofSave() == forSaves)
      #expect(throws: Stop.self) { try pool.write(locking: nil, stop) }
      #expect(try pool.read(settings) == own)
      try notes.save()
      #expect(throws: Stop.self) { try pool.read { _ in throw Stop() } }
      #expect(try ofSave() == forSaves)
      #expect(try pool.read(settings) == own)
    }
  }

  @Test("what is changed goes with the next statement, in its round trip")
  func roundTrips() throws {
    func trips(_ body: () throws -> Void) throws -> Int {
      let before = try notes.store.roundTripCount
      try body()
      return try notes.store.roundTripCount - before
    }
    try notes.save()
    #expect(try trips { _ = try notes.count } == 1)
    #expect(try trips { try notes.save() } == 1)
    #expect(try trips { try notes.save() } == 1)
    #expect(try trips { _ = try notes.count } == 1)
    #expect(try notes.count == 3)
  }
}
