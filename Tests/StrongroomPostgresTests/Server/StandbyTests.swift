import Foundation
import ObjectQuery
import PostgresServer
import StoreContract
import StrongroomPostgres
import Testing

@Suite("A standby", .enabled(if: PostgresServer.programs != nil))
struct StandbyTests {
  @Test("is read by a store that is open for reading, as far as it has what was saved")
  func reading() async throws {
    let pair = try PostgresPair()
    let writing = try await NoteStore(pair.url)
    try writing.save()
    try pair.awaitStandby()
    let reading = try await NoteStore(pair.standby.url) { $0.isReadOnly = true }
    #expect(try reading.count == 1)
    #expect(try reading.refusal() == .readOnly)
    let moment = try reading.store.snapshot()
    let heard = try #require(try reading.store.remoteChangeCount)
    #expect(try reading.store.remoteChangeCount == heard)

    try pair.standby.execute("SELECT pg_wal_replay_pause()")
    try writing.save()
    let token = try #require(try writing.store.currentHistoryToken)
    let saved = try #require(CommitToken(store: writing.store.identifier, writing, 2))
    #expect(try writing.store.wasSaved(saved))
    // It may come: neither is the token another store's, nor the save lost.
    #expect(try reading.store.execute(.fetchHistory(after: token)).transactions.isEmpty)
    do {
      let isSaved = try reading.store.wasSaved(saved)
      Issue.record("it says \(isSaved)")
    } catch let error as StoreError { #expect(error.code == .readOnly) }

    try pair.standby.execute("SELECT pg_wal_replay_resume()")
    for _ in 0..<8000 where try reading.store.remoteChangeCount == heard { usleep(5_000) }
    #expect(try reading.store.remoteChangeCount == heard + 1)
    #expect(try reading.count == 2)
    #expect(try reading.store.wasSaved(saved))
    #expect(try moment.count(for: FetchRequest("Note")) == 1)
    try writing.save()
    for _ in 0..<8000 where try reading.count < 3 { usleep(5_000) }
    #expect(try reading.store.execute(.fetchHistory(after: token)).transactions.count == 1)
  }

  @Test("is none for a store that writes, which says so")
  func writing() async throws {
    let pair = try PostgresPair()
    do {
      _ = try await NoteStore(pair.standby.url)
      Issue.record("it opens")
    } catch let error as StoreError {
      #expect(error.code == .serverUnreachable)
      #expect(error.message.contains("a standby, which takes no writes"))
    }
  }
}

extension CommitToken {
  fileprivate init?(store: UUID, _ notes: NoteStore, _ reference: Int64) {
    self.init(store: store, entity: notes.entity, reference: reference, version: 1)
  }
}
