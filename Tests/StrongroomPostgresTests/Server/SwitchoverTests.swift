import Foundation
import Locks
import ObjectQuery
import PostgresServer
import StoreContract
import StrongroomPostgres
import Testing

@Suite(
  "A standby that takes the primary's place", .enabled(if: PostgresServer.programs != nil))
struct SwitchoverTests {
  @Test("has each acknowledged save once, and none that was refused", arguments: [false, true])
  func acknowledged(isKilled: Bool) async throws {
    let pair = try PostgresPair()
    let notes = try await NoteStore(pair.url)
    try notes.save(["first"])
    let moment = try notes.store.snapshot()
    let heard = try #require(try notes.store.remoteChangeCount)
    let (saved, refused) = (Locked<[String]>(["first"]), Locked<[String]>([]))
    let switching = Background { try pair.switchOver(isKilled: isKilled) }
    DispatchQueue.concurrentPerform(iterations: 3) { thread in
      var turn = 0
      while !switching.isDone || turn < 20 {
        turn += 1
        let text = "\(thread).\(turn)"
        do {
          try notes.save([text])
          saved.withLock { $0.append(text) }
        } catch let error as StoreError where error.code == .serverUnreachable {
          refused.withLock { $0.append(text) }
          usleep(20_000)
        } catch { Issue.record(error) }
      }
    }
    try switching.value()
    #expect(try notes.texts.sorted() == saved.withLock { $0.sorted() })
    let history = try notes.store.execute(.fetchHistory(after: nil as PersistentHistoryToken?))
    #expect(history.transactions.map(\.transactionNumber) == Array(1...Int64(saved.withLock { $0.count })))
    #expect(try notes.store.remoteChangeCount ?? 0 > heard, "others may have saved meanwhile")
    #expect(throws: StoreError.self) { try moment.count(for: FetchRequest("Note")) }
    do { _ = try moment.count(for: FetchRequest("Note")) } catch let error as StoreError {
      #expect(error.code == .serverUnreachable && error.message.contains("another snapshot"), "\(error)")
    }
    // The new primary says what others save.
    let other = try await NoteStore(pair.url)
    let before = try notes.store.remoteChangeCount ?? 0
    try other.save()
    for _ in 0..<8000 where try notes.store.remoteChangeCount == before { usleep(5_000) }
    #expect(try notes.store.remoteChangeCount ?? 0 == before + 1)
  }

  /// What a commit waits for that no standby has.
  private func unconfirmed(
    _ body: (PostgresPair, NoteStore, Background<StoreError.Code?>) throws -> Void
  ) async throws {
    let pair = try PostgresPair()
    // A standby that starts without its primary takes its time.
    let notes = try await NoteStore(NoteStore.address(pair.url, ["application_name": "unconfirmed"])) {
      $0.serverOutcomeTimeout = 90
    }
    try notes.save(["first"])
    try pair.awaitStandby()
    pair.standby.stop(SIGKILL)
    let save = Background { try notes.refusal(["second"]) }
    try Self.until { try pair.primary.execute(Self.waiting) == "1\n" }
    // Locally it is committed, and its connection ends without an answer.
    try pair.primary.execute(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
    usleep(700_000)
    #expect(!save.isDone, "what the standby has not is neither saved nor refused")
    #expect(try pair.primary.execute("SELECT count(*) FROM notes.\"Note\"") == "2\n")
    try body(pair, notes, save)
  }

  private static let waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'SyncRep'"

  /// Has a server's commits wait for no standby.
  private static func waitForNone(_ server: PostgresServer) throws {
    try server.execute("ALTER SYSTEM RESET synchronous_standby_names")
    try server.execute("SELECT pg_reload_conf()")
  }

  private static func until(_ isTrue: () throws -> Bool) throws {
    for _ in 0..<8000 {
      if try isTrue() { return }
      usleep(10_000)
    }
    Issue.record("it does not come")
  }

  @Test("a commit whose answer was lost is no save before the standby has it")
  func confirmed() async throws {
    try await unconfirmed { pair, notes, save in
      try pair.standby.start()
      #expect(try save.value() == nil)
      try pair.promoteStandby(isKilled: true)
      try Self.waitForNone(pair.primary)
      #expect(try notes.texts.sorted() == ["first", "second"])
    }
  }

  @Test("a commit that the primary had, and the standby had not, was no save")
  func lost() async throws {
    try await unconfirmed { pair, notes, save in
      pair.primary.stop(SIGKILL)
      try pair.standby.start()
      try pair.promoteStandby(isKilled: true, isAwaited: false)
      try Self.waitForNone(pair.primary)
      #expect(try save.value() == .serverUnreachable)
      #expect(try notes.texts == ["first"])
      try notes.save(["second"])
      #expect(try notes.texts.sorted() == ["first", "second"])
    }
  }

  @Test("a former primary that comes back is refused")
  func former() async throws {
    let pair = try PostgresPair()
    let notes = try await NoteStore(NoteStore.address(pair.url, ["application_name": "former"]))
    try notes.save()
    let former = try pair.promoteStandby(isKilled: true)
    try Self.waitForNone(pair.primary)
    try notes.save()
    #expect(try notes.count == 2)
    // The first of the address, and a primary: it knows of no other.
    try former.start()
    try pair.primary.terminate("former")
    #expect(try notes.refusal() == .serverUnreachable)
    #expect(throws: StoreError.self) { try notes.count }
    #expect(try former.execute("SELECT count(*) FROM notes.\"Note\"") == "1\n")
    former.stop()
    try notes.save()
    #expect(try notes.count == 3)
  }
}
