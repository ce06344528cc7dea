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

  @Test("a line end that an editor put behind an item changes nothing", arguments: ["\n", "\r\n"])
  func lineEnd(_ end: String) throws {
    let (key, store) = (StoreKey(), UUID())
    let text = KeyItem.withText(key, store: store) { Array($0) } + Array(end.utf8)
    #expect(try text.withUnsafeBytes { try KeyItem.key($0, store: store) }.isSame(as: key))
    #expect(text.withUnsafeBytes { KeyItem.store($0) } == store)
    #expect(throws: KeyringError.self) {
      try (text + Array("x".utf8)).withUnsafeBytes { try KeyItem.key($0, store: store) }
    }
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
    let stored = StoredKey(
      identifier: KeyIdentifier(), store: UUID(), key: key, created: nil, in: InMemoryVault())
    var dumped = ""
    dump(stored, to: &dumped)
    for text in ["\(key)", "\(stored)", String(reflecting: key), dumped] { #expect(!text.contains(hex)) }
    #expect(hex.count == 64 && Set(hex).count > 4)
    #expect(!StoreKey().isSame(as: key))
  }

  @Test("a key is never made for a file that exists, nor beside another")
  func life() async throws {
    let vault = InMemoryVault()
    let life = KeyLifecycle(vaults: [vault])
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

  /// Made without this library, after the description of the format.
  @Test("a key's item, recovery code and wrapped form are those of the format")
  func vectors() async throws {
    let store = try #require(UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF"))
    let key = try [UInt8](0..<32).withUnsafeBytes { try StoreKey(bytes: $0) }
    let item = KeyItem.withText(key, store: store) { String(decoding: $0, as: UTF8.self) }
    #expect(
      item
        == "v1:000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f:"
        + "00112233445566778899aabbccddeeff:8c25af70")
    let code = RecoveryCode(key, for: store).withText { String(decoding: $0, as: UTF8.self) }
    #expect(
      code == "1A600-1081G-81860-W40J2-GB1G6-GW3RG-24916-50N2R-BHG68-T3CE1-T7GZA-V8Y07")
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("wrapped-\(UUID().uuidString)")
    let keys = URL(fileURLWithPath: file.path + ".keys")
    defer { try? FileManager.default.removeItem(at: keys) }
    let json = """
      {"format": 1, "keys": [{"identifier": "0123456789abcdef0123456789abcdef",
      "store": "00112233-4455-6677-8899-AABBCCDDEEFF", "created": 1700000000,
      "cost": {"rounds": 16, "blockSize": 1, "parallelism": 1},
      "salt": "ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=",
      "sealed": "QEFCQ0RFRkdISUpL18vgv+Roaje5uiw3md/IRTkwqLKtckv4DPvSDKs103u68PLRxJvxlGTpFnBmiMjF"}]}
      """
    try Data(json.utf8).write(to: keys)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: keys.path)
    let vault = PassphraseVault(beside: file) {
      Array("a passphrase".utf8).withUnsafeBytes { SecretBytes($0) }
    }
    let found = try await vault.keys(for: store, interaction: .silent)
    #expect(found.count == 1 && found[0].key.isSame(as: key))
  }
}
