import BuiltProgram
import Foundation
import Glibc
import Strongroom
import Testing

/// SQLite makes a log and its index for a reader, too.
///
/// Needs root, to be two users.
@Suite("Who may only read a store", .serialized, .enabled(if: geteuid() == 0))
struct ReaderWithoutWriteTests {
  private let shelf: Shelf
  private let keys: String
  private let reader: uid_t

  /// A store that everybody may read, in a folder in which everybody may make files, and the reader's
  /// own copy of its keys.
  init() async throws {
    shelf = try await Shelf()
    reader = try #require(getpwnam("nobody")).pointee.pw_uid
    keys = shelf.file("reader's keys")
    try FileManager.default.copyItem(atPath: shelf.file("keys"), toPath: keys)
    #expect(chown(keys, reader, gid_t(reader)) == 0)
    #expect(chmod(shelf.folder.path, 0o777) == 0 && chmod(shelf.store, 0o644) == 0)
  }

  /// The tool, as the reader.
  private func begin(_ command: String, _ options: String...) throws -> (Process, Pipe) {
    let (process, pipe) = (Process(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
    process.arguments =
      ["--reuid=\(reader)", "--regid=\(reader)", "--clear-groups", BuiltProgram.url().path, command]
      + [shelf.store] + options + ["--vault", "file:\(keys)"]
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    return (process, pipe)
  }

  private func query() throws -> (code: Int32, output: String) {
    let (process, pipe) = try begin("query", "Book")
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }

  private func status(_ suffix: String) -> stat? {
    var status = stat()
    return lstat(shelf.store + suffix, &status) == 0 ? status : nil
  }

  private func save() async throws {
    let container = PersistentContainer(managedObjectModel: try Shelf.model(), description: shelf.description)
    try await container.loadPersistentStores()
    defer { try? container.close() }
    let context = container.newContext()
    try context.insert("Book").set("title", "One more")
    try context.save()
  }

  @Test("leaves no file that keeps its owner from writing")
  func left() async throws {
    let (code, output) = try query()
    #expect(code == 0 && output.contains("Book 1"), "\(output)")
    // What this test is about.
    #expect(status("-wal")?.st_uid == reader && status("-shm")?.st_uid == reader)
    try await save()
    #expect(status("-wal") == nil && status("-shm") == nil)
    #expect(try query().output.contains("One more"))
  }

  @Test("leaves an index beside the owner's log, whose saves stay readable and are not lost")
  func indexAlone() async throws {
    let kept = shelf.file("kept")
    let container = PersistentContainer(managedObjectModel: try Shelf.model(), description: shelf.description)
    try await container.loadPersistentStores()
    let context = container.newContext()
    try context.insert("Book").set("title", "In the log")
    try context.save()
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: shelf.store + suffix, toPath: kept + suffix)
    }
    try container.close()
    for suffix in ["", "-wal"] {
      try? FileManager.default.removeItem(atPath: shelf.store + suffix)
      try FileManager.default.moveItem(atPath: kept + suffix, toPath: shelf.store + suffix)
      #expect(chmod(shelf.store + suffix, 0o644) == 0)
    }
    let (code, output) = try query()
    #expect(code == 0 && output.contains("In the log"), "\(output)")
    #expect(status("-wal")?.st_uid == 0 && status("-shm")?.st_uid == reader)
    try await save()
    let all = try query().output
    #expect(all.contains("In the log") && all.contains("One more"), "\(all)")
  }

  @Test("is waited for while reading, and named")
  func live() async throws {
    let (process, pipe) = try begin("history", "--follow", "--format", "csv")
    defer { process.terminate() }
    // It has the store open once it has written something.
    #expect(!pipe.fileHandleForReading.availableData.isEmpty)
    var description = shelf.description
    description.busyTimeoutMilliseconds = 50
    await #expect {
      try await SQLCipherStore(model: Shelf.model(), description: description).loadMetadata()
    } throws: { error in
      (error as? StoreError)?.code == .busy && "\(error)".contains("may not write")
    }
    process.terminate()
    process.waitUntilExit()
    try await save()
  }

  @Test("may be its owner, who may write later")
  func ownMode() async throws {
    #expect(chown(shelf.store, reader, gid_t(reader)) == 0 && chmod(shelf.store, 0o400) == 0)
    for _ in 0..<2 {
      let (code, output) = try query()
      #expect(code == 0 && output.contains("Book 1"), "\(output)")
    }
    #expect(chmod(shelf.store, 0o600) == 0)
    let (process, pipe) = try begin("compact")
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(String(decoding: output, as: UTF8.self))")
    #expect(try query().code == 0)
  }
}
