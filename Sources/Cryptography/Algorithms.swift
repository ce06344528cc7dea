import CLibCrypto

/// A hash function of libcrypto, the library that SQLCipher encrypts with.
package enum Hash: String, Sendable {
  case sha1 = "SHA1"
  case sha256 = "SHA256"
  case sha512 = "SHA512"

  // Fetched once: libcrypto looks an algorithm up by its name.
  private static let fetchedSHA1 = Algorithm(sha1)
  private static let fetchedSHA256 = Algorithm(sha256)
  private static let fetchedSHA512 = Algorithm(sha512)

  var algorithm: OpaquePointer {
    switch self {
    case .sha1: Self.fetchedSHA1.pointer
    case .sha256: Self.fetchedSHA256.pointer
    case .sha512: Self.fetchedSHA512.pointer
    }
  }
}

extension Algorithm {
  fileprivate init(_ hash: Hash) { self.init(EVP_MD_fetch(nil, hash.rawValue, nil), hash.rawValue) }
}

/// An algorithm as libcrypto gives it, for as long as the program runs.
struct Algorithm: @unchecked Sendable {
  // @unchecked: libcrypto's algorithms do not change, and any thread may use them.
  let pointer: OpaquePointer

  /// - Precondition: libcrypto has it: every build of it does, or SQLCipher could not run.
  init(_ pointer: OpaquePointer?, _ name: String) {
    guard let pointer else { preconditionFailure("libcrypto has no \(name)") }
    self.pointer = pointer
  }
}

/// A call of libcrypto that failed, which it does when there is no memory.
package struct CryptographyError: Error, CustomStringConvertible {
  package let description: String

  /// - Throws: itself for a result other than 1, which is libcrypto's success.
  static func check(_ result: Int32, _ operation: String) throws(CryptographyError) {
    if result != 1 { throw CryptographyError(description: "libcrypto could not \(operation)") }
  }

  /// - Throws: itself for no pointer.
  static func check<Pointer>(
    _ pointer: Pointer?, _ operation: String
  ) throws(CryptographyError) -> Pointer {
    if let pointer { return pointer }
    throw CryptographyError(description: "libcrypto could not \(operation)")
  }
}
