import Foundation
import Glibc
import SQLCipherStore
import StoreContract
import StoreKeyring
import Testing

/// Stores on file systems that cannot do everything.
///
/// Needs root, for mounting.
@Suite("Stores on other media", .serialized, .enabled(if: geteuid() == 0))
struct MediumTests {
  private func run(_ arguments: String...) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    do { try process.run() } catch { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  @Test("a store and a backup on a medium for reading only can be opened, verified and restored from")
  func readOnly() async throws {
    let notes = try Notes()
    try await notes.make(50)
    let folder = notes.file("medium")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try #require(run("mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", folder.path))
    defer { _ = run("umount", "-l", folder.path) }
    let (store, backup) = (folder.appendingPathComponent("store"), folder.appendingPathComponent("back up?"))
    try FileManager.default.copyItem(at: notes.scratch.store, to: store)
    try await SQLCipherStore.backUp(notes.description, to: backup)
    try #require(run("mount", "-o", "remount,ro", folder.path))
    for url in [store, backup] {
      var description = PersistentStoreDescription(url: url, vault: notes.vault)
      #expect(try await SQLCipherStore.verify(description).isEmpty)
      let copy = notes.file("from \(url.lastPathComponent)")
      try await SQLCipherStore.restore(from: description, to: copy)
      #expect(try await notes.count(PersistentStoreDescription(url: copy, vault: notes.vault)) == 50)
      let wanted = description
      let model = try await SQLCipherStore.storedModel(wanted)
      #expect(try await SQLCipherStore.migrationForecast(for: wanted, to: model).isCurrent)
      await #expect { try await notes.count(wanted) } throws: { ($0 as? StoreError)?.code == .notWritable }
      description.isReadOnly = true
      #expect(try await notes.count(description) == 50)
    }
  }
}
