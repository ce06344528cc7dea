import Foundation
import PostgresServer
import StoreContract
import StrongroomPostgres
import Testing

@Suite(
  "A network that swallows what is sent", .enabled(if: PostgresServer.programs != nil))
struct SilentServerTests {
  private func notes(_ path: NetworkPath) async throws -> NoteStore {
    try await NoteStore(
      NoteStore.address(path.url, ["connect_timeout": "2"]), schema: PostgresServer.shared().newSchema()
    ) {
      $0.serverCheckInterval = 0.3
      $0.serverOutcomeTimeout = 1
    }
  }

  @Test("ends reads and saves with an error, and the next ones work")
  func reads() async throws {
    let path = try NetworkPath(to: PostgresServer.shared())
    let notes = try await notes(path)
    try notes.save()
    path.swallow(true)
    do {
      let count = try notes.count
      Issue.record("it counts \(count)")
    } catch let error as StoreError { #expect(error.code == .serverUnreachable) }
    #expect(try notes.refusal() == .serverUnreachable)
    path.swallow(false)
    #expect(try notes.count == 1)
    try notes.save()
    #expect(try notes.count == 2)
  }

  @Test("in a commit, has the outcome unknown, which is settled when the server answers")
  func commits() async throws {
    let path = try NetworkPath(to: PostgresServer.shared())
    let notes = try await notes(path)
    do {
      try notes.save { path.swallow(true) }
      Issue.record("the commit was answered")
    } catch let error as StoreError {
      #expect(error.code == .outcomeUnknown)
      path.swallow(false)
      // The server's process has the transaction still; it is ended.
      #expect(try !notes.store.wasSaved(#require(error.commitToken)))
    }
    #expect(try notes.count == 0)
    try notes.save()
    #expect(try notes.count == 1)
  }

  @Test("that answers again while a commit is settled, has it refused")
  func settled() async throws {
    let path = try NetworkPath(to: PostgresServer.shared())
    let notes = try await NoteStore(
      NoteStore.address(path.url, ["connect_timeout": "2"]), schema: PostgresServer.shared().newSchema()
    ) { $0.serverCheckInterval = 0.3 }
    let healing = Thread {
      usleep(1_000_000)
      path.swallow(false)
    }
    #expect(
      try notes.refusal {
        path.swallow(true)
        healing.start()
      } == .serverUnreachable)
    #expect(try notes.count == 0)
  }

  @Test(
    "that swallows the answer of a commit has it settled by what the save left, with a history and without",
    arguments: [true, false])
  func answers(tracksHistory: Bool) async throws {
    let server = try PostgresServer.shared()
    let path = try NetworkPath(to: server)
    let notes = try await NoteStore(
      NoteStore.address(path.url, ["connect_timeout": "2"]), schema: server.newSchema()
    ) {
      $0.serverCheckInterval = 0.3
      $0.tracksHistory = tracksHistory
    }
    let schema = notes.store.description.serverSchema
    try notes.save(["a", "b"])
    for what in ["objects", "metadata"] {
      var save = what == "objects" ? try notes.insertion(["c"]) : SaveChangesRequest()
      if what == "metadata" { save.metadata = ["program": "new"] }
      let healing = Background {
        usleep(1_000_000)
        // By another program, before anyone has asked whether it was stored.
        _ = try? server.execute("DELETE FROM \"\(schema)\".\"Note\" WHERE text = 'c'")
        path.swallow(false)
      }
      try notes.store.save(save) { path.swallowAnswers() }
      try healing.value()
    }
    #expect(try notes.texts.sorted() == ["a", "b"])
    #expect(notes.store.metadata["program"] == "new")
  }

  @Test("that swallows the answer to a whole save has it settled by its place in the history, deleted or not")
  func wholeSaves() async throws {
    let server = try PostgresServer.shared()
    let path = try NetworkPath(to: server)
    let schema = server.newSchema()
    let notes = try await NoteStore(NoteStore.address(path.url, ["connect_timeout": "2"]), schema: schema) {
      $0.serverCheckInterval = 0.3
    }
    let other = try await NoteStore(server.url, schema: schema)
    try notes.save(["a"])
    for isDeleted in [false, true] {
      let save = try notes.insertion(["b"])
      let receipt = HistoryReceipt()
      path.swallowAnswers()
      let healing = Background {
        usleep(1_000_000)
        if isDeleted {
          try other.save(["c"])
          _ = try other.store.execute(.deleteHistory(before: Date.distantFuture))
        }
        path.swallow(false)
      }
      try HistoryReceipt.$current.withValue(receipt) { try notes.store.save(save) }
      try healing.value()
      #expect(receipt.tokens.count == 1)
    }
    #expect(try notes.texts.sorted() == ["a", "b", "b", "c"])
    try notes.save(["d"])
    #expect(try other.count == 5)
  }

  @Test("in rows that are copied, ends them with an error: a server that waits for the rest works on nothing")
  func copies() async throws {
    let path = try NetworkPath(to: PostgresServer.shared())
    let notes = try await notes(path)
    var number = 0
    do {
      _ = try notes.store.insert(into: notes.entity) { row in
        number += 1
        if number == 4500 {
          path.swallow(true)
          // The connection's stay so, and the server can be asked by another.
          _ = Background {
            usleep(1_000_000)
            path.swallow(false)
          }
        }
        try row.set("text", .string("a"))
        return number <= 5000
      }
      Issue.record("it was answered")
    } catch let error as StoreError { #expect(error.code == .serverUnreachable) }
    usleep(1_500_000)
    #expect(try notes.count == 0)
    try notes.save()
    #expect(try notes.count == 1)
  }

  @Test("is another thing than a statement that takes long")
  func length() async throws {
    let server = try PostgresServer.shared()
    let notes = try await notes(NetworkPath(to: server))
    try notes.save()
    let locking = try LongTransaction(locking: notes, on: server)
    let counting = Background { try notes.count }
    try locking.awaitWaiting()
    usleep(1_500_000)
    #expect(!counting.isDone, "it waits")
    try locking.end()
    #expect(try counting.value() == 1)
  }

  @Test("that takes no more of a long save has it made again; the server's process stands still")
  func longSaves() async throws {
    let server = try PostgresServer.shared()
    let program = "long \(UUID().uuidString.prefix(8))"
    let notes = try await NoteStore(
      NoteStore.address(server.url, ["application_name": program]), schema: server.newSchema()
    ) { $0.serverCheckInterval = 0.3 }
    try notes.save()
    let found = try server.execute(
      "SELECT pid FROM pg_stat_activity WHERE application_name = '\(program)'")
    let processes = found.split(separator: "\n").compactMap { pid_t($0) }
    #expect(!processes.isEmpty)
    for process in processes { kill(process, SIGSTOP) }
    defer { for process in processes { kill(process, SIGCONT) } }
    try notes.save([String(repeating: "a", count: 4_000_000)])
    #expect(try notes.count == 2)
  }

  @Test("is another thing than a statement that takes long, however the server writes times")
  func styles() async throws {
    let server = try PostgresServer.shared()
    let program = "styles \(UUID().uuidString.prefix(8))"
    let notes = try await NoteStore(
      NoteStore.address(
        server.url,
        [
          "application_name": program,
          // What it writes is read as a time of another zone.
          "options": "-c datestyle=SQL,DMY -c timezone=Asia/Kolkata",
        ]), schema: server.newSchema()
    ) { $0.serverCheckInterval = 0.3 }
    try notes.save()
    let processes = "SELECT pid FROM pg_stat_activity WHERE application_name = '\(program)' ORDER BY pid"
    let before = try server.execute(processes)
    let locking = try LongTransaction(locking: notes, on: server)
    let counting = Background { try notes.count }
    try locking.awaitWaiting()
    usleep(1_500_000)
    try locking.end()
    #expect(try counting.value() == 1)
    #expect(try server.execute(processes).hasPrefix(before), "the same connection answered")
  }
}
