import CGLib

/// A SHA-256 by GLib: what tells one version of a model from another keeps no secret, and a build that only makes classes of a
/// model should not have to build a library of ciphers first.
struct Checksum: ~Copyable {
  private let state = g_checksum_new(G_CHECKSUM_SHA256)

  deinit { g_checksum_free(state) }

  func update(_ bytes: UnsafeRawBufferPointer) {
    guard let start = bytes.bindMemory(to: UInt8.self).baseAddress else { return }
    g_checksum_update(state, start, gssize(bytes.count))
  }

  /// The 32 bytes. Nothing can be added after.
  consuming func finish() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 32) { bytes, count in
      var length: gsize = 32
      g_checksum_get_digest(state, bytes.baseAddress, &length)
      count = Int(length)
    }
  }
}
