import CipherDatabase
import Foundation
import Glibc
import Testing

@Suite("Locks of a file that is open")
struct LockTests {
  private func probe(_ path: String) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("cipher-probe")
    process.arguments = ["lock", path]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private func open(_ path: String, create: Bool) throws -> Connection {
    var options = ConnectionOptions()
    options.createIfMissing = create
    let key = [UInt8](repeating: 7, count: 32)
    let salt = [UInt8](repeating: 9, count: 16)
    return try key.withUnsafeBytes { key in
      try salt.withUnsafeBytes {
        try Connection(path: path, key: CipherKeySpec(key: key, salt: $0), options: options)
      }
    }
  }

  @Test("survive looking at the file, and another connection's coming and going")
  func survival() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(
      "strongroom-\(UUID().uuidString)"
    ).path
    defer { for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) } }
    let first = try open(path, create: true)
    try first.execute("CREATE TABLE t (x)")
    #expect(try probe(path) == "busy")
    #expect(try first.file.head(16) == [UInt8](repeating: 9, count: 16))
    #expect(try probe(path) == "busy")
    let second = try open(path, create: false)
    #expect(try second.text("SELECT count(*) FROM t") == "0")
    second.close()
    #expect(try probe(path) == "busy")
    // What POSIX does to the locks when any descriptor of the file is closed: the reason for all
    // this. From 3.51 on SQLite asks the log's index too, whose lock is still there.
    close(Glibc.open(path, O_RDONLY))
    let minor = Connection.libraryVersion.split(separator: ".").dropFirst().first.flatMap { Int($0) } ?? 0
    #expect(try probe(path) == (minor >= 51 ? "busy" : "locked"))
    first.close()
  }

  @Test("keep an opening out while a file is replaced, which then notices")
  func replacement() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent(
      "strongroom-\(UUID().uuidString)"
    ).path
    let copy = path + ".copy"
    defer { for suffix in ["", "-wal", "-shm", ".copy"] { unlink(path + suffix) } }
    let owner = try open(path, create: true)
    try owner.lockExclusively()
    try owner.execute("PRAGMA journal_mode = DELETE")
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    let outcome = Outcome()
    let thread = Thread {
      do {
        try self.open(path, create: false).close()
        outcome.text = "opened"
      } catch { outcome.text = (error as? CipherError)?.code.rawValue ?? "\(error)" }
      outcome.done.signal()
    }
    thread.start()
    usleep(200_000)
    try File.replace(path, with: copy)
    owner.close()
    #expect(outcome.done.wait(timeout: .now() + 10) == .success)
    #expect(outcome.text == "fileReplaced")
  }

  private final class Outcome: @unchecked Sendable {
    // @unchecked: the semaphore orders writing before reading.
    var text = ""
    let done = DispatchSemaphore(value: 0)
  }
}
