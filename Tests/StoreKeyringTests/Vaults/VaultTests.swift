import Foundation
import Glibc
import Testing

@testable import StoreKeyring

@Suite("Vaults in files")
struct VaultTests {
  private final class Folder: Sendable {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("strongroom-\(UUID().uuidString)")
    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: url) }
    func file(_ name: String) -> URL { url.appendingPathComponent(name) }
  }

  private static let cheap = PassphraseCost(rounds: 1 << 4, blockSize: 1, parallelism: 1)

  private func secret(_ text: String) -> SecretBytes { Array(text.utf8).withUnsafeBytes { SecretBytes($0) } }

  private func passphrases(_ folder: Folder, _ text: String) -> PassphraseVault {
    PassphraseVault(beside: folder.file("s"), cost: Self.cheap) { [secret] in secret(text) }
  }

  /// What every vault does: keys come back newest first, by store, and go one by one.
  private func duties(_ vault: any KeyVault) async throws {
    let (one, other) = (UUID(), UUID())
    #expect(try await vault.keys(for: one, interaction: .silent).isEmpty)
    let keys = (0..<3).map { _ in StoreKey() }
    var identifiers: [KeyIdentifier] = []
    for key in keys {
      identifiers.append(try await vault.add(key, for: one, label: "", interaction: .silent))
    }
    _ = try await vault.add(StoreKey(), for: other, label: "", interaction: .silent)
    let back = try await vault.keys(for: one, interaction: .silent)
    #expect(back.map(\.identifier) == identifiers.reversed())
    #expect(zip(back, keys.reversed()).allSatisfy { $0.key.isSame(as: $1) })
    try await vault.remove(identifiers[1], for: one, interaction: .silent)
    try await vault.remove(identifiers[1], for: one, interaction: .silent)
    #expect(
      try await vault.keys(for: one, interaction: .silent).map(\.identifier) == [
        identifiers[2], identifiers[0],
      ])
    #expect(try await vault.keys(for: other, interaction: .silent).count == 1)
  }

  @Test("memory, key file and passphrase do a vault's duties")
  func duties() async throws {
    let folder = try Folder()
    try await duties(InMemoryVault())
    try await duties(KeyFileVault(url: folder.file("keys")))
    try await duties(passphrases(folder, "correct horse"))
    for name in ["keys", "s.keys"] {
      var status = stat()
      #expect(stat(folder.file(name).path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }
  }

  /// Written by a version that took scrypt and AES-GCM from another library.
  @Test("a key that an earlier version wrapped is read")
  func earlier() async throws {
    let folder = try Folder()
    try Data(
      """
      {"format": 1, "keys": [{"cost": {"blockSize": 4, "parallelism": 2, "rounds": 16}, "created": 1795716209,
      "identifier": "a33b706ae0e8405692c329183b861c8c",
      "salt": "/mgJcaWpC8Bw8QAR0gVM633MX3DSwv2HSNmewYS3N5Y=",
      "sealed": "koRCUKi+lk2DrlUzEXYXSbrJVvQn4X4XmN98eZOHC3x+JSUnUUfcP3AswO7qECUll2IIn7UioZA4rVUl",
      "store": "7B0F2C52-8D2D-4B7C-9A53-0C3B2E8C1F11"}]}
      """.utf8
    ).write(to: folder.file("s.keys"))
    chmod(folder.file("s.keys").path, 0o600)
    let store = try #require(UUID(uuidString: "7B0F2C52-8D2D-4B7C-9A53-0C3B2E8C1F11"))
    let keys = try await passphrases(folder, "correct horse").keys(for: store, interaction: .silent)
    let key = try #require(keys.first?.key)
    let hex = key.withUnsafeBytes { $0.map { String(format: "%02x", $0) }.joined() }
    #expect(hex == "56921c463ee2616519d796661cdbc6a9c25b64db7bc10ac225779cdc7d78e221")
    await #expect {
      try await passphrases(folder, "correct Horse").keys(for: store, interaction: .silent)
    } throws: {
      ($0 as? KeyringError)?.code == .wrongPassphrase
    }
  }

  @Test("many at once lose no key", arguments: [false, true])
  func concurrency(passphrase: Bool) async throws {
    let folder = try Folder()
    let vault: any KeyVault =
      passphrase ? passphrases(folder, "p") : KeyFileVault(url: folder.file("keys"))
    let store = UUID()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<32 {
        group.addTask { _ = try await vault.add(StoreKey(), for: store, label: "", interaction: .silent) }
      }
      try await group.waitForAll()
    }
    #expect(try await vault.keys(for: store, interaction: .silent).count == 32)
  }

  @Test("a key file that others can read, that is a link, or that is another's is refused")
  func exposure() async throws {
    let folder = try Folder()
    let vault = KeyFileVault(url: folder.file("keys"))
    let store = UUID()
    _ = try await vault.add(StoreKey(), for: store, label: "", interaction: .silent)
    func expect(_ code: KeyringError.Code, _ vault: KeyFileVault) async {
      await #expect { try await vault.keys(for: store, interaction: .silent) } throws: {
        ($0 as? KeyringError)?.code == code
      }
    }
    for mode in [0o640, 0o604, 0o660, 0o644] as [mode_t] {
      chmod(folder.file("keys").path, mode)
      await expect(.keyFileExposed, vault)
    }
    chmod(folder.file("keys").path, 0o600)
    symlink(folder.file("keys").path, folder.file("link").path)
    await expect(.vaultUnreachable, KeyFileVault(url: folder.file("link")))
    mkfifo(folder.file("pipe").path, 0o600)
    await expect(.keyFileExposed, KeyFileVault(url: folder.file("pipe")))
    await expect(.keyFileExposed, KeyFileVault(url: folder.url))
    if geteuid() == 0 {
      chown(folder.file("keys").path, 12345, 12345)
      await expect(.keyFileExposed, vault)
    }
  }

  @Test("a damaged line is an error when no other line has a key")
  func damagedLine() async throws {
    let folder = try Folder()
    let url = folder.file("keys")
    let vault = KeyFileVault(url: url)
    let store = UUID()
    _ = try await vault.add(StoreKey(), for: store, label: "", interaction: .silent)
    var text = try String(contentsOf: url, encoding: .utf8)
    text.replaceSubrange(
      text.index(text.startIndex, offsetBy: 40)...text.index(text.startIndex, offsetBy: 40), with: "z")
    try text.write(to: url, atomically: false, encoding: .utf8)
    await #expect { try await vault.keys(for: store, interaction: .silent) } throws: {
      ($0 as? KeyringError)?.code == .itemDamaged
    }
    _ = try await vault.add(StoreKey(), for: store, label: "", interaction: .silent)
    #expect(try await vault.keys(for: store, interaction: .silent).count == 1)
  }

  @Test("a wrong passphrase, a changed or hostile file")
  func passphrase() async throws {
    let folder = try Folder()
    let store = UUID()
    let key = StoreKey()
    _ = try await passphrases(folder, "right").add(key, for: store, label: "", interaction: .silent)
    func expect(_ code: KeyringError.Code, _ text: String = "right", line: Int = #line) async {
      await #expect("line \(line)") {
        try await passphrases(folder, text).keys(for: store, interaction: .silent)
      } throws: {
        ($0 as? KeyringError)?.code == code
      }
    }
    await expect(.wrongPassphrase, "wrong")
    await expect(.wrongPassphrase, "")
    let url = folder.file("s.keys")
    let whole = try String(contentsOf: url, encoding: .utf8)
    #expect(!whole.contains("right"))
    for (old, new) in [
      ("\"parallelism\" : 1", "\"parallelism\" : 2"), ("\"rounds\" : 16", "\"rounds\" : 32"),
    ] {
      try whole.replacingOccurrences(of: old, with: new).write(to: url, atomically: false, encoding: .utf8)
      await expect(.wrongPassphrase)
    }
    try whole.replacingOccurrences(of: "\"rounds\" : 16", with: "\"rounds\" : 1073741824")
      .write(to: url, atomically: false, encoding: .utf8)
    await expect(.itemDamaged)
    for text in ["", "{}", "[]", "{\"format\": 2, \"keys\": []}", String(whole.dropLast(20))] {
      try text.write(to: url, atomically: false, encoding: .utf8)
      await expect(.itemDamaged)
    }
    try whole.write(to: url, atomically: false, encoding: .utf8)
    #expect(
      try await passphrases(folder, "right").keys(for: store, interaction: .silent).first?.key.isSame(as: key)
        == true)
    await #expect {
      try await passphrases(folder, "").add(key, for: store, label: "", interaction: .silent)
    } throws: {
      ($0 as? KeyringError)?.code == .storageFailed
    }
  }

  @Test("the standard cost derives a key")
  func standardCost() throws {
    let store = UUID()
    let key = StoreKey()
    let wrapped = try WrappedKey(
      key, for: store, passphrase: secret("p"), cost: .standard, identifier: KeyIdentifier())
    #expect(try wrapped.key(secret("p"), in: InMemoryVault()).key.isSame(as: key))
    let cost = wrapped.cost
    #expect(128 * cost.rounds * cost.blockSize == 128 << 20)
  }

  @Test("no key may ask for more than 1 GiB")
  func boundedCost() throws {
    #expect(PassphraseCost(rounds: 1 << 20, blockSize: 8, parallelism: 1).isBearable)
    #expect(!PassphraseCost(rounds: 1 << 21, blockSize: 8, parallelism: 1).isBearable)
    #expect(!PassphraseCost(rounds: 1 << 20, blockSize: 9, parallelism: 1).isBearable)
  }

  @Test("a credential that systemd hands to a service's user by an access list", .enabled(if: geteuid() == 0))
  func credentialOfRoot() async throws {
    let folder = try Folder()
    let (key, store) = (StoreKey(), UUID())
    let file = folder.file("k")
    try Data(KeyItem.withText(key, store: store) { Array($0) }).write(to: file)
    let vault = CredentialVault("k", directory: folder.url)
    // As with `User=`: root's, with the list's mask in the place of the group's bits.
    chmod(file.path, 0o440)
    #expect(try await vault.keys(for: store, interaction: .silent).first?.key.isSame(as: key) == true)
    for (mode, group) in [(0o444, 0), (0o460, 0), (0o440, 65534)] {
      chown(file.path, 0, gid_t(group))
      chmod(file.path, mode_t(mode))
      await #expect("\(String(mode, radix: 8)) of group \(group)") {
        try await vault.keys(for: store, interaction: .silent)
      } throws: {
        ($0 as? KeyringError)?.code == .keyFileExposed
      }
    }
    // A file of keys that somebody made is for its owner alone.
    chown(file.path, 0, 0)
    chmod(file.path, 0o440)
    await #expect { try await KeyFileVault(url: file).keys(for: store, interaction: .silent) } throws: {
      ($0 as? KeyringError)?.code == .keyFileExposed
    }
  }

  @Test("a credential in each of its forms, missing, exposed, outside of a service")
  func credential() async throws {
    let folder = try Folder()
    let (key, store) = (StoreKey(), UUID())
    let forms: [[UInt8]] = [
      key.withUnsafeBytes { Array($0) }, key.withHexText { Array($0) }, key.withHexText { Array($0) + [10] },
      KeyItem.withText(key, store: store) { Array($0) },
    ]
    let vault = CredentialVault("k", directory: folder.url)
    #expect(try await vault.keys(for: store, interaction: .silent).isEmpty)
    for form in forms {
      unlink(folder.file("k").path)
      try Data(form).write(to: folder.file("k"))
      chmod(folder.file("k").path, 0o400)
      #expect(try await vault.keys(for: store, interaction: .silent).first?.key.isSame(as: key) == true)
    }
    await #expect { try await vault.add(key, for: store, label: "", interaction: .silent) } throws: {
      ($0 as? KeyringError)?.code == .vaultReadOnly
    }
    for (vault, code) in [
      (CredentialVault("../k", directory: folder.url), KeyringError.Code.vaultUnreachable),
      (CredentialVault("k"), .vaultUnreachable),
    ] {
      await #expect { try await vault.keys(for: store, interaction: .silent) } throws: {
        ($0 as? KeyringError)?.code == code
      }
    }
    unlink(folder.file("k").path)
    try Data("short".utf8).write(to: folder.file("k"))
    chmod(folder.file("k").path, 0o400)
    await #expect { try await vault.keys(for: store, interaction: .silent) } throws: {
      ($0 as? KeyringError)?.code == .itemDamaged
    }
  }
}
