import CipherDatabase
import Foundation
import Glibc
import SQLCipherStore
import StoreContract
import StoreKeyring
import Testing

/// Every kind of key, right, wrong and missing, on a store that is fresh, reopened, or open in a
/// second process's place (another connection), and after each way of writing the file anew.
///
/// The library is the one at hand; both Debians run it.
@Suite("The encryption matrix")
struct EncryptionMatrixTests {
  enum KeyKind: String, CaseIterable, Sendable {
    case raw, memory, keyFile, passphrase, credential, recoveryCode
  }
  enum Presence: String, CaseIterable, Sendable { case right, wrong, missing }
  enum State: String, CaseIterable, Sendable {
    case reopened, openElsewhere, rotated, compacted, converted, backedUp, encrypted
  }

  private static let cost = PassphraseCost(rounds: 16, blockSize: 1, parallelism: 1)

  /// A description that gives a key by the way of its kind.
  private func description(
    _ kind: KeyKind, _ key: StoreKey?, _ store: UUID, _ url: URL, _ folder: URL
  ) async throws -> PersistentStoreDescription {
    var description = PersistentStoreDescription(type: SQLCipherStore.storeType, url: url)
    description.createsIfMissing = false
    let place = folder.appendingPathComponent("\(kind)-\(UUID().uuidString)")
    switch kind {
    case .raw: description.storeKey = key
    case .memory: description.keyVaults = [InMemoryVault()]
    case .keyFile: description.keyVaults = [KeyFileVault(url: place)]
    case .passphrase:
      description.keyVaults = [
        PassphraseVault(beside: place, cost: Self.cost) {
          Array("a passphrase".utf8).withUnsafeBytes { SecretBytes($0) }
        }
      ]
    case .credential:
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
      if let key {
        let file = place.appendingPathComponent("k")
        try Data(key.withHexText { Data($0) }).write(to: file)
        chmod(file.path, 0o400)
      }
      description.keyVaults = [CredentialVault("k", directory: place)]
    case .recoveryCode:
      description.keyVaults = key.map { [RecoveryCodeVault(RecoveryCode($0, for: store))] } ?? []
    }
    if let key, let vault = description.keyVaults.first, !vault.isReadOnly {
      _ = try await vault.add(key, for: store, label: "", interaction: .silent)
    }
    return description
  }

  @Test("opens with the right key only", arguments: KeyKind.allCases, State.allCases)
  func matrix(kind: KeyKind, state: State) async throws {
    let notes = try Notes()
    try await notes.make(300)
    var url = notes.scratch.store
    var held: SQLCipherStore?
    switch state {
    case .reopened: break
    case .openElsewhere: held = try await notes.open()
    case .rotated: _ = try await SQLCipherStore.rotateKey(of: notes.description)
    case .compacted: try await SQLCipherStore.compact(notes.description)
    case .converted:
      if Connection.cipherMajorVersion >= 4 {
        try await SQLCipherStore.convert(notes.description, to: .version4)
      }
    case .backedUp:
      url = notes.file("copy")
      try await SQLCipherStore.backUp(notes.description, to: url, newKeyIn: [notes.vault])
    case .encrypted:
      try await SQLCipherStore.decrypt(notes.description, to: notes.file("plain"))
      url = notes.file("again")
      try await SQLCipherStore.encrypt(
        notes.file("plain"), to: PersistentStoreDescription(url: url, vault: notes.vault))
    }
    let store = try RotationTests.identifier(url)
    let key = try #require(try await notes.vault.keys(for: store, interaction: .silent).first?.key)
    let before = try Data(contentsOf: url)
    for presence in Presence.allCases {
      let given = presence == .right ? key : presence == .wrong ? StoreKey() : nil
      let description = try await description(kind, given, store, url, notes.scratch.folder)
      switch presence {
      case .right: #expect(try await notes.count(description) == 300)
      case .wrong:
        await #expect { try await notes.count(description) } throws: {
          ($0 as? StoreError)?.code == .wrongKey
        }
      case .missing:
        await #expect { try await notes.count(description) } throws: {
          ($0 as? StoreError)?.code == .keyMissing
        }
      }
    }
    try held?.close()
    #expect(try Data(contentsOf: url).prefix(16) == before.prefix(16))
    #expect(try Data(contentsOf: url).range(of: Data("SQLite format 3".utf8)) == nil)
  }
}
