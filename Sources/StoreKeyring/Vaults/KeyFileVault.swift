public import Foundation
import Glibc

/// Keys in a file that only its owner may read: one line a key, as the keyring's items are. For servers and for copies on
/// a medium that is kept apart; what protects the keys is who can read the file.
///
/// The file is read and written whole. It may be edited by hand: any ends of lines are read, a missing last one too, and lines
/// that hold no key stay.
public struct KeyFileVault: KeyVault {
  private let url: URL

  /// Works with a file, which is made with the first key.
  public init(url: URL) { self.url = url }

  /// What messages call it.
  public var name: String { "the key file \(url.path)" }

  /// The file, whatever names lead to it.
  public var location: KeyVaultLocation? { KeyVaultLocation(file: url) }

  /// Every key of a store, newest first.
  /// - Throws: `KeyringError`: `keyFileExposed` when others can read the file, `vaultUnreachable`, `itemDamaged` when a
  ///   line for the store holds no key and no other does.
  public func keys(for store: UUID, interaction: KeyInteraction) async throws -> [StoredKey] {
    guard let contents = try SafeFile(url).read() else { return [] }
    return try contents.withUnsafeBytes { try keys($0, store) }
  }

  private func keys(_ contents: UnsafeRawBufferPointer, _ store: UUID) throws -> [StoredKey] {
    var keys: [StoredKey] = []
    var damage: (any Error)?
    for line in KeyFileLine.all(contents) {
      let named = KeyItem.store(line.item)
      guard let identifier = line.identifier, named == store || named == nil else { continue }
      do {
        keys.append(
          StoredKey(
            identifier: identifier, store: store, key: try KeyItem.key(line.item, store: store), created: nil,
            in: self)
        )
      } catch {
        damage = error
      }
    }
    if keys.isEmpty, let damage { throw damage }
    return keys.reversed()
  }

  /// Adds a line, and answers when the file has been read back.
  /// - Throws: `KeyringError`; the file is then as it was.
  public func add(
    _ key: StoreKey, for store: UUID, label: String, interaction: KeyInteraction
  ) async throws -> KeyIdentifier {
    let identifier = KeyIdentifier()
    try SafeFile(url).change { old in
      Self.lending(old) { contents in
        let head = SecretBytes(count: 33 + KeyItem.length) { line in
          line.copyBytes(from: "\(identifier) ".utf8)
          KeyItem.withText(key, store: store) { text in
            UnsafeMutableRawBufferPointer(rebasing: line[33...]).copyMemory(
              from: UnsafeRawBufferPointer(text))
          }
        }
        return head.withUnsafeBytes { KeyFileLine.contents(KeyFileLine.all(contents).map(\.whole) + [$0]) }
      }
    }
    guard
      let back = try await keys(for: store, interaction: .silent).first(where: { $0.identifier == identifier }
      ),
      back.key.isSame(as: key)
    else { throw KeyringError(.readBackFailed, "\(name) took the key but did not give it back") }
    return identifier
  }

  /// Takes one line out.
  /// - Throws: `KeyringError`; the file is then as it was.
  public func remove(_ identifier: KeyIdentifier, for store: UUID, interaction: KeyInteraction) async throws {
    try SafeFile(url).change { old in
      Self.lending(old) { contents in
        let lines = KeyFileLine.all(contents)
        let kept = lines.filter { line in
          line.identifier != identifier || ![store, nil].contains(KeyItem.store(line.item))
        }
        return kept.count < lines.count ? KeyFileLine.contents(kept.map(\.whole)) : nil
      }
    }
  }

  private static func lending<R>(
    _ bytes: SecretBytes?, _ body: (UnsafeRawBufferPointer) throws -> R
  ) rethrows -> R {
    guard let bytes else { return try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
    return try bytes.withUnsafeBytes(body)
  }
}
