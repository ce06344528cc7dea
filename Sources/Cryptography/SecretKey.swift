import CLibCrypto

/// The bytes of a key, which are overwritten when it goes.
package final class SecretKey: @unchecked Sendable {
  // @unchecked: nothing changes the bytes after `init`.
  private let bytes: UnsafeMutableRawBufferPointer

  /// A key whose bytes a closure writes.
  package init<Failure: Error>(
    byteCount: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    bytes = .allocate(byteCount: byteCount, alignment: 16)
    bytes.initializeMemory(as: UInt8.self, repeating: 0)
    try fill(bytes)
  }

  /// A copy of bytes.
  package convenience init(_ other: UnsafeRawBufferPointer) {
    self.init(byteCount: other.count) { $0.copyMemory(from: other) }
  }

  /// 32 random bytes.
  package static func random() -> SecretKey {
    SecretKey(byteCount: 32) { bytes in
      var random = SystemRandomNumberGenerator()
      for place in bytes.indices { bytes[place] = random.next() }
    }
  }

  deinit {
    OPENSSL_cleanse(bytes.baseAddress, bytes.count)
    bytes.deallocate()
  }

  package func withUnsafeBytes<R, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> R
  ) throws(Failure) -> R {
    try body(UnsafeRawBufferPointer(bytes))
  }
}
