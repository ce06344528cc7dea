import Foundation
import ObjectQuery
import Strongroom

/// Values that an attribute's rules allow, a different one each time where there are many.
struct SampleValues {
  private var count: Int64 = 0

  /// Nil when none was found.
  mutating func next(_ attribute: AttributeDescription, composites: [String: Composite]) -> AttributeValue? {
    count += 1
    return value(attribute.declaration, composites)
  }

  private func value(
    _ attribute: Attribute, _ composites: [String: Composite]
  ) -> AttributeValue? {
    switch attribute.type {
    case .integer16, .integer32, .integer64: return .integer(whole(attribute))
    case .double: return .double(real(attribute, step: 1.25))
    case .float: return .double(Double(Float(real(attribute, step: 1.5))))
    case .decimal: return .decimal(Decimal(real(attribute, step: 1)))
    case .boolean: return .boolean(scattered % 2 == 0)
    case .date: return .date(Date(timeIntervalSinceReferenceDate: real(attribute, step: 86400.125)))
    case .string: return text(attribute)
    case .uuid: return .uuid(UUID())
    case .uri, .objectID: return URL(string: "https://example.org/\(count)?ü").map(AttributeValue.uri)
    case .binary, .transformable: return .data(Data("bytes \(count) \0 \u{FF}".utf8))
    case .composite:
      return attribute.compositeName.flatMap { composites[$0] }.map { composite($0, composites) }
    case .undefined: return nil
    }
  }

  private func composite(_ composite: Composite, _ composites: [String: Composite]) -> AttributeValue {
    var elements: [String: AttributeValue] = [:]
    for element in composite.attributes { elements[element.name] = value(element, composites) ?? .null }
    return .composite(elements)
  }

  private func whole(_ attribute: Attribute) -> Int64 {
    switch attribute.type {
    case .integer16: whole(attribute, Int64(Int16.min), Int64(Int16.max))
    case .integer32: whole(attribute, Int64(Int32.min), Int64(Int32.max))
    default: whole(attribute, .min, .max)
    }
  }

  /// The count as a number that looks random, so that attributes whose values repeat do not repeat
  /// in step.
  private var scattered: UInt64 {
    var bits = UInt64(bitPattern: count) &* 0x9E37_79B9_7F4A_7C15
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    return bits ^ (bits >> 27)
  }

  /// Another one each time where the bounds leave many, else one of them.
  private func whole(_ attribute: Attribute, _ least: Int64, _ most: Int64) -> Int64 {
    func bound(_ value: AttributeValue?) -> Int64? {
      if case .integer(let integer)? = value { return integer }
      return number(value).flatMap { Int64(exactly: $0.rounded()) }
    }
    let low = bound(attribute.minValue).map { max($0, least) }
    let high = bound(attribute.maxValue).map { min($0, most) }
    let start = low ?? min(1, high ?? 1)
    let end = high ?? most
    guard start <= end else { return start }
    let span = UInt64(bitPattern: end &- start)
    if low == nil, high != nil, span < 1000 {
      // Downwards from the only bound there is.
      return max(least, end &- (count & 0x3FFF))
    }
    let step = span < 1 << 20 ? scattered % (span + 1) : UInt64(bitPattern: count) % span
    return start &+ Int64(bitPattern: step)
  }

  private func real(_ attribute: Attribute, step: Double) -> Double {
    let way = Double(count) * step
    switch (number(attribute.minValue), number(attribute.maxValue)) {
    case (nil, nil): return way
    case (let low?, nil): return low + way
    case (nil, let high?): return min(way, high - way)
    case (let low?, let high?):
      let share = Double(scattered >> 11) / Double(1 << 53)
      return min(max(low * (1 - share) + high * share, low), high)
    }
  }

  private func number(_ value: AttributeValue?) -> Double? {
    switch value {
    case .integer(let integer)?: Double(integer)
    case .double(let double)?: double
    case .decimal(let decimal)?: Double(truncating: decimal as NSDecimalNumber)
    case .date(let date)?: date.timeIntervalSinceReferenceDate
    default: nil
    }
  }

  /// The longest text made; the least length of an attribute may be anything.
  private static let longest = 10_000

  private func text(_ attribute: Attribute) -> AttributeValue? {
    let least = number(attribute.minValue).map { Int(min(max($0, 0), 1e9)) } ?? 0
    let most = number(attribute.maxValue).map { Int(min(max($0, 0), 1e9)) } ?? .max
    guard least <= Self.longest else { return nil }
    let pattern = attribute.regularExpression.flatMap { try? NSRegularExpression(pattern: "^(?:\($0))\\z") }
    let letters = letters(max(3, min(least, 8)))
    // What is cut to its first letters would be the same each time; these have what differs first.
    let short = [letters, String(scattered % 1_000_000, radix: 36), String(count)]
    let long = [
      "text \(count) 'quoted' \"twice\" äöü 漢字", "text \(count)", "\(count)", letters, letters.uppercased(),
      "abc", "a", "A1", "a@example.org", "a\(count)@example.org", "2020-01-01", "https://example.org",
      "00000000-0000-0000-0000-000000000000", "+1 555 0100", "",
    ]
    for seed in most < 12 ? short + long : long {
      var text = String(seed.prefix(most))
      while text.count < least, !seed.isEmpty { text += seed }
      text = String(text.prefix(most))
      guard text.count >= least else { continue }
      guard attribute.regularExpression != nil else { return .string(text) }
      if let pattern, (try? TextPattern.isFound(pattern, in: text)) == true { return .string(text) }
    }
    return nil
  }

  /// Small letters, others each time.
  private func letters(_ number: Int) -> String {
    var rest = scattered
    return String(
      (0..<number).map { _ in
        defer { rest /= 26 }
        return Character(Unicode.Scalar(UInt8(97 + rest % 26)))
      })
  }
}
