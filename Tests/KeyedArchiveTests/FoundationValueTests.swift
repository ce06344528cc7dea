import Foundation
import KeyedArchive
import Testing

@Suite("Values of Foundation's classes")
struct FoundationValueTests {
  private static let all: [FoundationValue] = [
    .boolean(true), .integer(-5), .real(2.5), .string("text"), .string("größe"), .data(Data([1, 2, 3])),
    .date(Date(timeIntervalSinceReferenceDate: 0.25)), .uuid(UUID()), .null, .decimal(0), .decimal(.nan),
    .decimal(Decimal(sign: .minus, exponent: -20, significand: 123_456_789_012_345_678)),
    .decimal(Decimal(sign: .plus, exponent: 90, significand: 7)),
    .decimal(.greatestFiniteMagnitude), .attributedString("styled"), .locale("de_DE"),
    .timeZone("Europe/Berlin"), .array([]), .set([.integer(1)]), .orderedSet([.integer(2), .integer(1)]),
    .array([.string("a"), .array([.null, .string("a")])]), .dictionary([]),
    .dictionary([.init(.string("k"), .dictionary([.init(.integer(1), .boolean(false))]))]),
    .indexSet(IndexSet()), .indexSet(IndexSet(3...9)), .indexSet(IndexSet([1, 2, 200, 300_000])),
  ]

  @Test("every value is written and read back equal")
  func roundTrip() throws {
    for value in Self.all { #expect(try Self.read { writer in try writer.add(value) } == value) }
    let whole = FoundationValue.array(Self.all)
    #expect(try Self.read { try $0.add(whole) } == whole)
    let url = try #require(URL(string: "b/c?d=1", relativeTo: URL(string: "https://example.org/a/")))
    guard case .url(let read) = try Self.read({ try $0.add(.url(url)) }) else {
      Issue.record("no URL")
      return
    }
    #expect(read.absoluteString == "https://example.org/a/b/c?d=1" && read.relativeString == "b/c?d=1")
    var writer = KeyedArchiveWriter()
    #expect(throws: KeyedArchiveError.self) { try writer.add(.unknown("NSColor")) }
  }

  @Test("what Foundation's archiver writes is read")
  func foundationWrites() throws {
    let objects: [(Any, FoundationValue)] = [
      ("text" as NSString, .string("text")), (NSMutableString(string: "more"), .string("more")),
      (NSNumber(value: 12), .integer(12)), (NSNumber(value: 1.5), .real(1.5)),
      (NSDate(timeIntervalSinceReferenceDate: 8), .date(Date(timeIntervalSinceReferenceDate: 8))),
      (NSData(data: Data([9])), .data(Data([9]))), (NSNull(), .null),
      (NSArray(array: ["a", 1]), .array([.string("a"), .integer(1)])),
      (NSMutableSet(array: ["a"]), .set([.string("a")])),
      (NSDictionary(dictionary: ["k": "v"]), .dictionary([.init(.string("k"), .string("v"))])),
      (NSLocale(localeIdentifier: "fr_FR"), .locale("fr_FR")),
    ]
    for (object, expected) in objects {
      let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: false)
      #expect(try FoundationValue(KeyedArchive(data).root) == expected)
    }
  }

  @Test("Foundation's unarchiver reads what is written")
  func foundationReads() throws {
    var writer = KeyedArchiveWriter()
    let uuid = UUID()
    let root = try writer.add(
      .dictionary([
        .init(.string("list"), .array([.string("ä"), .integer(7), .real(0.5)])),
        .init(.string("date"), .date(Date(timeIntervalSinceReferenceDate: 99))),
        .init(.string("id"), .uuid(uuid)), .init(.string("data"), .data(Data([5, 6]))),
      ]))
    let read = try NSKeyedUnarchiver.unarchivedObject(
      ofClasses: [
        NSDictionary.self, NSArray.self, NSString.self, NSNumber.self, NSDate.self, NSUUID.self, NSData.self,
      ],
      from: writer.data(root: root))
    let values = try #require(read as? NSDictionary)
    let list = try #require(values["list"] as? NSArray)
    #expect(list.count == 3 && list[0] as? String == "ä" && (list[1] as? NSNumber)?.intValue == 7)
    #expect((values["date"] as? NSDate)?.timeIntervalSinceReferenceDate == 99)
    #expect((values["id"] as? NSUUID)?.uuidString == uuid.uuidString)
    #expect(values["data"] as? Data == Data([5, 6]))
  }

  @Test("mutable classes, numbered keys of the first archives, and big-endian mantissas")
  func variants() throws {
    let text = try Self.read {
      $0.addObject(["NSMutableString", "NSString", "NSObject"], ["NS.string": .string("m")])
    }
    #expect(text == .string("m"))
    let data = try Self.read {
      $0.addObject(["NSMutableData", "NSData", "NSObject"], ["NS.data": .data(Data([4]))])
    }
    #expect(data == .data(Data([4])))
    let numbered = try Self.read { writer throws(KeyedArchiveError) in
      let (first, second) = (writer.addString("a"), writer.addString("b"))
      return writer.addObject(
        ["NSMutableArray", "NSArray", "NSObject"],
        ["NS.object.0": .reference(first), "NS.object.1": .reference(second)])
    }
    #expect(numbered == .array([.string("a"), .string("b")]))
    #expect(try Self.read { $0.addObject(["NSArray", "NSObject"]) } == .array([]))
    var mantissa = Data(repeating: 0, count: 16)
    mantissa[0] = 1
    let decimal = try Self.read {
      $0.addObject(
        ["NSDecimalNumberPlaceholder", "NSDecimalNumber", "NSNumber", "NSValue", "NSObject"],
        [
          "NS.exponent": .integer(-2), "NS.length": .integer(1), "NS.negative": .boolean(true),
          "NS.compact": .boolean(true), "NS.mantissa.bo": .integer(2), "NS.mantissa": .data(mantissa),
        ])
    }
    #expect(decimal == .decimal(Decimal(sign: .minus, exponent: -2, significand: 256)))
  }

  @Test("other classes are named, and objects without their contents are refused")
  func unknown() throws {
    #expect(try Self.read { $0.addObject(["NSColor", "NSObject"]) } == .unknown("NSColor"))
    let list = try Self.read {
      $0.addObject(["NSArray", "NSObject"], ["NS.objects": .references([$0.addObject(["Own"]), .null])])
    }
    #expect(list == .array([.unknown("Own"), .null]))
    for name in [
      "NSString", "NSDate", "NSData", "NSUUID", "NSURL", "NSDecimalNumber", "NSLocale", "NSTimeZone",
    ] {
      #expect(throws: KeyedArchiveError.self) { try Self.read { $0.addObject([name, "NSObject"]) } }
    }
    // A text that names itself as its text.
    #expect(throws: KeyedArchiveError.self) {
      try Self.read {
        let text = $0.addObject(["NSString", "NSObject"])
        $0.set(.reference(text), forKey: "NS.string", of: text)
        return text
      }
    }
    #expect(throws: KeyedArchiveError.self) {
      try Self.read {
        let url = $0.addObject(["NSURL", "NSObject"], ["NS.relative": .reference($0.addString("a"))])
        $0.set(.reference(url), forKey: "NS.base", of: url)
        return url
      }
    }
  }

  @Test("collections that are shared do not explode, and deep ones are refused")
  func sharing() throws {
    func nested(_ levels: Int, _ width: Int) throws -> Data {
      var writer = KeyedArchiveWriter()
      var next = writer.addString("x")
      for _ in 0..<levels {
        next = writer.addObject(
          ["NSArray", "NSObject"], ["NS.objects": .references(Array(repeating: next, count: width))])
      }
      return try writer.data(root: next)
    }
    #expect(throws: KeyedArchiveError.self) { try FoundationValue(KeyedArchive(nested(40, 10)).root) }
    #expect(throws: KeyedArchiveError.self) { try FoundationValue(KeyedArchive(nested(200, 1)).root) }
    #expect(throws: Never.self) { try FoundationValue(KeyedArchive(nested(3, 10)).root) }
  }

  @Test("any byte changed in an archive gives a value or an error")
  func mangled() throws {
    var writer = KeyedArchiveWriter()
    let root = try writer.add(.array(Self.all))
    let data = try writer.data(root: root)
    #expect(throws: Never.self) { try FoundationValue(KeyedArchive(data).root) }
    for position in stride(from: 0, to: data.count, by: 3) {
      for byte: UInt8 in [0, 0x0F, 0x80, 0xA1, 0xFF] {
        var mangled = data
        mangled[position] = byte
        if let archive = try? KeyedArchive(mangled) { _ = try? FoundationValue(archive.root) }
      }
    }
  }

  private static func read(
    _ make: (inout KeyedArchiveWriter) throws -> KeyedArchiveWriter.Reference
  ) throws -> FoundationValue {
    var writer = KeyedArchiveWriter()
    let root = try make(&writer)
    return try FoundationValue(KeyedArchive(writer.data(root: root)).root)
  }
}
