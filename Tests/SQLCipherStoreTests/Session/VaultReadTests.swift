import CountingVault
import Foundation
import ObjectModel
import SQLCipherStore
import StoreContract
import StoreKeyring
import Testing

/// How often a vault is asked for a store's key.
///
/// A vault may be a keyring that answers slowly or asks the user.
@Suite("Vaults are read once for an opening")
struct VaultReadTests {
  private let notes: Notes
  private let vault: CountingVault

  init() throws {
    notes = try Notes()
    vault = CountingVault(notes.vault)
  }

  private var description: PersistentStoreDescription {
    PersistentStoreDescription(url: notes.scratch.store, vault: vault)
  }

  private static func widerModel() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Note") {
        Attribute("text", .string)
        Attribute("number", .integer64, optional: true)
      }
    }
  }

  /// Has no attribute that most of the file is made of.
  private static func narrowerModel() throws -> ManagedObjectModel {
    try ManagedObjectModel { Entity("Note") { Attribute("number", .integer64, optional: true) } }
  }

  private func open(_ model: ManagedObjectModel) async throws {
    let store = try SQLCipherStore(model: model, description: description)
    try await store.loadMetadata()
    try store.close()
  }

  @Test("opening reads them once")
  func opening() async throws {
    try await notes.make()
    #expect(try await vault.reads { try await open(try Notes.model()) } == 1)
  }

  @Test("creating a store reads them once, to see that they have no key for it")
  func creation() async throws {
    #expect(try await vault.reads { try await open(try Notes.model()) } == 1)
  }

  @Test("opening with a migration reads them once")
  func migration() async throws {
    try await notes.make()
    #expect(try await vault.reads { try await open(try Self.widerModel()) } == 1)
  }

  @Test("opening with a migration after which the file is replaced by a smaller one reads them once")
  func compactingMigration() async throws {
    try await notes.make(30_000)
    let size = try Data(contentsOf: notes.scratch.store).count
    #expect(try await vault.reads { try await open(try Self.narrowerModel()) } == 1)
    #expect(try Data(contentsOf: notes.scratch.store).count < size / 2)
  }

  @Test("steps of one opening read them once, and later operations again")
  func steps() async throws {
    try await notes.make()
    var description = description
    let known = KnownCipher()
    description.knownCipher = known
    let reads = try await vault.reads {
      for _ in 0..<3 { _ = try await SQLCipherStore.storedModel(description) }
    }
    #expect(reads == 1)
    // Whatever was known, the vaults say which key a file has by now.
    _ = try await SQLCipherStore.rotateKey(of: notes.description)
    #expect(try await vault.reads { _ = try await SQLCipherStore.storedModel(description) } == 1)
    known.end()
    for _ in 0..<2 {
      #expect(try await vault.reads { _ = try await SQLCipherStore.storedModel(description) } == 1)
    }
  }

  @Test("rotating a closed store reads them to open it, and again for the keys to retire")
  func rotation() async throws {
    try await notes.make()
    #expect(try await vault.reads { _ = try await SQLCipherStore.rotateKey(of: description) } == 2)
  }

  @Test("rotating an open store reads them for the keys to retire only")
  func openRotation() async throws {
    try await notes.make()
    let store = try await notes.open(description)
    defer { try? store.close() }
    for _ in 0..<2 {
      #expect(try await vault.reads { _ = try await store.rotateKey() } == 2)
    }
  }

  @Test("encrypting a decrypted store reads them once, to see that they have no key for it")
  func encryption() async throws {
    try await notes.make()
    let plain = notes.file("plain")
    try await SQLCipherStore.decrypt(notes.description, to: plain)
    var description = PersistentStoreDescription(url: notes.file("new"), vault: vault)
    description.recoveryCodeHandler = { _ in }
    #expect(try await vault.reads { try await SQLCipherStore.encrypt(plain, to: description) } == 1)
    #expect(try await SQLCipherStore.recoveryCodeWasShown(of: description))
  }

  @Test(
    "each work on a closed store reads them once",
    arguments: ["verify", "compact", "backUp", "recoveryCode"])
  func maintenance(_ work: String) async throws {
    try await notes.make()
    let reads = try await vault.reads {
      switch work {
      case "verify": _ = try await SQLCipherStore.verify(description)
      case "compact": _ = try await SQLCipherStore.compact(description)
      case "backUp": _ = try await SQLCipherStore.backUp(description, to: notes.file("copy"))
      default: _ = try await SQLCipherStore.recoveryCode(of: description)
      }
    }
    #expect(reads == 1)
  }
}
