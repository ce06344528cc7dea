import Foundation
import Locks
import ObjectQuery
import PostgresServer
import StoreContract
import StrongroomPostgres
import Testing

@Suite("What a server bounds", .enabled(if: PostgresServer.programs != nil))
struct ServerLimitTests {
  private let server: PostgresServer

  init() throws { server = try PostgresServer.shared() }

  private func notes(_ options: String) async throws -> NoteStore {
    try await NoteStore(
      NoteStore.address(server.url, ["options": options]), schema: server.newSchema())
  }

  @Test(
    "statements and waits for locks",
    arguments: ["-c statement_timeout=1s", "-c lock_timeout=1s"])
  func statements(option: String) async throws {
    let notes = try await notes(option)
    try notes.save()
    let locking = try LongTransaction(locking: notes, on: server)
    #expect(try notes.refusal() == .busy)
    try locking.end()
    #expect(try notes.count == 1)
    try notes.save()
    #expect(try notes.count == 2)
  }

  @Test("transactions that wait for the program")
  func idle() async throws {
    let notes = try await notes("-c idle_in_transaction_session_timeout=3s")
    #expect(try notes.refusal { usleep(5_000_000) } == .busy)
    #expect(try notes.count == 0)
    let moment = try notes.store.snapshot()
    try notes.save()
    usleep(5_000_000)
    do {
      let count = try moment.count(for: FetchRequest("Note"))
      Issue.record("the moment has \(count)")
    } catch let error as StoreError {
      #expect(error.code == .serverUnreachable && error.message.contains("another snapshot"))
    }
    #expect(try notes.count == 1)
  }

  @Test("connections: more threads than these wait for each other")
  func connections() async throws {
    try server.execute("CREATE ROLE few LOGIN CONNECTION LIMIT 3; GRANT CREATE ON DATABASE postgres TO few")
    let url = try #require(
      URL(string: server.url.absoluteString.replacing("user=tester", with: "user=few")))
    let notes = try await NoteStore(url, schema: server.newSchema())
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      do {
        for _ in 0..<3 {
          try notes.save { usleep(20_000) }
          _ = try notes.count
        }
      } catch { Issue.record(error) }
    }
    #expect(try notes.count == 24)
  }

  @Test("processes that an administrator ends at random")
  func terminated() async throws {
    let program = "random \(UUID().uuidString.prefix(8))"
    let notes = try await NoteStore(
      NoteStore.address(server.url, ["application_name": program]), schema: server.newSchema())
    let (saved, refused, isOver) = (Locked<[String]>([]), Locked(0), Locked(false))
    let server = server
    let ending = Background {
      while !isOver.withLock({ $0 }) {
        _ = try? server.execute(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = '\(program)'"
            + " ORDER BY random() LIMIT 1")
      }
    }
    DispatchQueue.concurrentPerform(iterations: 4) { thread in
      // A busy machine ends few.
      for turn in 0..<5000 where turn < 100 || refused.withLock({ $0 == 0 }) {
        do {
          try notes.save(["\(thread).\(turn)"])
          saved.withLock { $0.append("\(thread).\(turn)") }
        } catch let error as StoreError where error.code == .serverUnreachable {
          refused.withLock { $0 += 1 }
        } catch { Issue.record(error) }
      }
    }
    isOver.withLock { $0 = true }
    try ending.value()
    #expect(refused.withLock { $0 > 0 }, "it was ended while it saved")
    var texts: [String]?
    for _ in 0..<20 where texts == nil { texts = try? notes.texts.sorted() }
    #expect(texts == saved.withLock { $0.sorted() })
  }

  /// Whether this process may mount a file system.
  private static let mounts =
    geteuid() == 0 && system("mount -t tmpfs none /mnt 2>/dev/null && umount /mnt") == 0

  @Test("disk space", .enabled(if: mounts))
  func disk() async throws {
    let server = try PostgresServer()
    let place = server.folder.appending(path: "small").path
    defer { _ = system("umount -l '\(place)'") }
    let isMounted = system(
      "mkdir '\(place)' && mount -t tmpfs -o size=3m none '\(place)' && chown nobody '\(place)'")
    try #require(isMounted == 0)
    try server.execute("CREATE TABLESPACE small LOCATION '\(place)'")
    try server.execute("ALTER ROLE tester SET default_tablespace = small")
    let notes = try await NoteStore(server.url)
    // What does not get shorter when it is compressed.
    func text() -> String { (0..<2000).map { _ in UUID().uuidString }.joined() }
    var count = 0
    var code: StoreError.Code?
    while code == nil, count < 200 {
      code = try notes.refusal([text()])
      if code == nil { count += 1 }
    }
    #expect(code == .diskFull)
    #expect(try notes.count == count)
    try #require(system("mount -o remount,size=20m '\(place)'") == 0)
    try notes.save([text()])
    #expect(try notes.count == count + 1)
  }
}
