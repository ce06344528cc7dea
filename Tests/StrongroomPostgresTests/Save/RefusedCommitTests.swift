import ObjectModel
import PostgresServer
import StoreContract
import Testing

@testable import StrongroomPostgres

@Suite("What the server refuses at the end of a transaction", .enabled(if: PostgresServer.programs != nil))
struct RefusedCommitTests {
  private let server: PostgresServer
  private let notes: NoteStore
  private let schema: String

  init() async throws {
    server = try PostgresServer.shared()
    schema = server.newSchema()
    notes = try await NoteStore(server.url, schema: schema)
  }

  /// Makes a trigger of a table, whose function executes some lines.
  private func makeTrigger(_ kind: String, on table: String, _ lines: String) throws {
    try server.execute(
      "CREATE FUNCTION \"\(schema)\".act() RETURNS trigger LANGUAGE plpgsql AS $f$ BEGIN \(lines)"
        + " RETURN NEW; END $f$; CREATE \(kind) ON \"\(schema)\".\"\(table)\" \(Self.timing(kind))"
        + " FOR EACH ROW EXECUTE FUNCTION \"\(schema)\".act()")
  }

  private static func timing(_ kind: String) -> String {
    kind.hasPrefix("CONSTRAINT") ? "DEFERRABLE INITIALLY DEFERRED" : ""
  }

  @Test("is no batch without rows: those that were taken from the program do not come again")
  func batch() throws {
    try makeTrigger(
      "CONSTRAINT TRIGGER late AFTER INSERT", on: "Note", "RAISE EXCEPTION 'later' USING ERRCODE = '40001';")
    var texts = ["a", "b", "c"][...]
    let error = #expect(throws: StoreError.self) {
      try notes.store.insert(into: notes.entity) { row in
        guard let text = texts.popFirst() else { return false }
        try row.set("text", .string(text))
        return true
      }
    }
    #expect(error?.code == .busy)
    #expect(try notes.count == 0)
  }

  @Test("gives out no numbers that the server has not reserved, also behind a save")
  func numbers() throws {
    try notes.save()
    try makeTrigger(
      "CONSTRAINT TRIGGER late AFTER UPDATE", on: "_sequence",
      "RAISE EXCEPTION 'later' USING ERRCODE = '23514';")
    // More than are left of the block.
    let many = [EntityDescription](repeating: notes.entity, count: 100)
    let connections = try #require(try? notes.store.open)
    // What sets the plans back goes along with what is asked next.
    try connections.pool.read { $0.planning = .forSaves }
    #expect(throws: StoreError.self) { try notes.store.obtainPermanentIDs(for: many) }
    try server.execute("DROP TRIGGER late ON \"\(schema)\"._sequence")
    let own = try notes.store.obtainPermanentIDs(for: many).map(\.reference)
    let last = try server.execute("SELECT last FROM \"\(schema)\"._sequence WHERE entity = 'Note'")
    #expect(Int64(last.split(separator: "\n")[0]) ?? 0 >= own.max() ?? .max)
  }

  @Test("is no number beyond what there is", arguments: [Int64.max - 32, Int64.max - 4, -100])
  func damagedNumbers(_ last: Int64) throws {
    try notes.save()
    try server.execute("UPDATE \"\(schema)\"._sequence SET last = \(last)")
    #expect(throws: StoreError.self) {
      try notes.store.obtainPermanentIDs(for: [EntityDescription](repeating: notes.entity, count: 100))
    }
  }

  @Test("prepares its statements again after DEALLOCATE ALL")
  func prepared() throws {
    try notes.save()
    try server.execute("CREATE SEQUENCE \"\(schema)\".once")
    try makeTrigger(
      "TRIGGER early AFTER INSERT", on: "Note",
      "IF nextval('\"\(schema)\".once') = 1 THEN EXECUTE 'DEALLOCATE ALL'; END IF;")
    for _ in 0..<3 {
      try notes.save()
      _ = try notes.count
    }
    #expect(try notes.count == 4)
  }
}
