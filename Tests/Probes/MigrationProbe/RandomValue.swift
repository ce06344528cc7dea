import Foundation
import SeededRandom
import Strongroom

/// Random values of every type, many of them the least, the greatest or odd.
enum RandomValue {
  private static let texts = [
    "", "a", "A", "ä", "a\u{308}", "'", "\"", "NULL", "0", "1.5", "x\u{0}y", "👩‍👩‍👧", "東京",
    "two\nlines", " ",
    String(repeating: "long ", count: 2000),
  ]
  private static let integers: [Int64] = [
    0, 1, -1, 2, 7, 255, 32767, -32768, 2_147_483_647, -2_147_483_648, .max, .min, 1 << 53, (1 << 53) + 1,
  ]
  private static let reals: [Double] = [
    0, -0.0, 1, -1, 0.1, 2.5, 1e308, -1e308, .leastNonzeroMagnitude, 9_007_199_254_740_992, .infinity,
    -.infinity,
  ]
  private static let decimals = [
    "0", "1", "-1", "0.1", "-0.1", "99999999999999999999999999999999999999", "1e30", "-1e-30",
    "123456789.987654321",
  ]
  private static let seconds: [Double] = [
    0, 0.5, -0.25, 86400, 1e9, 700_000_000.123456, -978_307_200, -63_114_076_800, 64_092_211_200,
  ]
  private static let addresses = [
    "https://a.example/", "https://b.example/x?y=1#z", "mailto:a@b.example", "file:///a%20b",
  ]
  private static let documents = ["{\"a\":[1,2,null]}", "[]", "\"text\"", "no JSON", "{\"b\":{\"c\":\"ä\"}}"]

  /// - `number`: What makes the value another one than those of other objects; nil where it need
  ///   not be.
  static func make(_ attribute: AttributeDescription, _ number: Int?, _ random: inout Random)
    -> AttributeValue
  {
    if attribute.type == .composite {
      var values: [String: AttributeValue] = [:]
      for element in attribute.elements where !element.isOptional || !random.chance(4) {
        values[element.name] = make(element, nil, &random)
      }
      return .composite(values)
    }
    let bounds = [attribute.declaration.minValue, attribute.declaration.maxValue].compactMap { $0 }
    if attribute.type == .string { return .string(text(attribute.declaration, number, &random)) }
    if number == nil, random.chance(3), let bound = random.element(bounds) { return bound }
    return value(attribute.type, number, &random)
  }

  private static func text(_ rules: Attribute, _ number: Int?, _ random: inout Random) -> String {
    var text = random.element(texts) ?? ""
    if let number { text = "\(text.prefix(20))\(number)" }
    if case .integer(let bound)? = rules.minValue, text.count < bound {
      text += String(repeating: "m", count: Int(min(bound, 10000)))
    }
    if case .integer(let bound)? = rules.maxValue, text.count > bound {
      text = String(text.suffix(Int(max(0, bound))))
    }
    return text
  }

  private static func value(_ type: AttributeType, _ number: Int?, _ random: inout Random)
    -> AttributeValue
  {
    let own = number ?? 0
    return switch type {
    case .integer16, .integer32, .integer64:
      .integer(number.map(Int64.init) ?? random.element(integers) ?? 0)
    case .double: .double(number.map(Double.init) ?? random.element(reals) ?? 0)
    case .float: .double(number.map(Double.init) ?? Double(Float(random.element(reals) ?? 0)))
    case .decimal:
      .decimal(number.map { Decimal($0) } ?? Decimal(string: random.element(decimals) ?? "") ?? 0)
    case .boolean: .boolean(random.chance(2))
    case .date:
      .date(Date(timeIntervalSinceReferenceDate: (random.element(seconds) ?? 0) + Double(own)))
    case .string: .string("")
    case .binary, .transformable: .data(data(number, &random))
    case .uuid: .uuid(uuid(&random))
    case .uri, .objectID: uri(number, &random)
    case .composite, .undefined: .null
    }
  }

  private static func uuid(_ random: inout Random) -> UUID {
    var bytes = (random.next(), random.next())
    return withUnsafeBytes(of: &bytes) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
  }

  private static func uri(_ number: Int?, _ random: inout Random) -> AttributeValue {
    let text = (random.element(addresses) ?? "") + (number.map { "?\($0)" } ?? "")
    return URL(string: text).map(AttributeValue.uri) ?? .null
  }

  /// Bytes of none to many pages, so that some lie outside the row.
  private static func data(_ number: Int?, _ random: inout Random) -> Data {
    if let number { return Data("\(number)".utf8) }
    if random.chance(2) { return Data((random.element(documents) ?? "").utf8) }
    let size = random.element([0, 1, 100, 5000, 150_000]) ?? 0
    let first = random.below(256)
    return Data((0..<size).map { UInt8(truncatingIfNeeded: first + $0 &* 7) })
  }
}
