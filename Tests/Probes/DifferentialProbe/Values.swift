import Foundation
import SeededRandom
import Strongroom

/// Values that are few, so that they meet, and odd.
enum Values {
  private static let texts = [
    "", "a", "A", "ab", "aB", "ä", "Ä", "a\u{308}", "ß", "ss", "SS", "straße", "Σ", "ς", "σ", "10", "2", "9",
    "%",
    "_", "*", "?", "a*b", "\\", "'", "\"", "NULL", "👩‍👩‍👧", "İ", "ı", "i", "I", "é",
    "e\u{301}\u{327}", "x\u{0}y",
    "ﬁ",
    "fi", "a b", "a, b; A c", "b a\u{308} ab", "東京 a", "\n", "nan", "1.5",
  ]
  private static let integers: [Int64] = [
    0, 1, -1, 2, 3, 5, 7, 10, 100, 32767, -32768, 2_147_483_647, -2_147_483_648, .max, .min, 1 << 53,
    (1 << 53) + 1,
  ]
  private static let reals: [Double] = [
    0, 1, -1, 0.1, 0.5, -0.5, 2, 2.5, 3, 1e308, -1e308, 2.5e-308, 9_007_199_254_740_992, 9.3e18, .infinity,
    -.infinity,
    100,
  ]
  private static let decimals = [
    "0", "1", "-1", "0.1", "0.5", "2", "2.5", "-0.1", "100", "1e30", "-1e30", "18446744073709551615",
  ]
  private static let documents = [
    "[1,2,3]", "[\"a\",\"ä\"]", "{\"a\":1,\"b\":{\"c\":\"x\"}}", "{\"a\":\"ab\",\"b\":[true,null]}",
    "no JSON", "2", "[]", "{\"a\":[1,2],\"b\":{\"c\":[\"a\"]}}",
  ]

  static func text(_ random: inout Random) -> AttributeValue { .string(random.element(texts)!) }

  static func real(_ random: inout Random) -> Double { random.element(reals)! }

  static func data(_ random: inout Random) -> Data { Data(random.element(documents)!.utf8) }

  /// A value of a type, small enough for it.
  static func value(_ attribute: AttributeDescription, _ random: inout Random) -> AttributeValue {
    switch attribute.type {
    case .integer16, .integer32, .integer64:
      var value = AttributeValue.null
      repeat { value = .integer(random.element(integers)!) } while !value.matches(attribute.type)
      return value
    case .float:
      let value = Double(Float(real(&random)))
      return .double(value)
    case .composite:
      return random.chance(3)
        ? .composite(["city": text(&random)]) : .composite(["city": text(&random), "x": .double(1)])
    default: return value(attribute.type, &random)
    }
  }

  static func value(_ type: AttributeType, _ random: inout Random) -> AttributeValue {
    switch type {
    case .integer16, .integer32, .integer64: .integer(random.element(integers)!)
    case .double, .float: .double(real(&random))
    case .decimal: .decimal(Decimal(string: random.element(decimals)!)!)
    case .boolean: .boolean(random.chance(2))
    case .date: .date(Date(timeIntervalSinceReferenceDate: [0, 0.5, 1, -1, 86400, 1e9][random.below(6)]))
    case .string: text(&random)
    case .binary, .transformable: .data(data(&random))
    case .uuid: .uuid(UUID(uuid: (UInt8(random.below(3)), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)))
    case .uri:
      .uri(
        URL(
          string: ["https://a.example/", "https://b.example/x?y=1", "mailto:a@b.example"][random.below(3)])!)
    case .composite, .undefined, .objectID: .null
    }
  }

  /// A value of any type.
  static func any(_ random: inout Random) -> AttributeValue {
    if random.chance(12) { return .null }
    if random.chance(15) { return .reference(Int64(1 + random.below(12))) }
    let types: [AttributeType] = [
      .integer64, .double, .decimal, .boolean, .date, .string, .binary, .uuid, .uri, .string, .integer64,
    ]
    return value(random.element(types)!, &random)
  }
}
