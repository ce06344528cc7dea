import CLibCrypto

/// A hash of bytes that are added piece by piece.
package struct Digest: ~Copyable {
  private let context: OpaquePointer
  private let hash: Hash

  /// - Precondition: There is memory for its state, some hundred bytes.
  package init(_ hash: Hash) {
    guard let context = EVP_MD_CTX_new(), EVP_DigestInit_ex2(context, hash.algorithm, nil) == 1 else {
      preconditionFailure("there is no memory for a hash")
    }
    self.context = context
    self.hash = hash
  }

  deinit { EVP_MD_CTX_free(context) }

  package func add(_ bytes: UnsafeRawBufferPointer) {
    EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
  }

  /// The hash of all that was added.
  ///
  /// Nothing can be added after.
  package consuming func finish() -> [UInt8] {
    let size = Int(EVP_MD_get_size(hash.algorithm))
    return [UInt8](unsafeUninitializedCapacity: size) { bytes, count in
      EVP_DigestFinal_ex(context, bytes.baseAddress, nil)
      count = size
    }
  }

  /// The hash of bytes that are there at once.
  package static func of(_ bytes: UnsafeRawBufferPointer, _ hash: Hash = .sha256) -> [UInt8] {
    let digest = Digest(hash)
    digest.add(bytes)
    return digest.finish()
  }
}
