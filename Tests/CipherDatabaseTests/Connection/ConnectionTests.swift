import Foundation
import Testing

@testable import CipherDatabase

@Suite("Connections")
struct ConnectionTests {
  private func path() -> String {
    FileManager.default.temporaryDirectory.appendingPathComponent("strongroom-\(UUID().uuidString)").path
  }

  private func open(_ path: String, create: Bool = true, busy: Int = 100) throws -> Connection {
    var options = ConnectionOptions()
    options.createIfMissing = create
    options.busyTimeoutMilliseconds = busy
    let bytes = [UInt8](repeating: 3, count: 48)
    return try bytes.withUnsafeBytes { bytes in
      try Connection(
        path: path,
        key: CipherKeySpec(
          key: UnsafeRawBufferPointer(rebasing: bytes[..<32]),
          salt: UnsafeRawBufferPointer(rebasing: bytes[32...])),
        options: options)
    }
  }

  private func remove(_ path: String) {
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
  }

  @Test("are set up as the store needs")
  func setUp() throws {
    let path = path()
    defer { remove(path) }
    let connection = try open(path)
    for (pragma, wanted) in [
      ("journal_mode", "wal"), ("synchronous", "2"), ("temp_store", "2"), ("page_size", "4096"),
      ("cache_size", "-65536"),
      ("locking_mode", "normal"), ("busy_timeout", "100"), ("secure_delete", "1"),
    ] { #expect(try connection.text("PRAGMA \(pragma)") == wanted, "\(pragma)") }
    #expect(!connection.cipherVersion.isEmpty)
    #expect(throws: CipherError.self) { try open(path) }
  }

  @Test("a nested transaction is undone alone, and the outer one as a whole")
  func savepoints() throws {
    struct Stop: Error {}
    let path = path()
    defer { remove(path) }
    let connection = try open(path)
    try connection.execute("CREATE TABLE t (x)")
    try connection.transaction(.immediate) {
      try connection.execute("INSERT INTO t VALUES (1)")
      try? connection.transaction(.immediate) {
        try connection.execute("INSERT INTO t VALUES (2)")
        throw Stop()
      }
      try connection.execute("INSERT INTO t VALUES (3)")
    }
    #expect(try connection.text("SELECT group_concat(x) FROM t") == "1,3")
    #expect(throws: Stop.self) {
      try connection.transaction(.immediate) {
        try connection.execute("DELETE FROM t")
        throw Stop()
      }
    }
    #expect(!connection.isInTransaction)
    #expect(try connection.text("SELECT group_concat(x) FROM t") == "1,3")
  }

  @Test("one writer; readers go on and see what was committed")
  func concurrency() throws {
    let path = path()
    defer { remove(path) }
    let (writer, other) = (try open(path), try open(path, create: false, busy: 10))
    try writer.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
    try writer.transaction(.immediate) {
      try writer.execute("INSERT INTO t VALUES (2)")
      #expect(try other.text("SELECT count(*) FROM t") == "1")
      #expect { try other.transaction(.immediate) {} } throws: { ($0 as? CipherError)?.code == .busy }
    }
    #expect(try other.text("SELECT count(*) FROM t") == "2")
  }

  @Test("long work can be interrupted")
  func interrupt() throws {
    let path = path()
    defer { remove(path) }
    let connection = try open(path)
    let statement = try connection.prepare(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n")
    #expect(try statement.step())
    connection.interrupt()
    #expect { while try statement.step() {} } throws: { ($0 as? CipherError)?.code == .interrupted }
  }

  @Test("values of every kind go in and come out as they were")
  func values() throws {
    let path = path()
    defer { remove(path) }
    let connection = try open(path)
    let statement = try connection.cached("SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, typeof(?5), typeof(?6)")
    statement.bind(1, Int64.min)
    statement.bind(2, Double.infinity)
    statement.bindNull(3)
    statement.bind(4, "a\u{0}é\u{0}")
    statement.bind(5, "")
    statement.bind(6, blob: UnsafeRawBufferPointer(start: nil, count: 0), copy: true)
    [UInt8](0...255).withUnsafeBytes { statement.bind(7, blob: $0, copy: true) }
    #expect(try statement.step())
    #expect(statement.int64(0) == .min && statement.double(1) == .infinity && statement.isNull(2))
    #expect(statement.text(3) == "a\u{0}é\u{0}" && statement.text(4).isEmpty && statement.bytes(5).isEmpty)
    #expect(Array(statement.bytes(6)) == Array(0...255))
    #expect(statement.text(7) == "text" && statement.text(8) == "blob")
    #expect(try connection.cached(statement.sql) === statement)
  }

  @Test("a list of any length is one parameter; an unknown list is an error")
  func integers() throws {
    let path = path()
    defer { remove(path) }
    let connection = try open(path)
    let statement = try connection.cached("SELECT count(*), sum(value), max(position) FROM _integers(?1)")
    for count in [0, 1, 100_000] {
      statement.bind(1, integers: IntegerArray((0..<count).map { Int64($0) }))
      #expect(try statement.step())
      #expect(statement.int64(0) == Int64(count) && statement.int64(1) == Int64(count * (count - 1) / 2))
      statement.reset()
    }
    #expect(throws: CipherError.self) { try connection.execute("SELECT * FROM _integers(12345)") }
    #expect(throws: CipherError.self) { try connection.execute("SELECT * FROM _integers") }
  }

  @Test("one that met a damaged page writes no more")
  func damaged() throws {
    let path = path()
    defer { remove(path) }
    let first = try open(path)
    try first.execute("CREATE TABLE t (x); INSERT INTO t VALUES ('whole')")
    first.close()
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    bytes[4096 + 2000] ^= 1
    try bytes.write(to: URL(fileURLWithPath: path))
    let again = try open(path, create: false)
    #expect(throws: CipherError.self) { try again.text("SELECT x FROM t") }
    #expect { try again.transaction(.immediate) {} } throws: {
      ($0 as? CipherError)?.code == .connectionPoisoned
    }
    again.close()
  }

  @Test("SQL loads no code and sets no tokenizer")
  func noCode() throws {
    let path = path()
    defer { remove(path) }
    let connection = try open(path)
    for sql in ["SELECT load_extension('/nothing')", "SELECT fts3_tokenizer('simple', x'0000000000000000')"] {
      #expect(throws: CipherError.self, "\(sql)") { try connection.text(sql) }
    }
  }

  @Test("SQLCipher's own locking of all memory is off")
  func memorySecurity() throws {
    let path = path()
    defer { remove(path) }
    let connection = try open(path)
    let answer = try connection.text("PRAGMA cipher_memory_security")
    #expect(answer == nil || answer == "0")
  }
}
