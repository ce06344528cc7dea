import CipherDatabase
import Foundation
import Glibc
import SQLCipherStore
import StoreContract
import StoreKeyring
import Testing

@Suite("The last copy of a key, and keys beside a store")
struct KeyCopiesTests {
  private static let cheap = PassphraseCost(rounds: 1 << 4, blockSize: 1, parallelism: 1)

  private func passphrase(_ notes: Notes, _ text: String) -> PassphraseVault {
    PassphraseVault(beside: notes.scratch.store, cost: Self.cheap) {
      Array(text.utf8).withUnsafeBytes { SecretBytes($0) }
    }
  }

  /// A closed store whose key lies in a key file.
  private func notes(inFile name: String) async throws -> (Notes, PersistentStoreDescription) {
    let notes = try Notes()
    let folder = notes.file("keys")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let description = PersistentStoreDescription(
      url: notes.scratch.store, vault: KeyFileVault(url: folder.appendingPathComponent(name)))
    let store = try await notes.open(description)
    try Notes.add(10, to: store)
    try store.close()
    return (notes, description)
  }

  @Test("a vault of two names is one place: its key is not forgotten", arguments: ["folder", "hard link"])
  func alias(_ kind: String) async throws {
    let (notes, description) = try await notes(inFile: "file")
    let other: URL
    if kind == "folder" {
      try #require(symlink(notes.file("keys").path, notes.file("alias").path) == 0)
      other = notes.file("alias/file")
    } else {
      other = notes.file("keys/second")
      try #require(link(notes.file("keys/file").path, other.path) == 0)
    }
    var both = description
    both.keyVaults.append(KeyFileVault(url: other))
    for vault in both.keyVaults {
      await #expect { try await SQLCipherStore.forgetKey(of: both, in: vault) } throws: {
        ($0 as? StoreError)?.code == .keyMissing
      }
    }
    #expect(try await notes.count(description) == 10)
    // Through the alias a key is moved to where it is already, and stays.
    try await SQLCipherStore.moveKey(of: description, to: [both.keyVaults[1]])
    #expect(try await notes.count(both) == 10)
    _ = try await SQLCipherStore.rotateKey(of: both)
    #expect(try await notes.count(both) == 10)
    try await SQLCipherStore.restoreKey(of: both, from: SQLCipherStore.recoveryCode(of: both))
    #expect(try await notes.count(both) == 10)
  }

  @Test(
    "a restored store opens with every vault of its description, also with one that has lost the backup's key"
  )
  func restored() async throws {
    let (notes, description) = try await notes(inFile: "file")
    let copy = notes.file("copy")
    try await SQLCipherStore.backUp(description, to: copy)
    let second = KeyFileVault(url: notes.file("keys/second"))
    var both = description
    both.keyVaults.append(second)
    // As a rotation leaves it that is killed before the last vault has lost the old key.
    _ = try await SQLCipherStore.rotateKey(of: both, keepingOldKeys: true)
    try FileManager.default.removeItem(at: notes.file("keys/second"))
    var backup = both
    backup.url = copy
    #expect(
      try await SQLCipherStore.restore(from: backup, to: notes.scratch.store, replacing: true).isEmpty)
    #expect(try await notes.count(PersistentStoreDescription(url: notes.scratch.store, vault: second)) == 10)
    try await SQLCipherStore.forgetKey(of: both, in: both.keyVaults[0])
    #expect(try await notes.count(both) == 10)
    // A file is no folder for keys.
    let failing = KeyFileVault(url: copy.appendingPathComponent("keys"))
    backup.keyVaults.append(failing)
    #expect(
      try await SQLCipherStore.restore(from: backup, to: notes.scratch.store, replacing: true) == [
        failing.name
      ])
  }

  @Test("a copy of a key file is another place, and two people's passphrases are two copies")
  func copies() async throws {
    let (notes, description) = try await notes(inFile: "file")
    try FileManager.default.copyItem(at: notes.file("keys/file"), to: notes.file("keys/copy"))
    var both = description
    both.keyVaults.append(KeyFileVault(url: notes.file("keys/copy")))
    try await SQLCipherStore.forgetKey(of: both, in: both.keyVaults[0])
    #expect(try await notes.count(both) == 10)
    await #expect { try await notes.count(description) } throws: { ($0 as? StoreError)?.code == .keyMissing }

    let people = [passphrase(notes, "one"), passphrase(notes, "two")]
    for person in people { try await SQLCipherStore.copyKey(of: both, to: [person]) }
    var passphrases = description
    passphrases.keyVaults = people
    try await SQLCipherStore.forgetKey(of: passphrases, in: people[0])
    #expect(
      try await notes.count(PersistentStoreDescription(url: notes.scratch.store, vault: people[1])) == 10)
    await #expect { try await SQLCipherStore.forgetKey(of: passphrases, in: people[1]) } throws: {
      ($0 as? StoreError)?.code == .keyMissing
    }
    #expect(
      try await notes.count(PersistentStoreDescription(url: notes.scratch.store, vault: people[1])) == 10)
  }

  @Test("the key that a program has itself is no copy in a vault")
  func ownKey() async throws {
    let (notes, description) = try await notes(inFile: "file")
    var own = description
    own.storeKey = try await SQLCipherStore.recoveryCode(of: description).key
    own.keyVaults.append(InMemoryVault())
    await #expect { try await SQLCipherStore.forgetKey(of: own, in: own.keyVaults[0]) } throws: {
      ($0 as? StoreError)?.code == .keyMissing
    }
    #expect(try await notes.count(description) == 10)
  }

  /// A vault of somebody else's that is another under another name, and says nothing of it.
  private struct Disguise: KeyVault {
    let inner: InMemoryVault
    let name: String
    func keys(for store: UUID, interaction: KeyInteraction) async throws -> [StoredKey] {
      try await inner.keys(for: store, interaction: interaction)
    }
    func add(
      _ key: StoreKey, for store: UUID, label: String, interaction: KeyInteraction
    ) async throws -> KeyIdentifier {
      try await inner.add(key, for: store, label: label, interaction: interaction)
    }
    func remove(_ identifier: KeyIdentifier, for store: UUID, interaction: KeyInteraction) async throws {
      try await inner.remove(identifier, for: store, interaction: interaction)
    }
  }

  @Test("vaults without a location are compared by their items")
  func disguised() async throws {
    let notes = try Notes()
    try await notes.make(10)
    var both = notes.description
    both.keyVaults = [
      Disguise(inner: notes.vault, name: "one"), Disguise(inner: notes.vault, name: "two"),
    ]
    await #expect { try await SQLCipherStore.forgetKey(of: both, in: both.keyVaults[0]) } throws: {
      ($0 as? StoreError)?.code == .keyMissing
    }
    #expect(try await notes.count() == 10)
  }

  @Test("a rotation does not leave passphrases behind that were not named")
  func unnamedPassphrase() async throws {
    let notes = try Notes()
    try await notes.make(10)
    let mine = passphrase(notes, "mine")
    try await SQLCipherStore.copyKey(of: notes.description, to: [mine])
    let before = try Data(contentsOf: notes.scratch.store)
    await #expect { try await SQLCipherStore.rotateKey(of: notes.description) } throws: {
      "\($0)".contains(notes.scratch.store.path + ".keys")
    }
    #expect(try Data(contentsOf: notes.scratch.store) == before)
    let guarded = PersistentStoreDescription(url: notes.scratch.store, vault: mine)
    #expect(try await notes.count(guarded) == 10)
    var both = notes.description
    both.keyVaults.append(mine)
    #expect(try await SQLCipherStore.rotateKey(of: both).retired == 2)
    #expect(try await notes.count() == 10)
    #expect(try await notes.count(guarded) == 10)
    // Another person's passphrase in the same file is one of its own.
    try await SQLCipherStore.copyKey(of: both, to: [passphrase(notes, "another")])
    await #expect { try await SQLCipherStore.rotateKey(of: both) } throws: {
      "\($0)".contains(notes.scratch.store.path + ".keys")
    }
    #expect(try await notes.count(guarded) == 10)
    // Told to, the rotation takes it out, and the vault says that it has no key rather than a wrong
    // one.
    let told = try await SQLCipherStore.rotateKey(of: notes.description, removingOtherPassphrases: true)
    #expect(told.vaultsWithOldKeys.isEmpty)
    #expect(try await notes.count() == 10)
    for person in [mine, passphrase(notes, "another")] {
      await #expect {
        try await notes.count(PersistentStoreDescription(url: notes.scratch.store, vault: person))
      } throws: {
        ($0 as? StoreError)?.code == .keyMissing
      }
    }
  }

  @Test("a passphrase file that cannot be read stops a rotation unless the caller says otherwise")
  func damagedPassphrases() async throws {
    let notes = try Notes()
    try await notes.make(10)
    let url = URL(fileURLWithPath: notes.scratch.store.path + ".keys")
    try Data("{".utf8).write(to: url)
    chmod(url.path, 0o600)
    await #expect { try await SQLCipherStore.rotateKey(of: notes.description) } throws: {
      ($0 as? KeyringError)?.code == .itemDamaged
    }
    let told = try await SQLCipherStore.rotateKey(of: notes.description, removingOtherPassphrases: true)
    #expect(told.vaultsWithOldKeys == [url.path])
    #expect(try await notes.count() == 10)
    #expect(try Data(contentsOf: url) == Data("{".utf8))
  }

  @Test("a copy that is in use keeps its key, and the vaults keep it too")
  func copyInUse() async throws {
    let notes = try Notes()
    try await notes.make(10)
    let copy = URL(fileURLWithPath: notes.scratch.store.path + ".before-migration")
    try FileManager.default.copyItem(at: notes.scratch.store, to: copy)
    var description = PersistentStoreDescription(url: copy, vault: notes.vault)
    let open = try await notes.open(description)
    var hasty = notes.description
    hasty.busyTimeoutMilliseconds = 50
    let result = try await SQLCipherStore.rotateKey(of: hasty)
    #expect(result.remainingCopies == [copy.path] && result.rotatedCopies.isEmpty && result.retired == 0)
    #expect(result.vaultsWithOldKeys == [notes.vault.name])
    try open.close()
    #expect(try await notes.count() == 10)
    #expect(try await notes.count(description) == 10)
    // The next rotation makes up for it.
    let next = try await SQLCipherStore.rotateKey(of: hasty)
    #expect(next.rotatedCopies == [copy.path] && next.retired == 2)
    #expect(try await notes.count(description) == 10)
    description.keyVaults = [notes.vault]
    #expect(
      try await notes.vault.keys(for: try RotationTests.identifier(copy), interaction: .silent).count == 1)
  }

  @Test("copies kept by migrations get the new key too", arguments: [false, true])
  func preMigrationCopy(keeping: Bool) async throws {
    let notes = try Notes()
    try await notes.make(10)
    let store = notes.scratch.store
    let copies = ["", "-2", "-3"].map { URL(fileURLWithPath: store.path + ".before-migration" + $0) }
    try FileManager.default.copyItem(at: store, to: copies[0])
    // The second was made after a rotation that kept the old key, which opens the first.
    _ = try await SQLCipherStore.rotateKey(of: notes.description, keepingOldKeys: true)
    try FileManager.default.copyItem(at: store, to: copies[1])
    try Data("no store".utf8).write(to: copies[2])
    let old = try await notes.vault.keys(for: try RotationTests.identifier(store), interaction: .silent)
    _ = try await SQLCipherStore.rotateKey(of: notes.description, keepingOldKeys: keeping)
    #expect(try await notes.count() == 10)
    for copy in copies.prefix(2) {
      #expect(
        try await notes.count(PersistentStoreDescription(url: copy, vault: notes.vault)) == 10, "\(copy)")
      guard !keeping else { continue }
      for key in old {
        var description = PersistentStoreDescription(url: copy, vault: notes.vault)
        description.storeKey = key.key
        await #expect { try await notes.count(description) } throws: {
          ($0 as? StoreError)?.code == .wrongKey
        }
      }
    }
    #expect(try Data(contentsOf: copies[2]) == Data("no store".utf8))
    let keys = try await notes.vault.keys(for: try RotationTests.identifier(store), interaction: .silent)
    #expect(keys.count == (keeping ? 3 : 1))
  }
}
