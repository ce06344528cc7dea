import Foundation
import Glibc
import Testing

@testable import StoreKeyring

@Suite("Key files as people leave them")
struct KeyFileTests {
  private final class Place: Sendable {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("keys-\(UUID().uuidString)")
    var file: URL { folder.appendingPathComponent("keys") }
    var vault: KeyFileVault { KeyFileVault(url: file) }

    init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: folder) }

    func text() throws -> String { String(decoding: try Data(contentsOf: file), as: UTF8.self) }

    func write(_ text: String) throws {
      try Data(text.utf8).write(to: file)
      chmod(file.path, 0o600)
    }

    var names: [String] {
      get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
    }
  }

  private func add(_ key: StoreKey, _ store: UUID, to vault: any KeyVault) async throws -> KeyIdentifier {
    try await vault.add(key, for: store, label: "", interaction: .silent)
  }

  @Test(
    "a file whose last line has no end, or other ends, takes another key and keeps its own",
    arguments: ["no end", "CRLF", "CRLF, no end", "byte order mark", "blanks", "tabs", "empty lines"])
  func lineEnds(_ form: String) async throws {
    let place = try Place()
    let (first, second, third) = (StoreKey(), StoreKey(), StoreKey())
    let (one, other) = (UUID(), UUID())
    _ = try await add(first, one, to: place.vault)
    _ = try await add(second, other, to: place.vault)
    var text = try place.text()
    switch form {
    case "no end": text.removeLast()
    case "CRLF": text = text.replacingOccurrences(of: "\n", with: "\r\n")
    case "CRLF, no end": text = String(text.dropLast()).replacingOccurrences(of: "\n", with: "\r\n")
    case "byte order mark": text = "\u{FEFF}" + text
    case "blanks": text = text.replacingOccurrences(of: "\n", with: "  \n ")
    case "tabs": text = text.replacingOccurrences(of: " ", with: "\t")
    default: text = "\n\n" + text.replacingOccurrences(of: "\n", with: "\n\n")
    }
    try place.write(text)
    #expect(try await place.vault.keys(for: one, interaction: .silent).first?.key.isSame(as: first) == true)
    let added = try await add(third, one, to: place.vault)
    let keys = try await place.vault.keys(for: one, interaction: .silent)
    #expect(keys.count == 2 && keys[0].key.isSame(as: third) && keys[1].key.isSame(as: first))
    let others = try await place.vault.keys(for: other, interaction: .silent)
    #expect(others.count == 1 && others[0].key.isSame(as: second))
    try await place.vault.remove(added, for: one, interaction: .silent)
    #expect(try await place.vault.keys(for: one, interaction: .silent).first?.key.isSame(as: first) == true)
    #expect(try await place.vault.keys(for: other, interaction: .silent).count == 1)
  }

  @Test("lines that an added key was once appended to are two keys again")
  func joined() async throws {
    let place = try Place()
    let store = UUID()
    let keys = [StoreKey(), StoreKey(), StoreKey()]
    for key in keys { _ = try await add(key, store, to: place.vault) }
    try place.write(try place.text().replacingOccurrences(of: "\n", with: "") + "\n")
    let back = try await place.vault.keys(for: store, interaction: .silent)
    #expect(back.count == 3 && zip(back, keys.reversed()).allSatisfy { $0.key.isSame(as: $1) })
    try await place.vault.remove(back[1].identifier, for: store, interaction: .silent)
    let left = try await place.vault.keys(for: store, interaction: .silent)
    #expect(left.map(\.identifier) == [back[0].identifier, back[2].identifier])
  }

  @Test("lines that are no keys stay where they are")
  func foreignLines() async throws {
    let place = try Place()
    let (one, other) = (UUID(), UUID())
    _ = try await add(StoreKey(), other, to: place.vault)
    try place.write("# made by hand\n" + (try place.text()) + "word")
    let added = try await add(StoreKey(), one, to: place.vault)
    #expect(try await place.vault.keys(for: one, interaction: .silent).count == 1)
    try await place.vault.remove(added, for: one, interaction: .silent)
    let text = try place.text()
    #expect(text.hasPrefix("# made by hand\n") && text.hasSuffix("\nword\n"))
    #expect(try await place.vault.keys(for: other, interaction: .silent).count == 1)
  }

  @Test("what a killed process left beside a file goes with the next change")
  func leftovers() async throws {
    let place = try Place()
    let store = UUID()
    _ = try await add(StoreKey(), store, to: place.vault)
    let half = Data(try place.text().utf8.prefix(60))
    try half.write(to: place.folder.appendingPathComponent("keys.12345.new"))
    try half.write(to: place.folder.appendingPathComponent("keys.mine.new"))
    _ = try await add(StoreKey(), store, to: place.vault)
    #expect(try place.names == ["keys", "keys.lock", "keys.mine.new"])
    #expect(try await place.vault.keys(for: store, interaction: .silent).count == 2)
  }

  @Test("taking out a key that is not there makes no file and changes none")
  func removingNothing() async throws {
    let place = try Place()
    let store = UUID()
    let passphrases = PassphraseVault(
      beside: place.folder.appendingPathComponent("s"),
      cost: PassphraseCost(rounds: 16, blockSize: 1, parallelism: 1)
    ) { Array("p".utf8).withUnsafeBytes { SecretBytes($0) } }
    try await passphrases.remove(KeyIdentifier(), for: store, interaction: .silent)
    try await place.vault.remove(KeyIdentifier(), for: store, interaction: .silent)
    #expect(try !place.names.contains("s.keys") && !place.names.contains("keys"))
    _ = try await add(StoreKey(), store, to: place.vault)
    let text = String(try place.text().dropLast())
    try place.write(text)
    try await place.vault.remove(KeyIdentifier(), for: store, interaction: .silent)
    #expect(try place.text() == text)
  }

  private struct Asked: Error {}

  private func code(_ vault: any KeyVault, _ store: UUID) async -> String {
    do {
      return "opened \(try await vault.keys(for: store, interaction: .silent).count)"
    } catch {
      return error is Asked ? "asked" : (error as? KeyringError)?.code.description ?? "\(error)"
    }
  }

  @Test(
    "wrapped keys that ask for too much work are refused before the passphrase is asked for"
  )
  func work() async throws {
    let place = try Place()
    let store = place.folder.appendingPathComponent("s")
    let vault = PassphraseVault(beside: store) { throw Asked() }
    let identifier = UUID()
    func file(_ count: Int, rounds: Int, parallelism: Int) throws {
      let keys = (0..<count).map {
        """
        {"identifier":"\($0)","store":"\(identifier)","created":0,"salt":"AAAA","sealed":"AAAA",
        "cost":{"rounds":\(rounds),"blockSize":8,"parallelism":\(parallelism)}}
        """
      }
      let url = URL(fileURLWithPath: store.path + ".keys")
      try Data("{\"format\":1,\"keys\":[\(keys.joined(separator: ","))]}".utf8).write(to: url)
      chmod(url.path, 0o600)
    }
    try file(16, rounds: 1 << 20, parallelism: 1)
    #expect(await code(vault, identifier) == "itemDamaged")
    try file(1, rounds: 1 << 20, parallelism: 16)
    #expect(await code(vault, identifier) == "itemDamaged")
    // What thirty-two keys of the usual cost take is taken.
    try file(32, rounds: 1 << 17, parallelism: 1)
    #expect(await code(vault, identifier) == "asked")
    try file(33, rounds: 1 << 17, parallelism: 1)
    #expect(await code(vault, identifier) == "itemDamaged")
    // Other stores' keys are not opened, and so cost nothing.
    #expect(try await vault.keys(for: UUID(), interaction: .silent).isEmpty)
  }
}
