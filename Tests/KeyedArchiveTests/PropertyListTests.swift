import Foundation
import KeyedArchive
import Testing

@Suite("Binary property lists")
struct PropertyListTests {
  /// Every kind of value, as Python's plistlib writes it.
  static let everyKind = """
    YnBsaXN0MDDcAQIDBAUGBwgJCgsMDQ4PEBEWFxgZGhscU2JpZ1VieXRlc1RkYXRlU2ludFRsaXN0U25lZ1Jub1RyZWFsVHRleHRTdWlk\
    VHdpZGVTeWVzEwAAAQAAAAAAQwAB/zNA9RgAAAAAABAqohITEAGiFBUQAl8QFHh4eHh4eHh4eHh4eHh4eHh4eHh4E//////////5CCM/\
    +AAAAAAAAFVwbGFpboEBLGgAZwByAPYA3wBlACDYPd0RCQghJSswNDk9QEVKTlNXYGRtb3J0d3mQmZqjqay9AAAAAAAAAQEAAAAAAAAA\
    HQAAAAAAAAAAAAAAAAAAAL4=
    """
  private static let expected = PropertyListValue.dictionary([
    "yes": .boolean(true), "no": .boolean(false), "int": .integer(42), "neg": .integer(-7),
    "big": .integer(1 << 40), "real": .real(1.5), "text": .string("plain"), "wide": .string("größe 🔑"),
    "bytes": .data(Data([0, 1, 0xFF])), "date": .date(Date(timeIntervalSinceReferenceDate: 86400)),
    "list": .array([.integer(1), .array([.integer(2), .string(String(repeating: "x", count: 20))])]),
    "uid": .uid(300),
  ])

  @Test("lists of another writer are read")
  func foreign() throws {
    let data = try #require(Data(base64Encoded: Self.everyKind))
    #expect(try PropertyListValue(binaryPropertyList: data) == Self.expected)
    #expect(Self.expected["text"] == .string("plain") && Self.expected["none"] == nil)
    // A part of a larger buffer does not begin at index 0.
    #expect(try PropertyListValue(binaryPropertyList: (Data([1, 2]) + data).dropFirst(2)) == Self.expected)
  }

  @Test("what is written is read back equal, and Foundation reads it too")
  func roundTrip() throws {
    let values: [PropertyListValue] = [
      Self.expected, .null, .set([.integer(1), .null]), .array([]), .dictionary([:]), .string(""),
      .data(Data()),
      .integer(.min), .integer(.max), .integer(255), .integer(256), .integer(65536), .integer(1 << 32),
      .real(-.infinity), .string(String(repeating: "ä", count: 70000)), .uid(.max), .uid(0),
      .array((0..<300).map { .integer($0) }), .string("\u{0}"), .array([.real(0), .real(-0.0)]),
    ]
    for value in values {
      #expect(try PropertyListValue(binaryPropertyList: value.binaryPropertyList()) == value)
    }
    let plain = PropertyListValue.dictionary(["a": .array([.integer(7), .string("ö"), .boolean(true)])])
    let read = try PropertyListSerialization.propertyList(from: plain.binaryPropertyList(), format: nil)
    let list = try #require((read as? [String: Any])?["a"] as? [Any])
    #expect(list.count == 3 && list[0] as? Int == 7 && list[1] as? String == "ö")
  }

  @Test("equal plain values are stored once")
  func unique() throws {
    let text = PropertyListValue.string(String(repeating: "x", count: 1000))
    let data = try PropertyListValue.array(Array(repeating: text, count: 50)).binaryPropertyList()
    #expect(data.count < 1200)
  }

  @Test("other formats are refused with words")
  func formats() {
    func message(_ text: String) -> String {
      do {
        _ = try PropertyListValue(binaryPropertyList: Data(text.utf8))
        return ""
      } catch { return error.message }
    }
    #expect(message("<?xml version=\"1.0\"?>").contains("plutil"))
    #expect(message("\u{4}\u{b}streamtyped").contains("NSArchiver"))
    #expect(message("SQLite format 3").contains("no binary property list"))
    #expect(message("").contains("no binary property list"))
    #expect(message("bplist00").contains("cut off"))
  }

  @Test("whole numbers of more than 64 bits are refused, smaller ones of 16 bytes are read")
  func wideIntegers() throws {
    let unsigned = try #require(
      Data(base64Encoded: "YnBsaXN0MDAUAAAAAAAAAACAAAAAAAAABQgAAAAAAAABAQAAAAAAAAABAAAAAAAAAAAAAAAAAAAAGQ=="))
    #expect(Self.code(unsigned) == .unsupportedValue)
    let wide = Self.list([[0x14] + Array(repeating: 0xFF, count: 16)])
    #expect(try PropertyListValue(binaryPropertyList: wide) == .integer(-1))
  }

  @Test("a container that contains itself, and one nested too deeply, are refused")
  func nesting() throws {
    #expect(Self.code(Self.list([[0xA1, 0]])) == .cycle)
    #expect(Self.code(Self.list([[0xA1, 1], [0xA1, 0]])) == .cycle)
    let chain = Self.list((0..<250).map { [0xA1, UInt8($0 + 1)] } + [[0xA0]])
    #expect(Self.code(chain) == .tooDeep)
    // The inner end is read first, so that no single walk is deep.
    let last: [UInt8] = [0xAF, 0x10, 250] + (1...250).reversed().map { UInt8($0) }
    #expect(Self.code(Self.list([last] + (1..<250).map { [0xA1, UInt8($0 + 1)] } + [[0xA0]])) == .tooDeep)
    var limits = PropertyListLimits()
    limits.depth = 300
    #expect(throws: Never.self) { try PropertyListValue(binaryPropertyList: chain, limits: limits) }
    var deep = PropertyListValue.null
    for _ in 0..<600 { deep = .array([deep]) }
    #expect(throws: KeyedArchiveError.self) { try deep.binaryPropertyList() }
  }

  @Test("containers that are shared do not explode")
  func laughter() {
    let levels = (0..<100).map { [0xAA] + Array(repeating: UInt8($0 + 1), count: 10) }
    #expect(Self.code(Self.list(levels + [[0xA0]])) == .tooLarge)
  }

  @Test("objects that overlap, lie outside or are cut off are refused")
  func bounds() {
    // Fifty objects are the same long text.
    let text = [0x5F, 0x10, 200] + Array(repeating: UInt8(ascii: "x"), count: 200)
    let references: [UInt8] = [0xAF, 0x10, 50] + (1...50).map { UInt8($0) }
    var list = Self.list([references, text] + Array(repeating: [], count: 49))
    for position in 0..<49 { list[list.count - 32 - 49 + position] = list[list.count - 32 - 50] }
    #expect(Self.code(list) == .damaged)
    #expect(Self.code(Self.list([[0xA1, 9]])) == .damaged)
    #expect(Self.code(Self.list([[0x5F, 0x13, 0x7F, 255, 255, 255, 255, 255, 255, 255]])) == .damaged)
    #expect(Self.code(Self.list([[0xDF, 0x13, 0xFF, 255, 255, 255, 255, 255, 255, 255]])) == .damaged)
    #expect(Self.code(Self.list([[0x4F]])) == .damaged)
    #expect(Self.code(Self.list([[0x51, 0x80]])) == .damaged)
    #expect(Self.code(Self.list([[0xD1, 1, 1], [0x08]])) == .unsupportedValue)
    #expect(Self.code(Self.list([[0xD2, 1, 1, 2, 2], [0x51, 0x61], [0x08]])) == .damaged)
    #expect(Self.code(Self.list([[0xE1]])) == .unsupportedValue)
    #expect(Self.code(Self.list([[0x07]])) == .unsupportedValue)
    #expect(Self.code(Self.list([[0x18] + Array(repeating: 0, count: 256)])) == .unsupportedValue)
    #expect(Self.code(Self.list([[0x24] + Array(repeating: 0, count: 16)])) == .unsupportedValue)
    #expect(Self.code(Self.list([[0x8F] + Array(repeating: 0, count: 16)])) == .unsupportedValue)
  }

  @Test("limits of bytes and objects")
  func limits() throws {
    let data = try PropertyListValue.array((0..<10).map { .integer($0) }).binaryPropertyList()
    #expect(throws: KeyedArchiveError.self) {
      try PropertyListValue(binaryPropertyList: data, limits: PropertyListLimits(byteCount: 20))
    }
    #expect(throws: KeyedArchiveError.self) {
      try PropertyListValue(binaryPropertyList: data, limits: PropertyListLimits(objectCount: 10))
    }
    #expect(throws: KeyedArchiveError.self) {
      try PropertyListValue(binaryPropertyList: data, limits: PropertyListLimits(expandedCount: 10))
    }
  }

  @Test("any byte changed or cut off gives a value or an error")
  func mangled() throws {
    let data = try #require(Data(base64Encoded: Self.everyKind))
    for count in 0..<data.count { #expect(Self.code(data.prefix(count)) != nil) }
    for position in data.indices {
      for byte: UInt8 in [0, 1, 0x7F, 0x80, 0xAF, 0xDF, 0xFF] {
        var mangled = data
        mangled[position] = byte
        guard let value = try? PropertyListValue(binaryPropertyList: mangled) else { continue }
        // Not the values themselves, since no number that is none is equal to another.
        let written = try value.binaryPropertyList()
        #expect(try PropertyListValue(binaryPropertyList: written).binaryPropertyList() == written)
      }
    }
  }

  /// The code that reading fails with; nil when it succeeds.
  private static func code(_ data: Data) -> KeyedArchiveError.Code? {
    do {
      _ = try PropertyListValue(binaryPropertyList: data)
      return nil
    } catch { return error.code }
  }

  /// A list of objects by their bytes, the first at the top.
  private static func list(_ objects: [[UInt8]]) -> Data {
    var bytes = Array("bplist00".utf8)
    var offsets: [UInt8] = []
    for object in objects {
      offsets += [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)]
      bytes += object
    }
    let start = bytes.count
    bytes += offsets + [0, 0, 0, 0, 0, 0, 2, 1]
    for number in [objects.count, 0, start] {
      bytes += (0..<8).map { UInt8(number >> ((7 - $0) * 8) & 0xFF) }
    }
    return Data(bytes)
  }
}
