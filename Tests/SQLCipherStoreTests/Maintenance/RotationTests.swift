import CipherDatabase
import Foundation
import SQLCipherStore
import StoreContract
import StoreKeyring
import Synchronization
import Testing

@Suite("Keys of a store change, move and come back")
struct RotationTests {
  private func keys(_ notes: Notes) async throws -> [StoredKey] {
    try await notes.vault.keys(
      for: notes.description.url.map { try Self.identifier($0) } ?? UUID(), interaction: .silent)
  }

  static func identifier(_ url: URL) throws -> UUID {
    let head = try Data(contentsOf: url).prefix(16)
    return UUID(uuid: head.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
  }

  @Test("a rotation leaves one key, the new one, and the store's UUID")
  func rotation() async throws {
    let notes = try Notes()
    try await notes.make()
    let identifier = try Self.identifier(notes.scratch.store)
    let old = try await keys(notes)
    let whole = try Data(contentsOf: notes.scratch.store)
    let result = try await SQLCipherStore.rotateKey(of: notes.description)
    #expect(result.retired == 1 && result.vaultsWithOldKeys.isEmpty)
    let new = try await keys(notes)
    #expect(new.count == 1 && !new[0].key.isSame(as: old[0].key))
    #expect(result.recoveryCode.key.isSame(as: new[0].key))
    #expect(try Self.identifier(notes.scratch.store) == identifier)
    #expect(try await notes.count() == 1000)
    // No page is what it was.
    let now = try Data(contentsOf: notes.scratch.store)
    for page in stride(from: 0, to: min(whole.count, now.count), by: 4096) {
      #expect(whole[page + 16..<page + 4096] != now[page + 16..<page + 4096])
    }
    var with = notes.description
    with.storeKey = old[0].key
    await #expect { try await notes.count(with) } throws: { ($0 as? StoreError)?.code == .wrongKey }
  }

  @Test(
    "a store whose new key a killed rotation left in the log alone opens",
    arguments: [CipherFormat.version3, .version4].filter(\.isAvailable), [true, false])
  func killedBeforeCheckpoint(format: CipherFormat, newFirst: Bool) async throws {
    let notes = try Notes()
    try await notes.make()
    if format == .version4 { try await SQLCipherStore.convert(notes.description, to: .version4) }
    let identifier = try Self.identifier(notes.scratch.store)
    var options = ConnectionOptions()
    options.format = format
    // A reader's snapshot keeps the log from being moved into the file, as a kill does.
    let reader = try await notes.connect(options)
    defer { reader.close() }
    try reader.execute("BEGIN")
    _ = try reader.text("SELECT count(*) FROM sqlite_master")
    let new = StoreKey()
    _ = try await notes.connect(options).rekeyAndClose(Notes.spec(new, identifier))
    let other = InMemoryVault()
    _ = try await other.add(new, for: identifier, label: "new", interaction: .silent)
    // Read-only first: any other attempt to open the file moves the log into it.
    for isReadOnly in [true, false] {
      let killed = notes.file("killed-\(isReadOnly)")
      for suffix in ["", "-wal"] {
        try Data(contentsOf: URL(fileURLWithPath: notes.scratch.store.path + suffix))
          .write(to: URL(fileURLWithPath: killed.path + suffix))
      }
      var description = PersistentStoreDescription(url: killed, vault: other)
      description.keyVaults = newFirst ? [other, notes.vault] : [notes.vault, other]
      description.isReadOnly = isReadOnly
      #expect(try await notes.count(description) == 1000)
    }
  }

  @Test("a rotation that is cancelled once the file has its new key is done all the same")
  func cancelled() async throws {
    let notes = try Notes()
    try await notes.make(30_000)
    let old = try await keys(notes)
    // All pages are checked before, and again with the new key.
    let checked = Atomic<Int>(0)
    let isChanged = Atomic<Bool>(false)
    let rotation = Task {
      try await SQLCipherStore.rotateKey(of: notes.description) { progress in
        if progress.done < checked.exchange(progress.done, ordering: .relaxed) {
          isChanged.store(true, ordering: .relaxed)
          withUnsafeCurrentTask { $0?.cancel() }
        }
      }
    }
    #expect(try await rotation.value.retired == 1)
    #expect(isChanged.load(ordering: .relaxed) && rotation.isCancelled)
    let new = try await keys(notes)
    #expect(new.count == 1 && !new[0].key.isSame(as: old[0].key))
    #expect(try await notes.count() == 30_000)
  }

  @Test("old keys stay when old copies are to be readable")
  func keeping() async throws {
    let notes = try Notes()
    try await notes.make()
    let copy = notes.file("copy")
    try FileManager.default.copyItem(at: notes.scratch.store, to: copy)
    _ = try await SQLCipherStore.rotateKey(of: notes.description, keepingOldKeys: true)
    #expect(try await keys(notes).count == 2)
    #expect(try await notes.count() == 1000)
    #expect(try await notes.count(PersistentStoreDescription(url: copy, vault: notes.vault)) == 1000)
  }

  /// Rotates once more, elsewhere, at the first word to the vault after the new key went into it.
  private final class Overtaken: KeyVault {
    let inner: InMemoryVault
    let next: @Sendable () async throws -> Void
    private let isArmed = Atomic<Bool>(false)

    init(_ inner: InMemoryVault, _ next: @escaping @Sendable () async throws -> Void) {
      self.inner = inner
      self.next = next
    }

    var name: String { inner.name }

    private func overtake() async throws {
      if isArmed.exchange(false, ordering: .relaxed) { try await next() }
    }

    func keys(for store: UUID, interaction: KeyInteraction) async throws -> [StoredKey] {
      try await overtake()
      return try await inner.keys(for: store, interaction: interaction)
    }

    func add(
      _ key: StoreKey, for store: UUID, label: String, interaction: KeyInteraction
    ) async throws -> KeyIdentifier {
      isArmed.store(true, ordering: .relaxed)
      return try await inner.add(key, for: store, label: label, interaction: interaction)
    }

    func remove(_ identifier: KeyIdentifier, for store: UUID, interaction: KeyInteraction) async throws {
      try await overtake()
      try await inner.remove(identifier, for: store, interaction: interaction)
    }
  }

  @Test("a rotation that another one overtakes does not retire the other's key")
  func overtaken() async throws {
    let notes = try Notes()
    try await notes.make()
    var description = notes.description
    description.keyVaults = [
      Overtaken(notes.vault) { _ = try await SQLCipherStore.rotateKey(of: notes.description) }
    ]
    _ = try await SQLCipherStore.rotateKey(of: description)
    #expect(try await notes.count() == 1000)
  }

  @Test("moving and forgetting leave the keys of older copies alone")
  func olderKeys() async throws {
    let notes = try Notes()
    try await notes.make()
    let copy = notes.file("copy")
    try FileManager.default.copyItem(at: notes.scratch.store, to: copy)
    _ = try await SQLCipherStore.rotateKey(of: notes.description, keepingOldKeys: true)
    let second = KeyFileVault(url: notes.file("second"))
    try await SQLCipherStore.moveKey(of: notes.description, to: [second])
    #expect(try await notes.count(PersistentStoreDescription(url: copy, vault: notes.vault)) == 1000)
    var both = notes.description
    both.keyVaults.append(second)
    #expect(try await notes.count(both) == 1000)
    try await SQLCipherStore.copyKey(of: both, to: [notes.vault])
    try await SQLCipherStore.forgetKey(of: both, in: notes.vault)
    #expect(try await notes.count(PersistentStoreDescription(url: copy, vault: notes.vault)) == 1000)
  }

  @Test("with the store open elsewhere a rotation fails, and breaks nothing")
  func openElsewhere() async throws {
    let notes = try Notes()
    try await notes.make()
    let store = try await notes.open()
    var description = notes.description
    description.busyTimeoutMilliseconds = 100
    await #expect { try await SQLCipherStore.rotateKey(of: description) } throws: {
      ($0 as? StoreError)?.code == .busy
    }
    try Notes.add(5, to: store)
    try store.close()
    #expect(try await keys(notes).count == 1)
    #expect(try await notes.count() == 1005)
  }

  @Test("a vault that fails stops a rotation before the file is touched")
  func failingVault() async throws {
    let notes = try Notes()
    try await notes.make()
    let second = InMemoryVault()
    second.fail(with: KeyringError(.vaultLocked, "locked"))
    var description = notes.description
    description.keyVaults.append(second)
    let before = try Data(contentsOf: notes.scratch.store)
    await #expect { try await SQLCipherStore.rotateKey(of: description) } throws: {
      ($0 as? KeyringError)?.code == .vaultLocked
    }
    #expect(try Data(contentsOf: notes.scratch.store) == before)
    #expect(try await keys(notes).count == 1)
    #expect(try await notes.count() == 1000)
  }

  @Test("a damaged page stops a rotation before the file is touched, and is named")
  func damaged() async throws {
    let notes = try Notes()
    try await notes.make()
    var data = try Data(contentsOf: notes.scratch.store)
    data[4096 * 6 + 100] ^= 1
    try data.write(to: notes.scratch.store)
    await #expect { try await SQLCipherStore.rotateKey(of: notes.description) } throws: {
      let error = $0 as? StoreError
      return error?.code == .fileDamaged && error?.message.contains("pages 7 ") == true
    }
    #expect(try Data(contentsOf: notes.scratch.store) == data)
    #expect(try await keys(notes).count == 1)
  }

  @Test("keys are copied, moved and forgotten without touching the file, and never the last one")
  func vaults() async throws {
    let notes = try Notes()
    try await notes.make()
    let before = try Data(contentsOf: notes.scratch.store)
    let second = KeyFileVault(url: notes.file("second"))
    try await SQLCipherStore.copyKey(of: notes.description, to: [second])
    var both = notes.description
    both.keyVaults.append(second)
    try await SQLCipherStore.forgetKey(of: both, in: notes.vault)
    #expect(try await keys(notes).isEmpty)
    #expect(try await notes.count(both) == 1000)
    await #expect { try await SQLCipherStore.forgetKey(of: both, in: second) } throws: {
      ($0 as? StoreError)?.code == .keyMissing
    }
    var moved = notes.description
    moved.keyVaults = [second]
    #expect(try await SQLCipherStore.moveKey(of: moved, to: [notes.vault]).isEmpty)
    #expect(try await notes.count() == 1000)
    await #expect { try await notes.count(moved) } throws: { ($0 as? StoreError)?.code == .keyMissing }
    #expect(try Data(contentsOf: notes.scratch.store) == before)
  }

  @Test("a later vault is asked only when the earlier ones have no key that fits")
  func order() async throws {
    let notes = try Notes()
    try await notes.make()
    let silent = InMemoryVault()
    silent.fail(with: KeyringError(.vaultLocked, "asked"))
    var description = notes.description
    description.keyVaults.append(silent)
    #expect(try await notes.count(description) == 1000)
    description.keyVaults.reverse()
    #expect(try await notes.count(description) == 1000)
    description.keyVaults = [silent, InMemoryVault()]
    await #expect { try await notes.count(description) } throws: {
      ($0 as? KeyringError)?.code == .vaultLocked
    }
  }

  @Test("a recovery code brings a lost key back, another store's does not")
  func recovery() async throws {
    let notes = try Notes()
    let shown = Shown()
    var description = notes.description
    description.recoveryCodeHandler = { shown.code = $0 }
    let store = try await notes.open(description)
    try Notes.add(10, to: store)
    try store.close()
    let code = try #require(shown.code)
    try await SQLCipherStore.verify(code, for: description)
    let lost = PersistentStoreDescription(url: notes.scratch.store, vault: InMemoryVault())
    await #expect { try await notes.count(lost) } throws: { ($0 as? StoreError)?.code == .keyMissing }
    let other = RecoveryCode(StoreKey(), for: try Self.identifier(notes.scratch.store))
    await #expect { try await SQLCipherStore.restoreKey(of: lost, from: other) } throws: {
      ($0 as? StoreError)?.code == .wrongKey
    }
    await #expect { try await notes.count(lost) } throws: { ($0 as? StoreError)?.code == .keyMissing }
    try await SQLCipherStore.restoreKey(of: lost, from: code)
    #expect(try await notes.count(lost) == 10)
    let again = try await SQLCipherStore.recoveryCode(of: lost)
    #expect(again.key.isSame(as: code.key))
  }

  private final class Shown: @unchecked Sendable {
    // @unchecked: written before the store is used, read after.
    var code: RecoveryCode?
  }
}
