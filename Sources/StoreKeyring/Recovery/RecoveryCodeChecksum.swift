/// The checksum of a recovery code: the cyclic code of BIP 173 with a constant of our own, so that
/// addresses and other texts that use BIP 173 are rejected.
///
/// It detects up to four wrong characters among 83, and so every single wrong character and every
/// swap of two.
enum RecoveryCodeChecksum {
  static let count = 6
  private static let last: UInt32 = 0x5374_726D & 0x3FFF_FFFF  // "Strm"
  private static let generator: [UInt32] = [
    0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3,
  ]

  private static func remainder(_ symbols: some Sequence<UInt8>) -> UInt32 {
    var sum: UInt32 = 1
    for symbol in symbols {
      let top = sum >> 25
      sum = (sum & 0x1FF_FFFF) << 5 ^ UInt32(symbol)
      for bit in 0..<5 where top >> UInt32(bit) & 1 == 1 { sum ^= generator[bit] }
    }
    return sum
  }

  /// Writes the checksum of the preceding symbols into the last six.
  static func fill(_ symbols: UnsafeMutableBufferPointer<UInt8>) {
    for index in symbols.indices.suffix(count) { symbols[index] = 0 }
    let sum = remainder(symbols) ^ last
    for (offset, index) in symbols.indices.suffix(count).enumerated() {
      symbols[index] = UInt8(sum >> UInt32(5 * (count - 1 - offset)) & 31)
    }
  }

  /// Whether the checksum matches the symbols before it.
  static func holds(_ symbols: UnsafeMutableBufferPointer<UInt8>) -> Bool { remainder(symbols) == last }
}
