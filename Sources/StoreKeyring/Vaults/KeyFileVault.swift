public import Foundation
import Glibc

/// Keys in a file that only its owner may read, one key item per line.
///
/// Use it on servers, and for copies on a medium that is stored separately. The file's permissions
/// are the only protection of the keys.
///
/// The file is read and written whole. It may be edited by hand: every kind of line ending is
/// accepted, the last one may be missing, and lines that hold no key are preserved.
public struct KeyFileVault: KeyVault {
  private let url: URL
  package var isThere: Bool { FileManager.default.fileExists(atPath: url.path) }
  var file: SafeFile { SafeFile(url) }

  /// Creates a vault over a file, which is created when the first key is added.
  public init(url: URL) { self.url = url }

  /// The vault's name in messages.
  public var name: String { "the key file \(url.path)" }

  /// The file itself, whichever path it is reached by.
  public var location: KeyVaultLocation? { KeyVaultLocation(file: url) }

  /// Every key of a store, newest first.
  /// - Throws: `KeyringError` with code `keyFileExposed` when other users can read the file,
  ///   `vaultUnreachable` when it cannot be read, or `itemDamaged` when a line for the store is
  ///   damaged and no other line has a key.
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

  /// Adds a line, and returns after the file has been read back.
  /// - Throws: `KeyringError`; the file is then unchanged.
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
    else { throw KeyringError(.readBackFailed, "\(name) stored the key but did not return it") }
    return identifier
  }

  /// Removes one line.
  /// - Throws: `KeyringError`; the file is then unchanged.
  public func remove(_ identifier: KeyIdentifier, for store: UUID, interaction: KeyInteraction) async throws {
    try SafeFile(url).change { old in
      Self.lending(old) { contents in
        let lines = KeyFileLine.all(contents)
        let remaining = lines.filter { line in
          line.identifier != identifier || ![store, nil].contains(KeyItem.store(line.item))
        }
        return remaining.count < lines.count ? KeyFileLine.contents(remaining.map(\.whole)) : nil
      }
    }
  }

  static func lending<R>(
    _ bytes: SecretBytes?, _ body: (UnsafeRawBufferPointer) throws -> R
  ) rethrows -> R {
    guard let bytes else { return try body(UnsafeRawBufferPointer(start: nil, count: 0)) }
    return try bytes.withUnsafeBytes(body)
  }
}
