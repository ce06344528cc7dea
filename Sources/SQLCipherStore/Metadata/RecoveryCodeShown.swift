import CipherDatabase
import Cryptography
import Foundation
import StoreContract
import StoreKeyring

/// What a store keeps of its recovery code having been shown: the start of a hash of the key, so
/// that it holds for that code alone.
///
/// After a rotation, or in a copy with a key of its own, it is another's and says nothing.
struct RecoveryCodeShown {
  private static let row = "recovery_code_shown"
  private let text: String

  init(_ key: StoreKey, _ store: UUID) {
    let digest = Digest(.sha256)
    Array("strongroom recovery code shown|\(store.uuidString)|".utf8).withUnsafeBytes { digest.add($0) }
    key.withUnsafeBytes { digest.add($0) }
    text = Data(digest.finish().prefix(8)).hex
  }

  /// - Throws: `CipherError`. Nothing is done in a database that is no store.
  func write(_ connection: Connection) throws {
    try connection.transaction(.immediate) {
      guard try connection.text("SELECT 1 FROM sqlite_master WHERE name = '_store'") != nil else { return }
      let statement = try connection.cached("INSERT OR REPLACE INTO _store (key, value) VALUES (?1, ?2)")
      statement.bind(1, Self.row)
      statement.bind(2, text)
      try statement.run()
    }
  }

  /// Whether the code of this key was noted.
  ///
  /// One statement.
  func isWritten(_ connection: Connection) throws -> Bool {
    try StoreTable(connection).read(Self.row) == text
  }
}
