public import Foundation
import Glibc

/// Keys in a file that only its owner may read: one line a key, as the keyring's items are. For servers and for copies on
/// a medium that is kept apart; what protects the keys is who can read the file.
public struct KeyFileVault: KeyVault {
  private let url: URL

  /// Works with a file, which is made with the first key.
  public init(url: URL) { self.url = url }

  /// What messages call it.
  public var name: String { "the key file \(url.path)" }

  private struct Line {
    let identifier: KeyIdentifier
    let text: UnsafeRawBufferPointer
  }

  /// Every key of a store, newest first.
  /// - Throws: `KeyringError`: `keyFileExposed` when others can read the file, `vaultUnreachable`, `itemDamaged` when a
  ///   line for the store holds no key and no other does.
  public func keys(for store: UUID, interaction: KeyInteraction) async throws -> [StoredKey] {
    guard let contents = try SafeFile(url).read() else { return [] }
    return try contents.withUnsafeBytes { try Self.keys($0, store) }
  }

  private static func keys(_ contents: UnsafeRawBufferPointer, _ store: UUID) throws -> [StoredKey] {
    var keys: [StoredKey] = []
    var damage: (any Error)?
    for line in lines(contents) where KeyItem.store(line.text) == store || KeyItem.store(line.text) == nil {
      do {
        keys.append(
          StoredKey(
            identifier: line.identifier, store: store, key: try KeyItem.key(line.text, store: store),
            created: nil))
      } catch {
        damage = error
      }
    }
    if keys.isEmpty, let damage { throw damage }
    return keys.reversed()
  }

  /// `identifier key-item`, a line each.
  private static func lines(_ contents: UnsafeRawBufferPointer) -> [Line] {
    contents.split(separator: 10, omittingEmptySubsequences: true).compactMap { line in
      guard let blank = line.firstIndex(of: 32) else { return nil }
      return Line(
        identifier: KeyIdentifier(String(decoding: line[..<blank], as: UTF8.self)),
        text: UnsafeRawBufferPointer(rebasing: line[line.index(after: blank)...]))
    }
  }

  /// Adds a line, and answers when it has been read back.
  /// - Throws: `KeyringError`; the file is then as it was.
  public func add(
    _ key: StoreKey, for store: UUID, label: String, interaction: KeyInteraction
  ) async throws -> KeyIdentifier {
    let identifier = KeyIdentifier()
    let file = SafeFile(url)
    try file.locked {
      let old = try file.read()
      try KeyItem.withText(key, store: store) { text in
        let head = Array("\(identifier) ".utf8)
        let oldCount = old?.count ?? 0
        let new = SecretBytes(count: oldCount + head.count + text.count + 1) { bytes in
          old?.withUnsafeBytes { bytes.copyMemory(from: $0) }
          var rest = UnsafeMutableRawBufferPointer(rebasing: bytes[oldCount...])
          rest.copyBytes(from: head)
          rest = UnsafeMutableRawBufferPointer(rebasing: rest[head.count...])
          rest.copyMemory(from: UnsafeRawBufferPointer(text))
          rest[text.count] = 10
        }
        try new.withUnsafeBytes { try file.replace($0) }
      }
    }
    let back = try await keys(for: store, interaction: .silent).first { $0.identifier == identifier }
    guard let back, back.key.isSame(as: key) else {
      throw KeyringError(.readBackFailed, "\(name) took the key but did not give it back")
    }
    return identifier
  }

  /// Takes one line out.
  /// - Throws: `KeyringError`; the file is then as it was.
  public func remove(_ identifier: KeyIdentifier, for store: UUID, interaction: KeyInteraction) async throws {
    let file = SafeFile(url)
    try file.locked {
      guard let old = try file.read() else { return }
      try old.withUnsafeBytes { contents in
        let kept = contents.split(separator: 10, omittingEmptySubsequences: true).filter {
          !$0.starts(with: Array("\(identifier) ".utf8))
        }
        let new = SecretBytes(count: kept.reduce(0) { $0 + $1.count + 1 }) { bytes in
          var end = 0
          for line in kept {
            UnsafeMutableRawBufferPointer(rebasing: bytes[end...]).copyBytes(from: line)
            end += line.count
            bytes[end] = 10
            end += 1
          }
        }
        try new.withUnsafeBytes { try file.replace($0) }
      }
    }
  }
}
