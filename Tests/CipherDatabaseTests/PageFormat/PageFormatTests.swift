import Cryptography
import Foundation
import Glibc
import Locks
import Testing

@testable import CipherDatabase

/// What stands in a file's pages, read without SQLite.
@Suite("The pages of a file")
struct PageFormatTests {
  private static let key = [UInt8](repeating: 7, count: 32)
  private static let salt = [UInt8](repeating: 9, count: 16)

  private final class Place {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("pages-\(UUID().uuidString)")
      .path
    deinit {
      for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }

    var bytes: [UInt8] { get throws { [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))) } }

    func write(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(fileURLWithPath: path)) }
  }

  /// Opens a file, has SQL done, and closes it.
  private func run(
    _ sql: String, _ place: Place, create: Bool = false, format: CipherFormat = .version3
  ) throws -> String? {
    var options = ConnectionOptions()
    options.createIfMissing = create
    options.format = format
    let spec = try Self.key.withUnsafeBytes { key in
      try Self.salt.withUnsafeBytes { try CipherKeySpec(key: key, salt: $0) }
    }
    let connection = try Connection(path: place.path, key: spec, options: options)
    defer { connection.close() }
    if sql.hasPrefix("SELECT") || sql.hasPrefix("PRAGMA") { return try connection.text(sql) }
    try connection.execute(sql)
    return nil
  }

  private func page(_ number: Int, _ bytes: [UInt8]) -> [UInt8] {
    [UInt8](bytes[(number - 1) * 4096..<number * 4096])
  }

  /// A page decrypted, without salt, vector and MAC.
  private func plain(_ number: Int, _ bytes: [UInt8], reserve: Int) throws -> [UInt8] {
    let page = page(number, bytes)
    let end = 4096 - reserve
    return try page.withUnsafeBytes { page in
      try BlockCipher.decrypt(
        UnsafeRawBufferPointer(rebasing: page[(number == 1 ? 16 : 0)..<end]),
        key: Self.key.withUnsafeBytes { SecretKey($0) },
        vector: UnsafeRawBufferPointer(rebasing: page[end..<end + 16]))
    }
  }

  private func authenticator(_ format: PageFormat) throws -> PageAuthenticator {
    try Self.key.withUnsafeBytes { try PageAuthenticator(key: $0, salt: Self.salt, format: format) }
  }

  /// The second writer is in step with a reader that looks every 20 milliseconds.
  @Test(
    "are not called damaged where others write them while they are read",
    arguments: [(half: 200, whole: 3000), (half: 14_000, whole: 5900)])
  func writtenMeanwhile(half: Int, whole: Int) throws {
    let place = Place()
    _ = try run("CREATE TABLE t (x); INSERT INTO t VALUES ('one')", place, create: true)
    let one = page(2, try place.bytes)
    _ = try run("UPDATE t SET x = 'two'", place)
    let two = page(2, try place.bytes)
    #expect(one != two)
    let path = place.path
    let isOver = Locked(false)
    // How long a page was half-way at most in a round: a writer that gets no processor stands still there.
    let longest = Locked(Duration.zero)
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      let file = open(path, O_WRONLY)
      while !isOver.withLock({ $0 }) {
        for version in [one, two] {
          // Half-way for some of the time.
          let start = ContinuousClock.now
          version.withUnsafeBytes { _ = pwrite(file, $0.baseAddress, 2048, 4096) }
          usleep(useconds_t(half))
          version.withUnsafeBytes { _ = pwrite(file, $0.baseAddress?.advanced(by: 2048), 2048, 4096 + 2048) }
          let half = ContinuousClock.now - start
          longest.withLock { $0 = max($0, half) }
          usleep(useconds_t(whole))
        }
      }
      close(file)
      ended.signal()
    }
    let file = try DatabaseFile(place.path)
    let authenticator = try authenticator(.version3)
    var torn = 0
    for _ in 0..<1000 where torn < 20 {
      longest.withLock { $0 = .zero }
      if !PageScan.isIntact(2, file, authenticator) { torn += 1 }
      let damaged = try PageScan.damagedPages(file, authenticator, isWrittenTo: true)
      // Until the writer has gone on, so that its time counts.
      while !damaged.isEmpty, !PageScan.isIntact(2, file, authenticator) { usleep(1000) }
      usleep(damaged.isEmpty ? 0 : 10_000)
      #expect(damaged.isEmpty || longest.withLock { $0 > .milliseconds(400) })
    }
    #expect(torn > 0)
    file.release()
    isOver.withLock { $0 = true }
    ended.wait()
  }

  @Test("have salt, ciphertext, vector and MAC where the format says", arguments: CipherFormat.allCases)
  func layout(format: CipherFormat) throws {
    guard format.isAvailable else { return }
    let place = Place()
    _ = try run("CREATE TABLE t (x); INSERT INTO t VALUES ('readable')", place, create: true, format: format)
    let bytes = try place.bytes
    let reserve = format == .version3 ? 48 : 80
    #expect([UInt8](bytes.prefix(16)) == Self.salt)
    // SQLite's header says 4096 bytes a page, and how many of them are not its own.
    let head = try plain(1, bytes, reserve: reserve)
    #expect(head[0] == 16 && head[1] == 0)
    // SQLCipher 4 makes room for its own MAC before it is told of the older format.
    #expect(Int(head[4]) == (Connection.cipherMajorVersion < 4 ? reserve : 80))
    #expect(Data(try plain(2, bytes, reserve: reserve)).range(of: Data("readable".utf8)) != nil)
    let own = try authenticator(format == .version3 ? .version3 : .version4)
    let other = try authenticator(format == .version3 ? .version4 : .version3)
    for number in 1...bytes.count / 4096 {
      let place = UInt32(number)
      let answers = page(number, bytes).withUnsafeBytes {
        [own.holds($0, number: place), other.holds($0, number: place), own.holds($0, number: place + 1)]
      }
      #expect(answers == [true, false, false], "page \(number)")
    }
  }

  @Test("of an older copy are genuine: nothing tells a page, or the whole file, that was put back")
  func older() throws {
    let place = Place()
    _ = try run("CREATE TABLE t (x); INSERT INTO t VALUES ('former')", place, create: true)
    let old = try place.bytes
    _ = try run("UPDATE t SET x = 'latter'", place)
    let new = try place.bytes
    #expect(page(2, old) != page(2, new))
    let mixed: [UInt8] = Array(new[..<4096]) + page(2, old) + Array(new[8192...])
    for bytes in [old, mixed] {
      try place.write(bytes)
      #expect(try run("SELECT x FROM t", place) == "former")
      #expect(try run("PRAGMA integrity_check", place) == "ok")
    }
  }

  /// Rows that follow each other: what a page keeps when it is split is another matter, and not
  /// promised.
  @Test("have zeros where a deleted row was")
  func overwritten() throws {
    let place = Place()
    let marker = "DISTINCTIVE"
    func count() throws -> Int {
      let bytes = try place.bytes
      var rest = Data(try (1...bytes.count / 4096).flatMap { try plain($0, bytes, reserve: 48) })
      var count = 0
      while let found = rest.range(of: Data(marker.utf8)) {
        rest = Data(rest[found.upperBound...])
        count += 1
      }
      return count
    }
    // Rows of one page, and rows of several.
    let rows = (1...120).map { number in
      let text = "\(number % 3 == 0 ? marker : "plain") \(number)"
      return "INSERT INTO t VALUES ('\(text)\(String(repeating: "x", count: number % 30 == 0 ? 6000 : 80))')"
    }
    _ = try run(
      "CREATE TABLE t (x); BEGIN; \(rows.joined(separator: "; ")); COMMIT", place,
      create: true)
    #expect(try count() == 40)
    _ = try run("DELETE FROM t WHERE x LIKE '\(marker)%'", place)
    #expect(try count() == 0)
    #expect(try run("SELECT count(*) FROM t", place) == "80")
  }
}
