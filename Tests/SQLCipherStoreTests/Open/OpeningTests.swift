import CipherDatabase
import Foundation
import Glibc
import ObjectModel
import ObjectQuery
import SQLCipherStore
import StoreContract
import StoreKeyring
import Testing

@Suite("Opening says what is wrong, and leaves the file as it was")
struct OpeningTests {
  static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel { Entity("Note") { Attribute("text", .string) } }
  }

  /// A closed store with a thousand notes.
  private func filled(_ scratch: Scratch, _ vault: any KeyVault) async throws {
    let store = try SQLCipherStore(
      model: try Self.model(), description: PersistentStoreDescription(url: scratch.store, vault: vault))
    try await store.loadMetadata()
    let model = store.storeEntities[0].entity
    var save = SaveChangesRequest()
    for id in try store.obtainPermanentIDs(for: Array(repeating: model, count: 1000)) {
      let builder = NodeBuilder()
      builder.begin(fieldCount: 1)
      try builder.set(
        model.attributes[0], .string("note \(id.reference) \(String(repeating: "x", count: 100))"))
      save.inserted.append(builder.finish(id.storeEntity, reference: id.reference, version: 1))
    }
    try store.save(save)
    try store.close()
  }

  /// Expects an error of a code from opening and reading all, and the folder byte for byte as
  /// before.
  private func expect(
    _ code: StoreError.Code, _ scratch: Scratch, _ vault: any KeyVault, create: Bool = false,
    message: String = "",
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let before = try contents(scratch)
    var description = PersistentStoreDescription(url: scratch.store, vault: vault)
    description.createsIfMissing = create
    let store = try SQLCipherStore(model: try Self.model(), description: description)
    do {
      try await store.loadMetadata()
      _ = try store.fetchNodes(FetchRequest("Note"), lookup: nil)
      Issue.record("opening went well", sourceLocation: sourceLocation)
    } catch let error as StoreError {
      #expect(error.code == code, "\(error)", sourceLocation: sourceLocation)
      #expect(message.isEmpty || error.message.contains(message), "\(error)", sourceLocation: sourceLocation)
    }
    try? store.close()
    #expect(try contents(scratch) == before, sourceLocation: sourceLocation)
  }

  private func contents(_ scratch: Scratch) throws -> [String: Data] {
    var result: [String: Data] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: scratch.folder.path) {
      result[name] = try Data(contentsOf: scratch.folder.appendingPathComponent(name))
    }
    return result
  }

  private func change(_ scratch: Scratch, _ body: (inout Data) -> Void) throws {
    var data = try Data(contentsOf: scratch.store)
    body(&data)
    try data.write(to: scratch.store)
  }

  @Test("missing, empty, plaintext, truncated")
  func withoutKey() async throws {
    let scratch = try Scratch()
    let vault = InMemoryVault()
    try await expect(.fileMissing, scratch, vault)
    try Data().write(to: scratch.store)
    try await expect(.fileEmpty, scratch, vault)
    try await expect(.fileEmpty, scratch, vault, create: true)
    try (Data("SQLite format 3\0".utf8) + Data(count: 8176)).write(to: scratch.store)
    try await expect(.fileIsPlaintext, scratch, vault, create: true)
    try FileManager.default.removeItem(at: scratch.store)
    try await filled(scratch, vault)
    let whole = try Data(contentsOf: scratch.store)
    for length in [100, 4095, 5000, whole.count - 1] {
      try whole.prefix(length).write(to: scratch.store)
      try await expect(.fileTruncated, scratch, vault)
    }
    try whole.prefix(whole.count / 2 / 4096 * 4096).write(to: scratch.store)
    try await expect(.fileDamaged, scratch, vault)
  }

  @Test("an empty file becomes a store only when that is asked for")
  func overEmpty() async throws {
    let scratch = try Scratch()
    try Data().write(to: scratch.store)
    var description = PersistentStoreDescription(url: scratch.store, vault: InMemoryVault())
    description.replacesEmptyFile = true
    let store = try SQLCipherStore(model: try Self.model(), description: description)
    try await store.loadMetadata()
    #expect(
      try Data(contentsOf: scratch.store).prefix(16)
        == withUnsafeBytes(of: store.identifier.uuid) { Data($0) })
  }

  @Test("key missing, wrong key, vault locked, vault unreachable")
  func keys() async throws {
    let scratch = try Scratch()
    let vault = InMemoryVault()
    try await filled(scratch, vault)
    let empty = InMemoryVault()
    let sought = "\(scratch.store.lastPathComponent) is not in \(empty.name)"
    try await expect(.keyMissing, scratch, empty, create: true, message: sought)
    let wrong = InMemoryVault()
    let bytes = try Data(contentsOf: scratch.store).prefix(16)
    let identifier = UUID(uuid: bytes.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
    _ = try await wrong.add(StoreKey(), for: identifier, label: "", interaction: .silent)
    try await expect(.wrongKey, scratch, wrong, create: true)
    for code in [KeyringError.Code.vaultLocked, .noSessionBus, .noSecretService] {
      vault.fail(with: KeyringError(code, "told to"))
      let store = try SQLCipherStore(
        model: try Self.model(), description: PersistentStoreDescription(url: scratch.store, vault: vault))
      await #expect { try await store.loadMetadata() } throws: { ($0 as? KeyringError)?.code == code }
    }
    vault.fail(with: nil)
    // The right key is found among wrong ones.
    for stored in try await vault.keys(for: identifier, interaction: .silent) {
      _ = try await wrong.add(stored.key, for: identifier, label: "", interaction: .silent)
    }
    _ = try await wrong.add(StoreKey(), for: identifier, label: "", interaction: .silent)
    let store = try SQLCipherStore(
      model: try Self.model(), description: PersistentStoreDescription(url: scratch.store, vault: wrong))
    try await store.loadMetadata()
    let nodes = try store.fetchNodes(FetchRequest("Note"), lookup: nil)
    #expect(nodes.count == 1000)
  }

  @Test("one flipped byte anywhere is noticed")
  func flipped() async throws {
    let scratch = try Scratch()
    let vault = InMemoryVault()
    try await filled(scratch, vault)
    let size = try Data(contentsOf: scratch.store).count
    try change(scratch) { $0[200] ^= 1 }
    // The key is right, as later pages show.
    try await expect(.fileDamaged, scratch, vault)
    try change(scratch) { $0[200] ^= 1 }
    // The middle of every later page that a scan of the notes reads: the last ones.
    for page in stride(from: size / 4096 - 5, to: size / 4096, by: 1) {
      try change(scratch) { $0[page * 4096 + 2000] ^= 0x10 }
      try await expect(.fileDamaged, scratch, vault, message: "page \(page + 1) ")
      try change(scratch) { $0[page * 4096 + 2000] ^= 0x10 }
    }
  }

  @Test("two different keys that do not fit are distinguished from one")
  func ambiguous() async throws {
    let scratch = try Scratch()
    try await filled(scratch, InMemoryVault())
    let identifier = try RotationTests.identifier(scratch.store)
    let wrong = InMemoryVault()
    _ = try await wrong.add(StoreKey(), for: identifier, label: "", interaction: .silent)
    try await expect(.wrongKey, scratch, wrong)
    _ = try await wrong.add(StoreKey(), for: identifier, label: "", interaction: .silent)
    try await expect(.keyAmbiguous, scratch, wrong)
  }

  @Test(
    "files of other SQLCipher versions are told by what they are",
    arguments: [(3, 1024), (3, 8192), (1, 1024)])
  func foreign(version: Int, pageSize: Int) async throws {
    let scratch = try Scratch()
    let vault = InMemoryVault()
    let (key, store) = (StoreKey(), UUID())
    _ = try await vault.add(key, for: store, label: "", interaction: .silent)
    let hex = key.withHexText { String(decoding: $0, as: UTF8.self) }
    let salt = store.uuidString.filter { $0 != "-" }
    var settings = "PRAGMA key = \"x'\(hex)\(salt)'\";"
    if Connection.cipherMajorVersion >= 4 { settings += "PRAGMA cipher_compatibility = \(version);" }
    if version == 1 {
      // SQLCipher 4 lays such files out in a way of its own, which is not told.
      if Connection.cipherMajorVersion >= 4 { return }
      settings += "PRAGMA cipher_use_hmac = OFF;"
    }
    settings += "PRAGMA cipher_page_size = \(pageSize);"
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/sqlcipher")
    process.arguments = [scratch.store.path]
    let feed = Pipe()
    process.standardInput = feed
    process.standardOutput = Pipe()
    try process.run()
    try feed.fileHandleForWriting.write(
      contentsOf: Data((settings + "CREATE TABLE t (x); INSERT INTO t VALUES (zeroblob(30000)), (1);\n").utf8)
    )
    try feed.fileHandleForWriting.close()
    process.waitUntilExit()
    try await expect(.cipherFormat, scratch, vault)
  }

  @Test("a journal with other pages is refused before the library sees it")
  func foreignJournal() async throws {
    let scratch = try Scratch()
    let vault = InMemoryVault()
    try await filled(scratch, vault)
    var journal = Data([0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7]) + Data(count: 504)
    journal[26] = 2
    try journal.write(to: URL(fileURLWithPath: scratch.store.path + "-journal"))
    try await expect(.fileDamaged, scratch, vault)
  }

  @Test("a place that cannot be written to leaves no key behind")
  func notWritable() async throws {
    let vault = InMemoryVault()
    var description = PersistentStoreDescription(
      url: URL(fileURLWithPath: "/proc/strongroom/store"), vault: vault)
    var store = try SQLCipherStore(model: try Self.model(), description: description)
    await #expect { try await store.loadMetadata() } throws: { ($0 as? StoreError)?.code == .notWritable }
    description.url = URL(fileURLWithPath: "/proc/store")
    store = try SQLCipherStore(model: try Self.model(), description: description)
    await #expect { try await store.loadMetadata() } throws: { ($0 as? StoreError)?.code == .notWritable }
  }

  @Test("another version of the model is an error of its own")
  func otherModel() async throws {
    let scratch = try Scratch()
    let vault = InMemoryVault()
    try await filled(scratch, vault)
    let other = try ManagedObjectModel { Entity("Note") { Attribute("body", .string) } }
    var description = PersistentStoreDescription(url: scratch.store, vault: vault)
    description.shouldMigrateStoreAutomatically = false
    let store = try SQLCipherStore(model: other, description: description)
    await #expect { try await store.loadMetadata() } throws: { ($0 as? StoreError)?.code == .modelMismatch }
    let stored = try await SQLCipherStore.storedModel(
      PersistentStoreDescription(url: scratch.store, vault: vault))
    #expect(stored == (try Self.model()))
  }

  @Test("a new store is for its owner only, in a folder likewise")
  func modes() async throws {
    let scratch = try Scratch()
    let url = scratch.folder.appendingPathComponent("new/store")
    let store = try SQLCipherStore(
      model: try Self.model(), description: PersistentStoreDescription(url: url, vault: InMemoryVault()))
    try await store.loadMetadata()
    for (path, mode) in [
      (url.path, 0o600), (url.path + "-wal", 0o600), (url.deletingLastPathComponent().path, 0o700),
    ] {
      var status = stat()
      #expect(stat(path, &status) == 0)
      #expect(Int(status.st_mode) & 0o777 == mode, "\(path)")
    }
  }
}
