/// The formats in which a store's pages may be encrypted.
package enum CipherFormat: Int, Sendable, CaseIterable {
  /// SQLCipher 3's, with pages of 4096 bytes: HMAC-SHA1. Every library reads it.
  case version3 = 3
  /// SQLCipher 4's: HMAC-SHA512. Libraries before 4.0 cannot read it.
  case version4 = 4

  package var pages: PageFormat { self == .version3 ? .version3 : .version4 }

  /// Sets the format of a database just given its key; compatibility resets the page size, so that
  /// comes after.
  func settings(_ schema: String) -> [String] {
    ["PRAGMA \(schema).cipher_compatibility = \(rawValue)", "PRAGMA \(schema).cipher_page_size = 4096"]
  }
}
