import Foundation
import KeyedArchive
import Testing

@Suite("Raw DEFLATE")
struct DeflateTests {
  @Test("bytes come back equal, of any size")
  func roundTrip() throws {
    var noise: [UInt8] = []
    var state: UInt32 = 1
    for _ in 0..<200_000 {
      state = state &* 1_664_525 &+ 1_013_904_223
      noise.append(UInt8(state >> 24))
    }
    for data in [Data(), Data([7]), Data(repeating: 1, count: 300_000), Data(noise)] {
      let packed = try Deflate.deflate(data)
      #expect(try Deflate.inflate(packed) == data)
      #expect(try Deflate.inflate((Data([0]) + packed).dropFirst()) == data)
    }
  }

  @Test("a stream of another writer, with something behind its end")
  func foreign() throws {
    // Python: zlib.compressobj(9, zlib.DEFLATED, -15) over b"Strongroom " * 3
    let packed = try #require(Data(base64Encoded: "Cy4pys9LL8rPz1UIxsoEAA=="))
    let text = Data(String(repeating: "Strongroom ", count: 3).utf8)
    #expect(try Deflate.inflate(packed) == text)
    #expect(try Deflate.inflate(packed + Data([1, 2, 3])) == text)
  }

  @Test("too much output, a cut stream and other bytes are refused")
  func refused() throws {
    let packed = try Deflate.deflate(Data(repeating: 0, count: 10_000_000))
    #expect(packed.count < 20_000)
    #expect(throws: KeyedArchiveError.self) { try Deflate.inflate(packed, limit: 1_000_000) }
    #expect(try Deflate.inflate(packed, limit: 10_000_000).count == 10_000_000)
    #expect(throws: KeyedArchiveError.self) { try Deflate.inflate(packed.dropLast()) }
    #expect(throws: KeyedArchiveError.self) { try Deflate.inflate(Data()) }
    #expect(throws: KeyedArchiveError.self) { try Deflate.inflate(Data("no stream".utf8)) }
  }
}
