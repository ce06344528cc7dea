import CipherDatabase
import Foundation

/// A store's open file: its connections, and the key and page format that opened it.
///
/// The opening finds key and format once and passes them on, to a migration, to a second attempt
/// after the file was replaced, and to the rotation of an open store.
final class OpenSession: Sendable {
  /// The connections; the pool also owns the open file.
  let pool: ConnectionPool
  let cipher: StoreCipher

  init(_ pool: ConnectionPool, _ cipher: StoreCipher) {
    self.pool = pool
    self.cipher = cipher
  }

  /// Opens connections to a file whose key is known.
  convenience init(
    _ file: DatabaseFile, _ cipher: StoreCipher, _ options: ConnectionOptions
  ) throws {
    var options = options
    options.format = cipher.format
    // An exclusive connection would lock out readers of its own process.
    let pool = try ConnectionPool(
      file: file, key: cipher.spec, options: options, maximumReaders: options.exclusiveLocking ? 0 : 4)
    self.init(pool, cipher)
  }

  var file: DatabaseFile { pool.file }
  var store: UUID { cipher.store }
}
