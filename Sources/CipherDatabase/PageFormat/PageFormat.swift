/// How the pages of some SQLCipher database are laid out and authenticated.
package struct PageFormat: Sendable, Hashable, CustomStringConvertible {
  package enum Authentication: Sendable { case none, sha1, sha256, sha512 }

  package let version: Int
  package let pageSize: Int
  package let authentication: Authentication

  package static let version3 = PageFormat(version: 3, pageSize: 4096, authentication: .sha1)
  package static let version4 = PageFormat(version: 4, pageSize: 4096, authentication: .sha512)

  /// Every layout that a file made by some version of SQLCipher is likely to have.
  ///
  /// With a raw key those of versions 2 and 3 are the same.
  package static let known: [PageFormat] =
    [version3, version4]
    + [1024, 4096, 512, 2048, 8192, 16384, 32768, 65536].flatMap { size in
      [
        PageFormat(version: 3, pageSize: size, authentication: .sha1),
        PageFormat(version: 4, pageSize: size, authentication: .sha512),
        PageFormat(version: 4, pageSize: size, authentication: .sha256),
        PageFormat(version: 1, pageSize: size, authentication: .none),
      ]
    }.filter { $0 != version3 && $0 != version4 }

  /// Bytes at the end of a page for the initialization vector and the MAC, in whole cipher blocks.
  var reserve: Int {
    switch authentication {
    case .none: 16
    case .sha1, .sha256: 48
    case .sha512: 80
    }
  }

  package var description: String {
    let mac =
      switch authentication {
      case .none: "no MAC"
      case .sha1: "HMAC-SHA1"
      case .sha256: "HMAC-SHA256"
      case .sha512: "HMAC-SHA512"
      }
    let name = version == 3 ? "2 or 3" : "\(version)"
    return "SQLCipher \(name), pages of \(pageSize) bytes, \(mac)"
  }
}
