import CSQLCipher
import Foundation
import Glibc
import SeededRandom
import Testing

@testable import CipherDatabase

/// Serialized: they look at the files that this process has open.
@Suite("Temporary files", .serialized)
struct TemporaryFilesTests {
  private static let marker = "marker of clear text"

  /// A store whose rows are too many for the cache.
  private func withRows(_ body: (Connection) throws -> Void) throws {
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("strongroom-\(UUID().uuidString)").path
    defer { for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) } }
    var options = ConnectionOptions()
    options.createIfMissing = true
    options.pageCacheBytes = 1 << 16
    let bytes = [UInt8](repeating: 5, count: 48)
    let connection = try bytes.withUnsafeBytes { bytes in
      try Connection(
        path: path,
        key: CipherKeySpec(
          key: UnsafeRawBufferPointer(rebasing: bytes[..<32]),
          salt: UnsafeRawBufferPointer(rebasing: bytes[32...])),
        options: options)
    }
    defer { connection.close() }
    try connection.execute(
      """
      CREATE TABLE t (n INTEGER PRIMARY KEY, x TEXT, filling TEXT);
      WITH RECURSIVE i(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM i WHERE n < 40000)
      INSERT INTO t SELECT n, (n * 7919) % 40009 || ' \(Self.marker)', hex(zeroblob(60)) FROM i
      """)
    try body(connection)
  }

  /// What the temporary files hold that this process has open; SQLite removes their names at once.
  private func contents() -> [Data] {
    let descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return descriptors.compactMap { descriptor in
      let link = "/proc/self/fd/\(descriptor)"
      guard let name = try? FileManager.default.destinationOfSymbolicLink(atPath: link),
        name.contains("etilqs_")
      else { return nil }
      return FileManager.default.contents(atPath: link)
    }
  }

  @Test("take what does not fit in the cache, and hold nothing that can be read")
  func sealed() throws {
    try withRows { connection in
      try connection.withTemporaryFiles {
        let sorted = try connection.prepare("SELECT x, filling FROM t ORDER BY x")
        try #require(try sorted.step())
        let contents = contents()
        #expect(contents.map(\.count).reduce(0, +) > 1 << 20, "the rows were sorted by way of a file")
        for content in contents {
          #expect(content.range(of: Data(Self.marker.utf8)) == nil)
          #expect(content.range(of: Data("000000000000".utf8)) == nil)
        }
        var (count, last) = (1, sorted.text(0))
        while try sorted.step() {
          #expect(last <= sorted.text(0))
          (count, last) = (count + 1, sorted.text(0))
        }
        #expect(count == 40000)
      }
      #expect(contents().isEmpty, "the files end with their statement")
    }
  }

  @Test("are not used otherwise")
  func unused() throws {
    try withRows { connection in
      let sorted = try connection.prepare("SELECT x, filling FROM t ORDER BY x")
      try #require(try sorted.step())
      #expect(contents().isEmpty)
    }
  }

  @Test("serve indexes, groups and unions as memory does")
  func statements() throws {
    try withRows { connection in
      let union =
        "SELECT group_concat(y) FROM (SELECT y FROM (SELECT x || filling AS y FROM t"
        + " UNION SELECT 'z' || x FROM t) WHERE y LIKE '%77 %')"
      let groups = "SELECT count(*) FROM (SELECT substr(x, 1, 3) || filling, count(*) FROM t GROUP BY 1)"
      let expected = try (connection.text(union), connection.text(groups))
      try connection.withTemporaryFiles {
        #expect(try connection.text(union) == expected.0)
        #expect(try connection.text(groups) == expected.1)
        try connection.execute("CREATE INDEX i ON t (x, filling)")
      }
      #expect(try connection.text("PRAGMA integrity_check") == "ok")
      #expect(try connection.text("PRAGMA temp_store") == "2")
    }
  }

  // MARK: One file

  /// A file as SQLite opens it.
  private func withFile(_ body: (UnsafeMutablePointer<sqlite3_file>) throws -> Void) throws {
    let system = try #require(sqlite3_vfs_find(TemporaryFileSystem.name))
    let place = UnsafeMutableRawPointer.allocate(byteCount: Int(system.pointee.szOsFile), alignment: 16)
    defer { place.deallocate() }
    let file = place.bindMemory(to: sqlite3_file.self, capacity: 1)
    let flags =
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_EXCLUSIVE | SQLITE_OPEN_DELETEONCLOSE
      | SQLITE_OPEN_TEMP_JOURNAL
    try #require(system.pointee.xOpen(system, nil, file, flags, nil) == SQLITE_OK)
    defer { _ = file.pointee.pMethods.pointee.xClose(file) }
    try body(file)
  }

  @Test("read back what was written, at any place and in any size", arguments: 1...20)
  func places(seed: UInt64) throws {
    var random = Random(seed: seed)
    try withFile { file in
      let methods = file.pointee.pMethods.pointee
      var expected: [UInt8] = []
      for _ in 0..<300 {
        let (offset, count) = (random.below(40_000), 1 + random.below(9000))
        switch random.below(5) {
        case 0, 1:
          let bytes = (0..<count).map { _ in UInt8(random.below(256)) }
          #expect(methods.xWrite(file, bytes, Int32(count), Int64(offset)) == SQLITE_OK)
          expected += [UInt8](repeating: 0, count: max(0, offset + count - expected.count))
          expected.replaceSubrange(offset..<offset + count, with: bytes)
        case 2:
          guard offset < expected.count else { continue }
          #expect(methods.xTruncate(file, Int64(offset)) == SQLITE_OK)
          expected.removeSubrange(offset...)
        default:
          var found = [UInt8](repeating: 9, count: count)
          let result = methods.xRead(file, &found, Int32(count), Int64(offset))
          let wanted = Array(expected.dropFirst(offset).prefix(count))
          #expect(found == wanted + [UInt8](repeating: 0, count: count - wanted.count))
          #expect(result == (wanted.count == count ? SQLITE_OK : TemporaryFile.shortRead))
        }
        var size: sqlite3_int64 = 0
        #expect(methods.xFileSize(file, &size) == SQLITE_OK && size == expected.count)
      }
    }
  }

  @Test("that were changed from outside are an error")
  func changed() throws {
    try withFile { file in
      let methods = file.pointee.pMethods.pointee
      let bytes = [UInt8](repeating: 7, count: 8192)
      #expect(methods.xWrite(file, bytes, 8192, 0) == SQLITE_OK)
      let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
      let link = try #require(
        descriptors.map { "/proc/self/fd/\($0)" }.first {
          (try? FileManager.default.destinationOfSymbolicLink(atPath: $0))?.contains("etilqs_") == true
        })
      let handle = try #require(FileHandle(forUpdatingAtPath: link))
      try handle.seek(toOffset: 5000)
      let byte = try #require(try handle.read(upToCount: 1)).map { ~$0 }
      try handle.seek(toOffset: 5000)
      try handle.write(contentsOf: byte)
      var found = [UInt8](repeating: 0, count: 4096)
      #expect(methods.xRead(file, &found, 4096, 0) == SQLITE_OK && found == Array(bytes.prefix(4096)))
      #expect(methods.xRead(file, &found, 4096, 4096) == TemporaryFile.readError)
    }
  }
}
