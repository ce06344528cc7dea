import Cryptography
import Foundation
import Testing

/// Against the vectors that the algorithms' own descriptions give.
@Suite("Cryptography")
struct CryptographyTests {
  private static func bytes(_ hex: String) -> [UInt8] {
    var rest = Substring(hex.filter { $0 != " " })
    var bytes: [UInt8] = []
    while let byte = UInt8(rest.prefix(2), radix: 16) {
      bytes.append(byte)
      rest = rest.dropFirst(2)
    }
    return bytes
  }

  private static func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { String(format: "%02x", $0) }.joined()
  }

  private static func key(_ hex: String) -> SecretKey { bytes(hex).withUnsafeBytes { SecretKey($0) } }

  private static func hex(_ key: SecretKey) -> String { key.withUnsafeBytes { hex($0) } }

  @Test(
    "hashes as FIPS 180-4 has them",
    arguments: [
      (Hash.sha1, "a9993e364706816aba3e25717850c26c9cd0d89d"),
      (.sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        .sha512,
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
          + "2192992a274fc1a836ba3c23a3feebbd454d4423643c"
          + "e80e2a9ac94fa54ca49f"
      ),
    ])
  func hashing(hash: Hash, wanted: String) {
    #expect(Self.hex(Array("abc".utf8).withUnsafeBytes { Digest.of($0, hash) }) == wanted)
    let digest = Digest(hash)
    for part in ["a", "", "bc"] { Array(part.utf8).withUnsafeBytes { digest.add($0) } }
    #expect(Self.hex(digest.finish()) == wanted)
  }

  @Test("the hash of nothing")
  func empty() {
    #expect(
      Self.hex(Digest(.sha256).finish())
        == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
  }

  @Test(
    "codes as RFC 2202 and RFC 4231 have them, any number under one key",
    arguments: [
      (Hash.sha1, "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
      (.sha256, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
      (
        .sha512,
        "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
          + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a3"
          + "4d4a6b4b636e070a38bce737"
      ),
    ])
  func authenticating(hash: Hash, wanted: String) throws {
    let authenticator = try MessageAuthenticator(hash, key: Self.key(Self.hex("Jefe".utf8)))
    for cut in [0, 1, 17, 28] {
      let message = Array("what do ya want for nothing?".utf8)
      let code = try message.withUnsafeBytes { message in
        try authenticator.code(
          of: UnsafeRawBufferPointer(rebasing: message[..<cut]),
          UnsafeRawBufferPointer(rebasing: message[cut...]))
      }
      #expect(Self.hex(code) == wanted)
    }
  }

  /// What libcrypto reads has to be there until it has read it, also where other threads take memory
  /// that was freed.
  @Test("authenticators that are made on many threads have their hash and their key")
  func manyAuthenticators() {
    let group = DispatchGroup()
    let lock = NSLock()
    nonisolated(unsafe) var codes: Set<[UInt8]> = []
    for _ in 0..<64 {
      group.enter()
      Thread.detachNewThread {
        let own = Self.codes(1000)
        lock.withLock { codes.formUnion(own) }
        group.leave()
      }
    }
    group.wait()
    let wanted = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    #expect(codes == [Self.bytes(wanted)])
  }

  /// The different codes, or errors, of one message by many authenticators.
  private static func codes(_ count: Int) -> Set<[UInt8]> {
    let key = key(hex("Jefe".utf8))
    let message = Array("what do ya want for nothing?".utf8)
    var (codes, others): (Set<[UInt8]>, [[UInt8]]) = ([], [])
    for number in 0..<count {
      do {
        let authenticator = try MessageAuthenticator(.sha256, key: key)
        let code = try message.withUnsafeBytes {
          try authenticator.code(of: $0, UnsafeRawBufferPointer(rebasing: $0[..<0]))
        }
        codes.insert(code)
      } catch { codes.insert(Array("\(error)".utf8)) }
      // Memory of the size of a parameter's name.
      for _ in 0..<number % 12 { others.append([UInt8](repeating: 65, count: 7)) }
      if others.count > 60 { others.removeAll() }
    }
    return codes
  }

  @Test("PBKDF2 as RFC 6070 has it")
  func pbkdf2() throws {
    let (password, salt) = (Array("password".utf8), Array("salt".utf8))
    let short = try password.withUnsafeBytes {
      try SecretKey.pbkdf2($0, salt: salt, .sha1, rounds: 2, byteCount: 20)
    }
    #expect(Self.hex(short) == "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957")
    // By Python's hashlib.
    let long = try password.withUnsafeBytes { try SecretKey.pbkdf2($0, salt: salt, .sha512, rounds: 2) }
    #expect(Self.hex(long) == "e1d9c16aa681708a45f5c7c4e215ceb66e011a2e9f0040713f18aefdb866d53c")
  }

  @Test("scrypt as RFC 7914 has it")
  func scrypt() throws {
    func key(_ passphrase: String, _ salt: String, _ rounds: Int, _ blockSize: Int, _ parallelism: Int)
      throws -> String
    {
      try Self.hex(
        Array(passphrase.utf8).withUnsafeBytes {
          try SecretKey.scrypt(
            $0, salt: Array(salt.utf8), rounds: rounds, blockSize: blockSize, parallelism: parallelism,
            byteCount: 64)
        })
    }
    #expect(
      try key("", "", 16, 1, 1)
        == "77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
        + "fcd0069ded0948f8326a753a0fc81f17e8d3"
        + "e0fb2e0d3628cf35e20c38d18906")
    #expect(
      try key("password", "NaCl", 1024, 8, 16)
        == "fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
        + "2eaf30d92e22a3886ff109279d9830dac727"
        + "afb94a83ee6d8360cbdfa2cc0640")
    // No power of two.
    #expect(throws: CryptographyError.self) { try key("password", "NaCl", 1000, 8, 1) }
  }

  @Test("CBC as NIST SP 800-38A has it, in whole blocks")
  func blocks() throws {
    let key = Self.key("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")
    func plain(_ encrypted: [UInt8], _ vector: [UInt8]) throws -> String {
      try encrypted.withUnsafeBytes { encrypted in
        try vector.withUnsafeBytes { try Self.hex(BlockCipher.decrypt(encrypted, key: key, vector: $0)) }
      }
    }
    let encrypted = Self.bytes("f58c4c04d6e5f1ba779eabfb5f7bfbd6 9cfc4e967edb808d679f777bc6702c7d")
    let vector = Self.bytes("000102030405060708090a0b0c0d0e0f")
    #expect(
      try plain(encrypted, vector) == "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51")
    #expect(throws: CryptographyError.self) { try plain([1, 2, 3], vector) }
    #expect(throws: CryptographyError.self) { try plain(encrypted, []) }
  }
}
