import CipherDatabase
import Foundation
import Glibc
import SQLCipherStore
import StoreContract
import StoreKeyring
import Synchronization
import Testing

@Suite("Copies of whole stores")
struct WholeFileTests {
  private func run(_ path: String, _ arguments: [String], input: String = "") throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    let (output, feed) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardInput = feed
    try process.run()
    try feed.fileHandleForWriting.write(contentsOf: Data(input.utf8))
    try feed.fileHandleForWriting.close()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self)
  }

  private func leftovers(_ notes: Notes) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: notes.scratch.folder.path).filter {
      $0.hasSuffix(".new")
    }
  }

  @Test("a backup of a store that is being written to is one whole snapshot")
  func liveBackup() async throws {
    let notes = try Notes()
    try await notes.make(5000)
    let store = try await notes.open()
    let goesOn = Atomic<Bool>(true)
    let saved = Atomic<Int>(5000)
    async let writing: Void = {
      while goesOn.load(ordering: .relaxed) {
        try Notes.add(7, to: store)
        saved.add(7, ordering: .relaxed)
      }
    }()
    for round in 0..<5 {
      let before = saved.load(ordering: .relaxed)
      let copy = notes.file("copy\(round)")
      try await SQLCipherStore.backUp(notes.description, to: copy)
      let count = try await notes.count(PersistentStoreDescription(url: copy, vault: notes.vault))
      #expect(count >= before && count <= saved.load(ordering: .relaxed) + 7 && (count - 5000) % 7 == 0)
    }
    goesOn.store(false, ordering: .relaxed)
    try await writing
    try store.close()
    #expect(try leftovers(notes).isEmpty)
    let existing = notes.file("copy0")
    await #expect { try await SQLCipherStore.backUp(notes.description, to: existing) } throws: {
      ($0 as? StoreError)?.code == .fileExists
    }
  }

  @Test("copies that killed processes left unfinished are removed by the next maintenance")
  func abandoned() async throws {
    let notes = try Notes()
    try await notes.make()
    let name = notes.scratch.store.lastPathComponent
    func plant(_ suffix: String, age: TimeInterval = 3600) throws {
      let file = notes.file(name + suffix)
      try Data("x".utf8).write(to: file)
      try FileManager.default.setAttributes(
        [.modificationDate: Date.now.addingTimeInterval(-age)], ofItemAtPath: file.path)
    }
    let number = "0123456789abcdef"
    let kept = [
      ".before-migration", ".copy.new", ".20261123.new", ".0123456789abcdeF.new", ".\(number)0.new",
      ".\(number).news",
    ]
    let left = [
      ".\(number).new", ".\(number).new-wal", ".\(number).new.\(number).new",
      ".before-migration-2.\(number).new",
    ]
    for suffix in kept + left { try plant(suffix) }
    let young = ".f\(number.dropFirst()).new"
    try plant(young, age: 0)
    // One that somebody has open.
    let held = ".e\(number.dropFirst()).new"
    try plant(held)
    let file = try DatabaseFile(notes.file(name + held).path)
    let other = file.another()
    defer { for hold in [file, other] { hold.release() } }
    try await SQLCipherStore.compact(notes.description)
    let now = try FileManager.default.contentsOfDirectory(atPath: notes.scratch.folder.path)
    #expect(
      Set(now.filter { $0.hasPrefix(name + ".") })
        == Set((kept + [young, held]).map { name + $0 }))
    #expect(try await notes.count(notes.description) == 1000)
  }

  @Test(
    "nothing that is damaged is handed on as whole, though the library reads it", arguments: [true, false])
  func damagedEnd(isZero: Bool) async throws {
    let notes = try Notes()
    try await notes.make(2000)
    var bytes = try Data(contentsOf: notes.scratch.store)
    if isZero {
      bytes.replaceSubrange(bytes.count - 4096..<bytes.count, with: Data(count: 4096))
    } else {
      bytes[bytes.count - 2000] ^= 1
    }
    try bytes.write(to: notes.scratch.store)
    for work in [
      { try await SQLCipherStore.backUp(notes.description, to: notes.file("copy")) },
      { try await SQLCipherStore.decrypt(notes.description, to: notes.file("plain")) },
    ] as [() async throws -> Void] {
      await #expect { try await work() } throws: { ($0 as? StoreError)?.code == .fileDamaged }
    }
    for name in ["copy", "plain"] { #expect(!FileManager.default.fileExists(atPath: notes.file(name).path)) }
  }

  @Test("a backup with a key of its own opens with that and with nothing else")
  func keyedBackup() async throws {
    let notes = try Notes()
    try await notes.make()
    let (own, copy) = (InMemoryVault(), notes.file("copy"))
    let code = try await SQLCipherStore.backUp(notes.description, to: copy, newKeyIn: [own])
    #expect(try await notes.count(PersistentStoreDescription(url: copy, vault: own)) == 1000)
    await #expect {
      try await notes.count(PersistentStoreDescription(url: copy, vault: notes.vault))
    } throws: {
      ($0 as? StoreError)?.code == .keyMissing
    }
    #expect(try RotationTests.identifier(copy) != RotationTests.identifier(notes.scratch.store))
    try await SQLCipherStore.verify(code, for: PersistentStoreDescription(url: copy, vault: own))
  }

  @Test("a restore puts a backup in place, never over a store that is open, and a damaged one nowhere")
  func restore() async throws {
    let notes = try Notes()
    try await notes.make()
    let copy = notes.file("copy")
    try await SQLCipherStore.backUp(notes.description, to: copy)
    let backup = PersistentStoreDescription(url: copy, vault: notes.vault)
    let store = try await notes.open()
    try Notes.add(5, to: store)
    await #expect { try await SQLCipherStore.restore(from: backup, to: notes.scratch.store) } throws: {
      ($0 as? StoreError)?.code == .fileExists
    }
    await #expect {
      try await SQLCipherStore.restore(from: backup, to: notes.scratch.store, replacing: true)
    } throws: { ($0 as? StoreError)?.code == .busy }
    try store.close()
    #expect(try await notes.count() == 1005)
    var damaged = try Data(contentsOf: copy)
    damaged[4096 * 3 + 7] ^= 1
    try damaged.write(to: notes.file("damaged"))
    await #expect {
      try await SQLCipherStore.restore(
        from: PersistentStoreDescription(url: notes.file("damaged"), vault: notes.vault),
        to: notes.scratch.store,
        replacing: true)
    } throws: { ($0 as? StoreError)?.code == .fileDamaged }
    #expect(try await notes.count() == 1005)
    // The store may be beyond opening when its backup is needed.
    try Data(repeating: 7, count: 40960).write(to: notes.scratch.store)
    try await SQLCipherStore.restore(from: backup, to: notes.scratch.store, replacing: true)
    #expect(try await notes.count() == 1000)
    #expect(try leftovers(notes).isEmpty)
  }

  @Test("compacting gives room back and keeps everything else")
  func compact() async throws {
    let notes = try Notes()
    try await notes.make(5000)
    let store = try await notes.open()
    let result = try store.delete(matching: .init("Note", fetchLimit: 4900))
    #expect(result.count == 4900)
    try store.close()
    let identifier = try RotationTests.identifier(notes.scratch.store)
    let sizes = try await SQLCipherStore.compact(notes.description)
    #expect(sizes.after < sizes.before / 5)
    #expect(try RotationTests.identifier(notes.scratch.store) == identifier)
    #expect(try await notes.count() == 100)
    let again = try await notes.open()
    defer { try? again.close() }
    try Notes.add(1, to: again)
    #expect(try leftovers(notes).isEmpty)
  }

  @Test("the file keeps its mode and owner when another one takes its place")
  func ownership() async throws {
    let notes = try Notes()
    try await notes.make()
    let path = notes.scratch.store.path
    chmod(path, 0o640)
    let owner: uid_t = geteuid() == 0 ? 1 : geteuid()
    #expect(chown(path, owner, getegid()) == 0)
    func check() {
      var status = stat()
      #expect(lstat(path, &status) == 0 && status.st_mode & 0o777 == 0o640 && status.st_uid == owner)
    }
    _ = try await SQLCipherStore.compact(notes.description)
    check()
    var backup = notes.description
    backup.url = notes.file("copy")
    try await SQLCipherStore.backUp(notes.description, to: notes.file("copy"))
    try await SQLCipherStore.restore(from: backup, to: notes.scratch.store, replacing: true)
    check()
    #expect(try await notes.count() == 1000)
  }

  @Test("a store with a second name is read and copied, and not written to")
  func secondName() async throws {
    let notes = try Notes()
    try await notes.make()
    try FileManager.default.linkItem(at: notes.scratch.store, to: notes.file("snapshot"))
    await #expect { try await notes.open() } throws: {
      ($0 as? StoreError)?.code == .notWritable && "\($0)".contains("hard link")
    }
    #expect(try await SQLCipherStore.verify(notes.description).isEmpty)
    try await SQLCipherStore.backUp(notes.description, to: notes.file("copy"))
    var snapshot = notes.description
    snapshot.url = notes.file("snapshot")
    try await SQLCipherStore.restore(from: snapshot, to: notes.file("restored"))
    try FileManager.default.removeItem(at: notes.file("snapshot"))
    let store = try await notes.open()
    defer { try? store.close() }
    // Whoever has it open already goes on.
    try FileManager.default.linkItem(at: notes.scratch.store, to: notes.file("snapshot"))
    try store.snapshot().close()
    try Notes.add(1, to: store)
    try FileManager.default.removeItem(at: notes.file("snapshot"))
  }

  @Test("converting to the version 4 format and back, where the library knows it")
  func convert() async throws {
    let notes = try Notes()
    try await notes.make()
    let identifier = try RotationTests.identifier(notes.scratch.store)
    guard Connection.cipherMajorVersion >= 4 else {
      await #expect { try await SQLCipherStore.convert(notes.description, to: .version4) } throws: {
        ($0 as? StoreError)?.code == .cipherFormat
      }
      #expect(try await SQLCipherStore.convert(notes.description, to: .version3) == false)
      return #expect(try await notes.count() == 1000)
    }
    for format in [StoreCipherFormat.version4, .version4, .version3] {
      let before = try Data(contentsOf: notes.scratch.store)
      let changed = try await SQLCipherStore.convert(notes.description, to: format)
      #expect(try changed == (Data(contentsOf: notes.scratch.store) != before))
      #expect(try RotationTests.identifier(notes.scratch.store) == identifier)
      #expect(try await notes.count() == 1000)
      let access = try await notes.open()
      try Notes.add(1, to: access)
      try access.close()
      _ = try await SQLCipherStore.rotateKey(of: notes.description)
      let store = try await notes.open()
      _ = try store.delete(matching: .init("Note", fetchOffset: 1000))
      try store.close()
    }
  }

  @Test("an unencrypted database becomes a store and a store one, whole, with its numbers")
  func plaintext() async throws {
    let notes = try Notes()
    try await notes.make()
    let plain = notes.file("plain.db")
    try await SQLCipherStore.decrypt(notes.description, to: plain)
    #expect(try Data(contentsOf: plain).starts(with: Data("SQLite format 3".utf8)))
    #expect(try Data(contentsOf: plain).range(of: Data("note 77 xxx".utf8)) != nil)
    let again = PersistentStoreDescription(url: notes.file("again"), vault: notes.vault)
    try await SQLCipherStore.encrypt(plain, to: again)
    #expect(try await notes.count(again) == 1000)
    #expect(try Data(contentsOf: notes.file("again")).range(of: Data("note 77 xxx".utf8)) == nil)
    #expect(
      try RotationTests.identifier(notes.file("again")) != RotationTests.identifier(notes.scratch.store))
    await #expect { try await SQLCipherStore.encrypt(plain, to: again) } throws: {
      ($0 as? StoreError)?.code == .fileExists
    }
    let other = PersistentStoreDescription(url: notes.file("other"), vault: notes.vault)
    await #expect { try await SQLCipherStore.encrypt(notes.scratch.store, to: other) } throws: {
      ($0 as? StoreError)?.code == .notFound
    }
    // The second has the mark of a store and no page that can be read; the third is somebody's own
    // database.
    let marked = Data("SQLite format 3\0".utf8) + Data(count: 52) + Data("Strm".utf8) + Data(count: 8120)
    try Data("SQLite format 3\0".utf8 + Data(count: 8176)).write(to: notes.file("broken"))
    try marked.write(to: notes.file("marked"))
    await #expect { try await SQLCipherStore.encrypt(notes.file("broken"), to: other) } throws: {
      ($0 as? StoreError)?.code == .notFound && "\($0)".contains("no store that was decrypted")
    }
    await #expect { try await SQLCipherStore.encrypt(notes.file("marked"), to: other) } throws: {
      ($0 as? StoreError).map { $0.code != .notFound } == true
    }
    #expect(!FileManager.default.fileExists(atPath: notes.file("other").path))
    #expect(try leftovers(notes).isEmpty)
  }

  @Test("what is cancelled leaves nothing behind")
  func cancellation() async throws {
    let notes = try Notes()
    try await notes.make(20_000)
    let before = try await notes.count()
    let operations: [@Sendable (@escaping @Sendable (StoreProgress) -> Void) async throws -> Void] = [
      { try await SQLCipherStore.backUp(notes.description, to: notes.file("b"), progress: $0) },
      { try await SQLCipherStore.compact(notes.description, progress: $0) },
      { try await SQLCipherStore.decrypt(notes.description, to: notes.file("d"), progress: $0) },
    ]
    for operation in operations {
      let task = Task {
        try await operation { progress in
          if progress.done > 0 { withUnsafeCurrentTask { $0?.cancel() } }
        }
      }
      await #expect { try await task.value } throws: { ($0 as? StoreError)?.code == .cancelled }
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: notes.scratch.folder.path) == ["test.strongroom"])
    }
    #expect(try await notes.count() == before)
  }
}
