import Foundation
import ObjectModel
import ObjectQuery
import PostgresServer
import StoreContract
import StrongroomPostgres
import Testing

@Suite("A connection that is lost", .enabled(if: PostgresServer.programs != nil))
struct LostConnectionTests {
  /// A store whose connections have a name of their own, by which the server ends them.
  private struct Scene {
    let program = "lost \(UUID().uuidString.prefix(8))"
    let server: PostgresServer
    let notes: NoteStore
    var store: PostgresStore { notes.store }

    init() async throws {
      server = try PostgresServer.shared()
      notes = try await NoteStore(
        NoteStore.address(server.url, ["application_name": program]), schema: server.newSchema())
    }

    func save(_ count: Int = 1, beforeCommit: (() throws -> Void)? = nil) throws {
      try notes.save(Array(repeating: "a", count: count), beforeCommit: beforeCommit)
    }

    var count: Int { get throws { try notes.count } }
  }

  @Test("before a read or a save, another one is made")
  func before() async throws {
    let scene = try await Scene()
    try scene.save()
    for round in 1...3 {
      try scene.server.terminate(scene.program)
      #expect(try scene.count == round)
      try scene.server.terminate(scene.program)
      try scene.save()
    }
    #expect(try scene.count == 4)
  }

  @Test("what others may have saved meanwhile is looked for")
  func hearing() async throws {
    let scene = try await Scene()
    #expect(try scene.store.remoteChangeCount == 0)
    try scene.server.terminate(scene.program)
    for _ in 0..<8000 where try scene.store.remoteChangeCount == 0 {
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(try scene.store.remoteChangeCount ?? 0 > 0)
  }

  @Test("in a save, nothing of it is there, and it can be made again")
  func during() async throws {
    let scene = try await Scene()
    do {
      try scene.save { try scene.server.terminate(scene.program) }
      Issue.record("the commit was answered")
    } catch let error as StoreError { #expect(error.code == .serverUnreachable, "\(error)") }
    #expect(try scene.count == 0)
    try scene.save()
    #expect(try scene.count == 1)
  }

  @Test("with a whole save on its way, has it made again, and what arrives later is refused")
  func late() async throws {
    let server = try PostgresServer.shared()
    let path = try NetworkPath(to: server)
    let notes = try await NoteStore(path.url, schema: server.newSchema())
    let schema = notes.store.description.serverSchema
    try notes.save(["a"])
    _ = try notes.store.obtainPermanentIDs(for: [notes.entity])
    let save = try notes.insertion(["b"])
    path.hold()
    try notes.store.save(save)
    #expect(try notes.texts == ["a", "b"])
    // Its number is free again, and nothing else would keep the first attempt from being done.
    try server.execute("DELETE FROM \"\(schema)\".\"Note\" WHERE text = 'b'")
    path.release()
    usleep(500_000)
    #expect(try notes.texts == ["a"])
    try notes.save(["c"])
    #expect(try notes.texts == ["a", "c"])
    #expect(try notes.store.execute(.fetchHistory(after: nil)).transactions.count == 3)
  }

  @Test("since the server panics, with a save that is done: it is not reported as refused")
  func panic() async throws {
    let server = try PostgresServer.shared()
    let path = try NetworkPath(to: server)
    let notes = try await NoteStore(path.url, schema: server.newSchema())
    try notes.save(["a"])
    let save = try notes.insertion(["b"])
    path.panic()
    try notes.store.save(save)
    #expect(try notes.texts == ["a", "b"])
    #expect(try notes.store.execute(.fetchHistory(after: nil)).transactions.count == 2)
  }

  @Test("half-way through a save, whose beginning the server has, leaves nothing that others wait for")
  func halfWay() async throws {
    let server = try PostgresServer.shared()
    let path = try NetworkPath(to: server)
    let program = "half \(UUID().uuidString.prefix(8))"
    let notes = try await NoteStore(
      NoteStore.address(path.url, ["application_name": program]), schema: server.newSchema())
    try notes.save(["a"])
    let save = try notes.insertion(["b"])
    path.halve()
    try notes.store.save(save)
    #expect(try notes.texts == ["a", "b"])
    let left = try server.execute(
      "SELECT count(*) FROM pg_stat_activity WHERE application_name = '\(program)'"
        + " AND xact_start IS NOT NULL")
    #expect(left == "0\n")
  }

  @Test("with a whole save on its way and no server for a while, has it refused when it was not there")
  func unknown() async throws {
    let server = try PostgresServer.shared()
    let path = try NetworkPath(to: server)
    let notes = try await NoteStore(path.url, schema: server.newSchema()) { $0.serverOutcomeTimeout = 0.5 }
    try notes.save(["a"])
    let save = try notes.insertion(["b"])
    path.hold(cuttingOthers: true)
    do {
      try notes.store.save(save)
      Issue.record("it was saved")
    } catch let error as StoreError {
      #expect(error.code == .outcomeUnknown)
      path.endCutting()
      let token = try #require(error.commitToken)
      let again = try JSONDecoder().decode(CommitToken.self, from: JSONEncoder().encode(token))
      #expect(try !notes.store.wasSaved(again))
      path.release()
      usleep(500_000)
      #expect(try !notes.store.wasSaved(token))
    }
    #expect(try notes.texts == ["a"])
    try notes.store.save(save)
    #expect(try notes.texts == ["a", "b"])
  }

  @Test("where another program then saves the same object, is not taken for the other's save")
  func others() async throws {
    let server = try PostgresServer.shared()
    let (path, schema) = (try NetworkPath(to: server), server.newSchema())
    let mine = try await NoteStore(path.url, schema: schema) { $0.serverOutcomeTimeout = 0.5 }
    let theirs = try await NoteStore(server.url, schema: schema)
    let save = try mine.insertion(["start"])
    try mine.store.save(save)
    path.hold(cuttingOthers: true)
    var token: CommitToken?
    do { try mine.store.save(mine.change(save, "mine")) } catch let error as StoreError {
      token = error.commitToken
    }
    try theirs.store.save(theirs.change(save, "theirs"))
    path.endCutting()
    #expect(try !mine.store.wasSaved(#require(token)))
    path.release()
    #expect(try theirs.texts == ["theirs"])
  }

  @Test("at the commit of a save in two round trips, is settled by what that save left, not by another's")
  func othersInTwoTrips() async throws {
    let server = try PostgresServer.shared()
    let (path, schema) = (try NetworkPath(to: server), server.newSchema())
    let program = "trips \(UUID().uuidString.prefix(8))"
    let mine = try await NoteStore(
      NoteStore.address(path.url, ["application_name": program]), schema: schema
    ) { $0.serverOutcomeTimeout = 0.5 }
    let theirs = try await NoteStore(server.url, schema: schema)
    let save = try mine.insertion(["start"])
    try mine.store.save(save)
    var token: CommitToken?
    do {
      try mine.store.save(mine.change(save, "mine")) { path.hold(cuttingOthers: true) }
    } catch let error as StoreError { token = error.commitToken }
    try server.terminate(program)
    try theirs.store.save(theirs.change(save, "theirs"))
    path.endCutting()
    #expect(try !mine.store.wasSaved(#require(token)))
    path.release()
    #expect(try theirs.texts == ["theirs"])
  }
}
