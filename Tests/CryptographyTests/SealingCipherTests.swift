import Cryptography
import Foundation
import Testing

@Suite("AES-GCM")
struct SealingCipherTests {
  private static func bytes(_ text: String) -> [UInt8] {
    stride(from: 0, to: text.count, by: 2).compactMap { place in
      UInt8(text.dropFirst(place).prefix(2), radix: 16)
    }
  }

  private static func cipher() throws -> SealingCipher {
    try SealingCipher(
      bytes("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308").withUnsafeBytes {
        SecretKey($0)
      })
  }

  private static let plain = bytes(
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
      + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39")
  private static let others = bytes("feedfacedeadbeeffeedfacedeadbeefabaddad2")
  private static let nonce = bytes("cafebabefacedbaddecaf888")

  @Test("as test case 16 of its description has it")
  func vector() throws {
    let cipher = try Self.cipher()
    let wanted = Data(
      Self.nonce
        + Self.bytes(
          "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838"
            + "c5f61e6393ba7a0abcc9f66276fc6ece0f4e1768cddf8853bb2d551b"))
    for _ in 0..<2 {
      let sealed = try Self.plain.withUnsafeBytes {
        try cipher.seal($0, nonce: Self.nonce, authenticating: Self.others)
      }
      #expect(sealed == wanted)
      #expect(try cipher.open(sealed, authenticating: Self.others) == Data(Self.plain))
    }
  }

  @Test("opens nothing that was changed in any bit, cut, or sealed with other words or another key")
  func changed() throws {
    let cipher = try Self.cipher()
    let sealed = try Self.plain.withUnsafeBytes { try cipher.seal($0, authenticating: Self.others) }
    for place in sealed.indices {
      for bit in 0..<8 {
        var other = sealed
        other[place] ^= 1 << bit
        #expect(try cipher.open(other, authenticating: Self.others) == nil)
      }
    }
    for count in 0..<sealed.count {
      #expect(try cipher.open(sealed.prefix(count), authenticating: Self.others) == nil)
    }
    #expect(try cipher.open(sealed, authenticating: []) == nil)
    #expect(try cipher.open(sealed, authenticating: Self.others + [0]) == nil)
    #expect(try SealingCipher(.random()).open(sealed, authenticating: Self.others) == nil)
    // It still opens what is whole.
    #expect(try cipher.open(sealed, authenticating: Self.others) == Data(Self.plain))
  }

  @Test("takes nothing and much, as slices, with a nonce of its own each time")
  func sizes() throws {
    let cipher = try Self.cipher()
    for count in [0, 1, 15, 16, 4096, 100_000] {
      let plain = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      let first = try plain.withUnsafeBytes { try cipher.seal($0, authenticating: []) }
      let second = try plain.withUnsafeBytes { try cipher.seal($0, authenticating: []) }
      #expect(first != second)
      #expect(first.count == count + 28)
      let slice = (Data([1, 2, 3]) + first).dropFirst(3)
      #expect(try cipher.open(slice, authenticating: []) == Data(plain))
    }
  }
}
