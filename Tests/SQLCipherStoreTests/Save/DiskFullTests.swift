import Foundation
import Glibc
import ObjectModel
import ObjectQuery
import SQLCipherStore
import StoreContract
import StoreKeyring
import Testing

/// A small file system; mounting one is the superuser's right, and not everywhere even his.
private enum SmallDisk {
  static let canMount: Bool = {
    let place = FileManager.default.temporaryDirectory.appendingPathComponent("strongroom-mount-\(getpid())")
      .path
    mkdir(place, 0o700)
    defer { rmdir(place) }
    guard mount("tmpfs", place, "tmpfs", 0, "size=1m") == 0 else { return false }
    umount2(place, 2)
    return true
  }()
}

@Suite("A full disk", .enabled(if: getuid() == 0 && SmallDisk.canMount))
struct DiskFullTests {
  @Test("fails the save with a typed error, and what was saved before stays")
  func full() async throws {
    let scratch = try Scratch()
    #expect(mount("tmpfs", scratch.folder.path, "tmpfs", 0, "size=1m") == 0)
    defer { umount2(scratch.folder.path, 2) }
    let vault = InMemoryVault()
    let description = PersistentStoreDescription(url: scratch.store, vault: vault)
    let store = try SQLCipherStore(model: try OpeningTests.model(), description: description)
    try await store.loadMetadata()
    func insert(_ size: Int) throws {
      let id = try store.obtainPermanentIDs(for: [store.storeEntities[0].entity])[0]
      let builder = NodeBuilder()
      builder.begin(fieldCount: 1)
      try builder.set(id.entity.attributes[0], .string(String(repeating: "x", count: size)))
      var save = SaveChangesRequest()
      save.inserted = [builder.finish(id.storeEntity, reference: id.reference, version: 1)]
      try store.save(save)
    }
    try insert(10_000)
    try store.checkpoint()
    let before = try Data(contentsOf: scratch.store)
    #expect { try insert(3_000_000) } throws: { ($0 as? StoreError)?.code == .diskFull }
    #expect(try Data(contentsOf: scratch.store) == before)
    try insert(5_000)
    try store.close()
    let again = try SQLCipherStore(model: try OpeningTests.model(), description: description)
    try await again.loadMetadata()
    #expect(try again.count(for: FetchRequest("Note")) == 2)
  }

  @Test("fails a value that is written in pieces, and the former one stays")
  func pieces() async throws {
    let scratch = try Scratch()
    #expect(mount("tmpfs", scratch.folder.path, "tmpfs", 0, "size=1m") == 0)
    defer { umount2(scratch.folder.path, 2) }
    let model = try ManagedObjectModel {
      Entity("Note") {
        Attribute("text", .string)
        Attribute("scan", .binary)
      }
    }
    let store = try SQLCipherStore(
      model: model, description: PersistentStoreDescription(url: scratch.store, vault: InMemoryVault()))
    try await store.loadMetadata()
    var rows = 0
    _ = try store.insert(into: store.storeEntities[0].entity) { _ in
      rows += 1
      return rows == 1
    }
    let scan = try #require(store.storeEntities[0].entity.attribute(named: "scan"))
    func write(_ count: Int, hiding: Bool = false) throws {
      _ = try store.writeValue(count: count, of: scan, to: 1) { writer in
        while writer.offset < count {
          let piece = Data(repeating: 7, count: min(10_000, count - writer.offset))
          do { try writer.write(contentsOf: piece) } catch {
            if hiding { return }
            throw error
          }
        }
      }
    }
    try write(100_000)
    try store.checkpoint()
    for hiding in [false, true] {
      // The log is full while room is made, and when the transaction ends.
      for count in [3_000_000, 900_000, 1_000_000] {
        #expect { try write(count, hiding: hiding) } throws: {
          ($0 as? StoreError)?.code == .diskFull
        }
      }
    }
    let reader = try #require(try store.openValue(of: scan, of: 1))
    #expect(try reader.read(upToCount: .max) == Data(repeating: 7, count: 100_000))
    reader.close()
    try write(50_000)
    try store.close()
  }

  /// What needs room, and how it is made ready.
  enum Step: String, CaseIterable, CustomTestStringConvertible {
    case make, makeInFolders, makeWithKeyFile, open, save, migrate, backUp, decrypt, encrypt, compact, repair,
      rotate

    var testDescription: String { rawValue }
  }

  @Test(
    "tells of it as such, whatever was under way, and however much room was left", arguments: Step.allCases)
  func everyStep(step: Step) async throws {
    var (refused, done) = (0, 0)
    for pages in [0, 1, 2, 3, 4, 6, 8, 10, 12, 16, 24, 40] {
      let notes = try Notes()
      #expect(mount("tmpfs", notes.scratch.folder.path, "tmpfs", 0, "size=1m") == 0)
      defer { umount2(notes.scratch.folder.path, 2) }
      do {
        try await run(step, notes) { try Self.leave(pages, in: notes.scratch.folder) }
        done += 1
      } catch {
        let code = (error as? StoreError)?.code.description ?? (error as? KeyringError)?.code.description
        #expect(code == "diskFull" || code == "outcomeUnknown", "\(pages) pages left: \(error)")
        refused += 1
      }
    }
    #expect(refused > 0, "a step that needs no room")
    #expect(done > 0, "a step that never went well")
  }

  @Test(
    "is reported where the system has no free descriptor", arguments: [Step.make, .open, .makeWithKeyFile])
  func noFiles(step: Step) async throws {
    for files in 0...3 {
      let notes = try Notes()
      #expect(mount("tmpfs", notes.scratch.folder.path, "tmpfs", 0, "size=1m,nr_inodes=16") == 0)
      defer { umount2(notes.scratch.folder.path, 2) }
      do {
        try await run(step, notes) {
          var number = 0
          while FileManager.default.createFile(atPath: notes.file("f\(number)").path, contents: nil) {
            number += 1
          }
          for last in 0..<files { try FileManager.default.removeItem(at: notes.file("f\(last)")) }
        }
      } catch {
        let code = (error as? StoreError)?.code.description ?? (error as? KeyringError)?.code.description
        #expect(code == "diskFull", "\(files) files left: \(error)")
      }
    }
  }

  private func run(_ step: Step, _ notes: Notes, fill: () throws -> Void) async throws {
    switch step {
    case .make:
      try fill()
      try await notes.open().close()
    case .makeInFolders:
      try fill()
      var description = notes.description
      description.url = notes.scratch.folder.appendingPathComponent("a/b/c/store")
      try await notes.open(description).close()
    case .makeWithKeyFile:
      try fill()
      var description = notes.description
      description.keyVault = KeyFileVault(url: notes.file("key"))
      try await notes.open(description).close()
    case .open:
      try await notes.make(10)
      try fill()
      _ = try await notes.count()
    case .save:
      let store = try await notes.open()
      defer { try? store.close() }
      try fill()
      try Notes.add(100, to: store)
    case .migrate:
      try await notes.make(100)
      try fill()
      let model = try ManagedObjectModel {
        Entity("Note") { Attribute("number", .integer64) }
      }
      let store = try SQLCipherStore(model: model, description: notes.description)
      try await store.loadMetadata()
      try store.close()
    case .backUp:
      try await notes.make(100)
      try fill()
      try await SQLCipherStore.backUp(notes.description, to: notes.file("copy"))
    case .decrypt:
      try await notes.make(100)
      try fill()
      try await SQLCipherStore.decrypt(notes.description, to: notes.file("plain"))
    case .encrypt:
      try await notes.make(100)
      try await SQLCipherStore.decrypt(notes.description, to: notes.file("plain"))
      try fill()
      try await SQLCipherStore.encrypt(
        notes.file("plain"),
        to: PersistentStoreDescription(url: notes.file("again"), vault: InMemoryVault()))
    case .compact:
      try await notes.make(100)
      try fill()
      try await SQLCipherStore.compact(notes.description)
    case .rotate:
      try await notes.make(100)
      try fill()
      _ = try await SQLCipherStore.rotateKey(of: notes.description)
    case .repair:
      try await notes.make(100)
      try await notes.run("UPDATE _sequence SET last = 1")
      try fill()
      _ = try await SQLCipherStore.repair(notes.description, keepingOriginalAt: notes.file("original"))
    }
  }

  /// Fills a file system but for some pages.
  private static func leave(_ pages: Int, in folder: URL) throws {
    var status = statvfs()
    #expect(statvfs(folder.path, &status) == 0)
    let room = Int(status.f_bavail) * Int(status.f_bsize) - pages * 4096
    let filler = folder.appendingPathComponent("filler")
    try Data(count: max(room, 0)).write(to: filler)
  }
}
