import CipherDatabase
import Foundation
import Glibc
import ObjectModel
import SQLCipherStore
import StoreContract
import StoreKeyring
import Synchronization
import Testing

@Suite("Files that several programs use, and files of others")
struct SharedFileTests {
  private func code(_ body: () async throws -> Void) async -> StoreError.Code? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? StoreError)?.code
    }
  }

  @Test("openings during rotations, compactions and backups find the key")
  func openingMeanwhile() async throws {
    let notes = try Notes()
    try await notes.make(200)
    let opened = Counter()
    let opening = Task {
      var errors: [String] = []
      while !Task.isCancelled {
        do {
          if try await notes.count() != 200 { errors.append("rows are missing") }
          opened.add()
        } catch {
          errors.append("\(error)")
        }
        // Nothing above waits for anybody, and other tests want the thread.
        await Task.yield()
      }
      return errors
    }
    for round in 0..<12 {
      let before = opened.count
      while opened.count == before { try await Task.sleep(for: .milliseconds(1)) }
      try await patiently { _ = try await SQLCipherStore.rotateKey(of: notes.description) }
      try await patiently { try await SQLCipherStore.compact(notes.description) }
      try await SQLCipherStore.backUp(notes.description, to: notes.file("copy\(round)"))
    }
    opening.cancel()
    let errors = await opening.value
    #expect(errors.isEmpty, "\(errors.prefix(3))")
  }

  private final class Counter: Sendable {
    private let value = Atomic(0)
    var count: Int { value.load(ordering: .relaxed) }
    func add() { value.add(1, ordering: .relaxed) }
  }

  /// Somebody else may have the store open just then.
  private func patiently(_ body: () async throws -> Void) async throws {
    for _ in 0..<100 {
      do {
        return try await body()
      } catch let error as StoreError where error.code == .busy {}
    }
    try await body()
  }

  @Test("a save into a file that was replaced or removed meanwhile is refused, not lost")
  func replacedMeanwhile() async throws {
    let notes = try Notes()
    try await notes.make(10)
    let store = try await notes.open()
    try FileManager.default.moveItem(at: notes.scratch.store, to: notes.file("moved"))
    #expect(await code { try Notes.add(1, to: store) } == .fileReplaced)
    try? store.close()
  }

  @Test("a dangling link makes neither a key nor a loop")
  func danglingLink() async throws {
    let notes = try Notes()
    try FileManager.default.createSymbolicLink(
      atPath: notes.scratch.store.path, withDestinationPath: "/not/mounted/store")
    #expect(await code { _ = try await notes.open() } == .fileMissing)
  }

  @Test("a store is opened through a link as its destination")
  func link() async throws {
    let notes = try Notes()
    try await notes.make(10)
    let link = notes.file("link")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: notes.scratch.store)
    let description = PersistentStoreDescription(url: link, vault: notes.vault)
    let store = try await notes.open(description)
    try Notes.add(5, to: store)
    #expect(try await notes.count() == 15)
    try store.close()
    var journal = Data([0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]) + Data(count: 504)
    journal[26] = 2
    try journal.write(to: URL(fileURLWithPath: notes.scratch.store.path + "-journal"))
    #expect(await code { _ = try await notes.open(description) } == .fileDamaged)
  }

  @Test("of many that make a store over an empty file one does, and the others open it")
  func emptyFile() async throws {
    for _ in 0..<5 {
      let notes = try Notes()
      try Data().write(to: notes.scratch.store)
      var description = notes.description
      description.replacesEmptyFile = true
      // Who waits does so for as long as a busy machine takes.
      description.busyTimeoutMilliseconds = 120_000
      let wanted = description
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<4 {
          group.addTask {
            let store = try await notes.open(wanted)
            try Notes.add(10, to: store)
            try store.close()
          }
        }
        try await group.waitForAll()
      }
      #expect(try await notes.count() == 40)
    }
  }

  @Test("a restore that cannot be put in place leaves the store's last saves where they were")
  func failedRestore() async throws {
    let notes = try Notes()
    try await notes.make(10)
    let copy = notes.file("copy")
    try await SQLCipherStore.backUp(notes.description, to: copy)
    // The store of a program that crashed: its last save is in the log alone.
    let store = try await notes.open()
    try Notes.add(5, to: store)
    let crashed = notes.file("crashed")
    for suffix in ["", "-wal"] {
      try Data(contentsOf: URL(fileURLWithPath: notes.scratch.store.path + suffix)).write(
        to: URL(fileURLWithPath: crashed.path + suffix))
    }
    try store.close()
    let holder = try DatabaseFile(crashed.path)
    var backup = PersistentStoreDescription(url: copy, vault: notes.vault)
    backup.busyTimeoutMilliseconds = 20
    let wanted = backup
    #expect(
      await code { try await SQLCipherStore.restore(from: wanted, to: crashed, replacing: true) } == .busy)
    holder.release()
    #expect(try await notes.count(PersistentStoreDescription(url: crashed, vault: notes.vault)) == 15)
  }

  @Test("a backup whose key was retired meanwhile is not put in place")
  func retiredKey() async throws {
    let notes = try Notes()
    try await notes.make(10)
    let copy = notes.file("copy")
    try await SQLCipherStore.backUp(notes.description, to: copy)
    _ = try await SQLCipherStore.rotateKey(of: notes.description)
    let backup = PersistentStoreDescription(url: copy, vault: notes.vault)
    #expect(
      await code {
        try await SQLCipherStore.restore(from: backup, to: notes.scratch.store, replacing: true)
      } == .wrongKey)
    #expect(try await notes.count() == 10)
  }

  @Test("verifying changes no byte of a backup")
  func verifyReadsOnly() async throws {
    let notes = try Notes()
    try await notes.make(100)
    let copy = notes.file("copy")
    try await SQLCipherStore.backUp(notes.description, to: copy)
    let before = try notes.contents
    let backup = PersistentStoreDescription(url: copy, vault: notes.vault)
    #expect(try await SQLCipherStore.verify(backup).isEmpty)
    _ = try await SQLCipherStore.recoveryCode(of: backup)
    #expect(try notes.contents == before)
  }

  @Test("whatever the mask, everything is made for its owner alone")
  func modes() async throws {
    let old = umask(0)
    defer { umask(old) }
    let notes = try Notes()
    try await notes.make(10)
    let store = try await notes.open()
    try Notes.add(1, to: store)
    try await SQLCipherStore.backUp(notes.description, to: notes.file("copy"))
    for name in try FileManager.default.contentsOfDirectory(atPath: notes.scratch.folder.path) {
      var status = stat()
      #expect(stat(notes.file(name).path, &status) == 0 && status.st_mode & 0o777 == 0o600, "\(name)")
    }
    try store.close()
  }
}
