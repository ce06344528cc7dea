import Foundation
import Glibc
import Locks
import Synchronization
import Testing

@testable import CipherDatabase

@Suite("A file in use is not replaced")
struct DatabaseFileTests {
  private final class Folder {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("strongroom-\(UUID().uuidString)")
    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: url) }
    func path(_ name: String) -> String { url.appendingPathComponent(name).path }
  }

  private func open(_ path: String, create: Bool = false) throws -> Connection {
    var options = ConnectionOptions()
    options.createIfMissing = create
    options.busyTimeoutMilliseconds = 50
    let key = [UInt8](repeating: 7, count: 32)
    let salt = [UInt8](repeating: 9, count: 16)
    return try key.withUnsafeBytes { key in
      try salt.withUnsafeBytes {
        try Connection(path: path, key: CipherKeySpec(key: key, salt: $0), options: options)
      }
    }
  }

  private func code(_ body: () throws -> Void) -> CipherError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? CipherError)?.code
    }
  }

  /// What another process that opens the file is told.
  private func probe(_ path: String) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
      .appendingPathComponent("cipher-probe")
    process.arguments = ["open", path]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @Test("a file that is open is not locked exclusively, and a locked one is not opened")
  func alone() throws {
    let folder = try Folder()
    let path = folder.path("file")
    let first = try open(path, create: true)
    try first.execute("CREATE TABLE t (x)")
    let second = try open(path)
    #expect(code { try first.file.takeAlone(own: 1, waiting: 20) } == .busy)
    second.close()
    try first.file.takeAlone(own: 1, waiting: 20)
    #expect(code { try open(path).close() } == .busy)
    #expect(try probe(path) == "busy")
    first.file.shareAgain()
    #expect(try probe(path) == "opened")
    try open(path).close()
    first.close()
  }

  @Test("of two that wait to have a file alone, which both hold, one gives way and the other one's wait ends")
  func wantedByTwo() async throws {
    let folder = try Folder()
    let path = folder.path("file")
    try open(path, create: true).close()
    let (first, second) = (try DatabaseFile(path), try DatabaseFile(path))
    let outcome = Locked<Result<Bool, any Error>?>(nil)
    Thread.detachNewThread {
      let result = Result { try first.takeAlone(own: 1, waiting: 3_600_000) }
      outcome.withLock { $0 = result }
    }
    // Until the first one waits, it is the holds of others that are in the way, not who waits.
    while code({ try second.takeAlone(own: 1, waiting: 0, givesWay: true) }) == .busy {
      try await Task.sleep(for: .milliseconds(1))
    }
    // The other one's wait goes on.
    second.shareAgain()
    #expect(code { try second.takeAlone(own: 1, waiting: 20) } == .busy)
    #expect(code { _ = try DatabaseFile(path, waiting: 20) } == .busy)
    second.release()
    while outcome.withLock({ $0 == nil }) { try await Task.sleep(for: .milliseconds(1)) }
    #expect(try outcome.withLock { try $0?.get() } == true)
    // Its claim ends with its hold, also where somebody else of this process has one more.
    let third = first.another()
    first.release()
    try DatabaseFile(path, waiting: 20).release()
    third.release()
  }

  @Test("an opening that waits while the file is replaced opens the new one")
  func waiting() throws {
    let folder = try Folder()
    let (path, other) = (folder.path("file"), folder.path("other"))
    for (path, value) in [(path, 1), (other, 2)] {
      let made = try open(path, create: true)
      try made.execute("CREATE TABLE t (x); INSERT INTO t VALUES (\(value))")
      made.close()
    }
    let file = try DatabaseFile(path)
    try file.takeAlone(own: 1, waiting: 0)
    let isInPlace = Locked<Bool?>(nil)
    let ended = DispatchSemaphore(value: 0)
    // A thread of its own: one of the tasks' would be missing to the other tests while it waits.
    Thread.detachNewThread {
      if let file = try? DatabaseFile(path, waiting: 60_000) {
        isInPlace.withLock { $0 = file.isInPlace }
        file.release()
      }
      ended.signal()
    }
    usleep(50_000)
    try file.replaceDatabase(with: other)
    file.release()
    ended.wait()
    #expect(isInPlace.withLock { $0 } == true)
    let new = try open(path)
    #expect(try new.text("SELECT x FROM t") == "2")
    new.close()
  }

  @Test("a connection whose file somebody else replaced writes no more, and leaves the new file's log alone")
  func replacedByOthers() throws {
    let folder = try Folder()
    let (path, other) = (folder.path("file"), folder.path("other"))
    let first = try open(path, create: true)
    try first.execute("CREATE TABLE t (x)")
    let made = try open(other, create: true)
    try made.execute("CREATE TABLE t (x)")
    made.close()
    // As `mv` does it, and a program that knows nothing of this library.
    try #require(rename(other, path) == 0)
    for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
    let second = try open(path)
    try second.execute("INSERT INTO t VALUES (2)")
    #expect(
      code { try first.transaction(.immediate) { try first.execute("INSERT INTO t VALUES (1)") } }
        == .fileReplaced)
    first.close()
    #expect(access(path + "-wal", F_OK) == 0)
    #expect(try second.text("SELECT x FROM t") == "2")
    second.close()
    let again = try open(path)
    #expect(try again.text("SELECT group_concat(x) FROM t") == "2")
    again.close()
  }

  @Test("a file that is removed under a connection is written to no more")
  func removed() throws {
    let folder = try Folder()
    let path = folder.path("file")
    let connection = try open(path, create: true)
    try connection.execute("CREATE TABLE t (x)")
    unlink(path)
    #expect(code { try connection.transaction(.immediate) {} } == .fileReplaced)
    #expect(try connection.text("SELECT count(*) FROM t") == "0")
    connection.close()
  }

  @Test("a replacement that fails leaves the log where it was; one that was killed half-way gives it back")
  func failedReplacement() throws {
    let folder = try Folder()
    let path = folder.path("file")
    let connection = try open(path, create: true)
    try connection.execute("CREATE TABLE t (x); INSERT INTO t VALUES (1)")
    // A log that is not moved into the file, as a crash leaves it.
    for name in ["", "-wal"] {
      try Data(contentsOf: URL(fileURLWithPath: path + name)).write(
        to: folder.url.appendingPathComponent("crashed" + name))
    }
    connection.close()
    let crashed = folder.path("crashed")
    let file = try DatabaseFile(crashed)
    try file.takeAlone(own: 1, waiting: 0)
    #expect(code { try file.replaceDatabase(with: folder.path("nothing")) } == .fileIsMissing)
    file.release()
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted() == [
        "crashed", "crashed-wal", "file",
      ])
    let again = try open(crashed)
    #expect(try again.text("SELECT x FROM t") == "1")
    again.close()
  }

  @Test("a log beside a name that gets a new file is refused, since it would be taken for the new file's")
  func staleLog() throws {
    let folder = try Folder()
    let made = try open(folder.path("new"), create: true)
    made.close()
    try Data(count: 32).write(to: folder.url.appendingPathComponent("file-wal"))
    #expect(code { try File.placeDatabase(folder.path("new"), at: folder.path("file")) } == .foreignJournal)
    unlink(folder.path("file-wal"))
    try File.placeDatabase(folder.path("new"), at: folder.path("file"))
    #expect(code { try File.placeDatabase(folder.path("file"), at: folder.path("file")) } == .alreadyExists)
  }

  @Test("looking at a file a thousand times takes no descriptor")
  func descriptors() throws {
    let folder = try Folder()
    let path = folder.path("file")
    let connection = try open(path, create: true)
    func count() throws -> Int { try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count }
    func paths() throws -> Int {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").filter {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)"))?.hasPrefix(path)
          == true
      }.count
    }
    let before = try paths()
    for _ in 0..<1000 {
      let file = try DatabaseFile(path)
      _ = try file.head(16)
      file.release()
    }
    for _ in 0..<20 { try open(path).close() }
    // A thousand looks once left a thousand descriptors; SQLite parks those of its own until the
    // last connection closes.
    #expect(try paths() <= before + 20)
    connection.close()
    #expect(try paths() == 0)
  }

  @Test("a file with two names is not written to, by which each name would have a log of its own")
  func secondName() throws {
    let folder = try Folder()
    let (path, other) = (folder.path("file"), folder.path("other"))
    try open(path, create: true).close()
    try FileManager.default.linkItem(atPath: path, toPath: other)
    for name in [path, other] { #expect(code { try open(name).close() } == .otherNames) }
    unlink(other)
    try open(path).close()
  }

  @Test("links are followed to the file, and refused beside it")
  func links() throws {
    let folder = try Folder()
    let (path, link) = (folder.path("file"), folder.path("link"))
    try open(path, create: true).close()
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "file")
    let opened = try open(link)
    #expect(opened.file.path == (path as NSString).resolvingSymlinksInPath)
    try opened.execute("CREATE TABLE t (x)")
    #expect(access(link + "-wal", F_OK) != 0)
    opened.close()
    let victim = folder.url.appendingPathComponent("victim")
    try Data("precious".utf8).write(to: victim)
    for suffix in ["-shm", "-wal", "-journal"] {
      try FileManager.default.createSymbolicLink(atPath: path + suffix, withDestinationPath: victim.path)
      #expect(code { try open(path).close() } == .foreignJournal, "\(suffix) as a link")
      unlink(path + suffix)
      try FileManager.default.createSymbolicLink(
        atPath: path + suffix, withDestinationPath: folder.path("nowhere"))
      #expect(code { try open(path).close() } == .foreignJournal, "\(suffix) as a link that leads nowhere")
      #expect(access(folder.path("nowhere"), F_OK) != 0)
      unlink(path + suffix)
      try FileManager.default.linkItem(atPath: victim.path, toPath: path + suffix)
      #expect(code { try open(path).close() } == .foreignJournal, "\(suffix) as a second name")
      unlink(path + suffix)
    }
    #expect(try Data(contentsOf: victim) == Data("precious".utf8))
    unlink(link)
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/not/mounted")
    #expect(code { _ = try DatabaseFile(link) } == .danglingLink)
  }

  @Test("a shared-memory file that others remove at this moment is no link")
  func vanishing() throws {
    let folder = try Folder()
    let path = folder.path("file")
    try open(path, create: true).close()
    let isDone = Atomic<Bool>(false)
    let ended = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      while !isDone.load(ordering: .relaxed) {
        close(Glibc.open(path + "-shm", O_CREAT | O_RDWR, 0o600))
        unlink(path + "-shm")
      }
      ended.signal()
    }
    let file = try DatabaseFile(path)
    let checks = FileChecks(file: file)
    for _ in 0..<20_000 { try checks.checkExisting() }
    isDone.store(true, ordering: .relaxed)
    ended.wait()
    file.release()
  }

  @Test("a journal that names another file, or would empty the store, is refused before SQLite sees it")
  func superJournal() throws {
    let folder = try Folder()
    let path = folder.path("file")
    try open(path, create: true).close()
    let victim = folder.url.appendingPathComponent("victim")
    try Data("precious".utf8).write(to: victim)
    let magic: [UInt8] = [0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]
    func big(_ number: Int) -> [UInt8] { withUnsafeBytes(of: UInt32(number).bigEndian) { Array($0) } }
    func header(pages: Int) -> Data {
      Data(magic + big(0) + big(1) + big(pages) + big(512) + big(4096)) + Data(count: 512 - 28)
    }
    let name = Array(victim.path.utf8)
    let end = big(1 << 30 / 4096 + 1) + name + big(name.count) + big(name.reduce(0) { $0 + Int($1) }) + magic
    try (header(pages: 1) + Data(end)).write(to: URL(fileURLWithPath: path + "-journal"))
    #expect(code { try open(path).close() } == .foreignJournal)
    #expect(try Data(contentsOf: victim) == Data("precious".utf8))
    try header(pages: 0).write(to: URL(fileURLWithPath: path + "-journal"))
    #expect(code { try open(path).close() } == .foreignJournal)
  }

  /// What keeps somebody else from locking a byte of a file: F_RDLCK, F_WRLCK or F_UNLCK.
  private func lock(_ start: off_t, _ path: String) -> Int32 {
    let descriptor = Glibc.open(path, O_RDWR)
    defer { close(descriptor) }
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = start
    lock.l_len = 1
    let getLock: Int32 = 36  // F_OFD_GETLK
    return fcntl(descriptor, getLock, &lock) == 0 ? Int32(lock.l_type) : -1
  }

  @Test("the locks of holds stand on the bytes that the format names")
  func bytes() throws {
    let folder = try Folder()
    let path = folder.path("file")
    try open(path, create: true).close()
    let file = try DatabaseFile(path)
    let (use, waiting): (off_t, off_t) = (1_073_741_824 + 1024, 1_073_741_824 + 1025)
    #expect(lock(use, path) == Int32(F_RDLCK) && lock(waiting, path) == Int32(F_UNLCK))
    try file.takeAlone(own: 1, waiting: 0)
    #expect(lock(use, path) == Int32(F_WRLCK) && lock(waiting, path) == Int32(F_WRLCK))
    file.shareAgain()
    #expect(lock(use, path) == Int32(F_RDLCK) && lock(waiting, path) == Int32(F_UNLCK))
    file.release()
    #expect(lock(use, path) == Int32(F_UNLCK))
  }

  @Test("what a killed process left of copies and of their own keepsakes goes, and nothing else")
  func abandoned() throws {
    let folder = try Folder()
    let copy = "s.0123456789abcdef.new"
    let going = [
      copy, copy + ".fedcba9876543210.new", copy + ".before-migration", copy + ".before-migration-2",
    ]
    let staying = ["s", "s.before-migration", "other.0123456789abcdef.new", "s.0123456789abcdef.new.txt"]
    for name in going + staying {
      try Data("x".utf8).write(to: URL(fileURLWithPath: folder.path(name)))
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -3600)], ofItemAtPath: folder.path(name))
    }
    UnfinishedCopy.removeAbandoned(beside: folder.path("s"))
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
    #expect(left == staying.sorted(), "\(left)")
  }

  @Test("a log whose pages have an impossible size, under right checksums, is not read")
  func hostileLog() throws {
    func bytes(_ words: [UInt32]) -> [UInt8] {
      words.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(24 - 8 * $0)) } }
    }
    let words: [UInt32] = [0x377F_0683, 3_007_000, 513, 0, 1, 2]
    var sums: (UInt32, UInt32) = (0, 0)
    for place in stride(from: 0, to: words.count, by: 2) {
      sums.0 &+= words[place] &+ sums.1
      sums.1 &+= words[place + 1] &+ sums.0
    }
    let frame = bytes([1, 1, 1, 2, 0, 0]) + [UInt8](repeating: 7, count: 513)
    let log = try Folder()
    try Data(bytes(words + [sums.0, sums.1]) + frame).write(to: URL(fileURLWithPath: log.path("s-wal")))
    #expect(!WriteAheadLogCheck.losesFrames(log.path("s-wal")))
  }
}
