import CGLib

/// A SHA-256 by GLib.
///
/// It only tells versions of a model apart and protects no secret, and a build that only generates
/// a model's classes need not build a cryptographic library first.
struct Checksum: ~Copyable {
  private let state = g_checksum_new(G_CHECKSUM_SHA256)

  deinit { g_checksum_free(state) }

  func update(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
    g_checksum_update(state, start, gssize(bytes.count))
  }

  /// The 32 bytes.
  ///
  /// Nothing can be added after.
  consuming func finish() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 32) { bytes, count in
      var length: gsize = 32
      g_checksum_get_digest(state, bytes.baseAddress, &length)
      count = Int(length)
    }
  }
}
