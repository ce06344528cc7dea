import Foundation
import Testing

@testable import StoreKeyring

@Suite("Keys")
struct KeyTests {
  @Test("a key item gives its key back, and no other store's")
  func item() throws {
    let (key, store) = (StoreKey(), UUID())
    let text = KeyItem.withText(key, store: store) { Array($0) }
    #expect(text.count == 109 && !text.contains(10))
    #expect(try text.withUnsafeBytes { try KeyItem.key($0, store: store) }.isSame(as: key))
    #expect(throws: KeyringError.self) { try text.withUnsafeBytes { try KeyItem.key($0, store: UUID()) } }
  }

  @Test("any single changed byte of an item is noticed")
  func damage() throws {
    let (key, store) = (StoreKey(), UUID())
    let text = KeyItem.withText(key, store: store) { Array($0) }
    for index in text.indices {
      var changed = text
      changed[index] ^= 1
      #expect(throws: KeyringError.self) { try changed.withUnsafeBytes { try KeyItem.key($0, store: store) } }
      let short = Array(text.prefix(index))
      #expect(throws: KeyringError.self) { try short.withUnsafeBytes { try KeyItem.key($0, store: store) } }
    }
  }

  @Test("a key has no readable form")
  func redaction() throws {
    let key = StoreKey()
    let hex = key.withHexText { String(decoding: $0, as: UTF8.self) }
    let stored = StoredKey(identifier: KeyIdentifier(), store: UUID(), key: key, created: nil)
    var dumped = ""
    dump(stored, to: &dumped)
    for text in ["\(key)", "\(stored)", String(reflecting: key), dumped] { #expect(!text.contains(hex)) }
    #expect(hex.count == 64 && Set(hex).count > 4)
    #expect(!StoreKey().isSame(as: key))
  }

  @Test("a key is never made for a file that exists, nor beside another")
  func life() async throws {
    let vault = InMemoryVault()
    let life = KeyLife(vaults: [vault])
    let store = UUID()
    await #expect {
      try await life.createKey(for: store, storeFileExists: true, label: "")
    } throws: {
      ($0 as? KeyringError)?.code == .fileExists
    }
    #expect(try await vault.keys(for: store, interaction: .silent).isEmpty)
    _ = try await life.createKey(for: store, storeFileExists: false, label: "")
    await #expect {
      try await life.createKey(for: store, storeFileExists: false, label: "")
    } throws: {
      ($0 as? KeyringError)?.code == .keyExists
    }
    vault.fail(with: KeyringError(.vaultLocked, "locked"))
    await #expect {
      try await life.createKey(for: UUID(), storeFileExists: false, label: "")
    } throws: {
      ($0 as? KeyringError)?.code == .vaultLocked
    }
  }
}
