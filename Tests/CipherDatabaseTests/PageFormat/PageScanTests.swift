import Foundation
import Testing

@testable import CipherDatabase

@Suite("Scans of pages by several cores")
struct PageScanTests {
  private static let key: [UInt8] = Array(0..<32)
  private static let salt: [UInt8] = Array(100..<116)

  @Test("find every damaged page, in order and up to a limit, whatever the number of cores")
  func damaged() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("scan-\(UUID().uuidString)").path
    defer {
      for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
    }
    var options = ConnectionOptions()
    options.createIfMissing = true
    let spec = try Self.key.withUnsafeBytes { key in
      try Self.salt.withUnsafeBytes { try CipherKeySpec(key: key, salt: $0) }
    }
    let connection = try Connection(path: path, key: spec, options: options)
    try connection.execute("CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(6000000))")
    connection.close()
    let file = try DatabaseFile(path)
    defer { file.release() }
    let last = UInt32(file.size / 4096)
    #expect(last > 1024)
    let planted: [UInt32] = [2, 256, 257, 512, 513, 900, last]
    let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
    for page in planted {
      try handle.seek(toOffset: UInt64(page - 1) * 4096 + 100)
      try handle.write(contentsOf: Data([1, 2, 3, 4]))
    }
    try handle.close()
    let authenticator = try Self.key.withUnsafeBytes {
      try PageAuthenticator(key: $0, salt: Self.salt, format: .version3)
    }
    for cores in [1, 2, 3, 7, 0] {
      var reports: [Int] = []
      let found = try PageScan.damagedPages(file, authenticator, cores: cores) { done, total in
        reports.append(done)
        #expect(total == Int(last))
      }
      #expect(found == planted, "\(cores) cores")
      #expect(reports.last == Int(last) && reports == reports.sorted())
      #expect(try PageScan.damagedPages(file, authenticator, limit: 3, cores: cores) == [2, 256, 257])
    }
  }
}
