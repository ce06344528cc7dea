import Foundation
import Strongroom

/// Values that an attribute's rules allow, a different one each time where there are many.
struct SampleValues {
  private var count: Int64 = 0

  /// Nil when none was found.
  mutating func next(_ attribute: Attribute, composites: [String: CompositeDescription]) -> AttributeValue? {
    count += 1
    return value(attribute.declaration, composites)
  }

  private func value(
    _ attribute: AttributeDescription, _ composites: [String: CompositeDescription]
  ) -> AttributeValue? {
    let (low, high) = (number(attribute.minValue), number(attribute.maxValue))
    switch attribute.type {
    case .integer16: return .integer(Int64(within(Double(count % 30_000), low, high)))
    case .integer32, .integer64: return .integer(Int64(within(Double(count), low, high)))
    case .double: return .double(within(Double(count) + 0.25, low, high))
    case .float: return .double(Double(Float(within(Double(count) + 0.5, low, high))))
    case .decimal: return .decimal(Decimal(within(Double(count), low, high)))
    case .boolean: return .boolean(count % 2 == 0)
    case .date:
      return .date(Date(timeIntervalSinceReferenceDate: within(Double(count) * 86400.125, low, high)))
    case .string: return text(attribute)
    case .uuid: return .uuid(UUID())
    case .uri, .objectID: return URL(string: "https://example.org/\(count)?ü").map(AttributeValue.uri)
    case .binary, .transformable: return .data(Data("bytes \(count) \0 \u{FF}".utf8))
    case .composite:
      guard let composite = attribute.compositeName.flatMap({ composites[$0] }) else { return nil }
      var elements: [String: AttributeValue] = [:]
      for element in composite.attributes { elements[element.name] = value(element, composites) ?? .null }
      return .composite(elements)
    case .undefined: return nil
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

  private func within(_ value: Double, _ low: Double?, _ high: Double?) -> Double {
    if let low, value < low { return low }
    if let high, value > high { return high }
    return value
  }

  private func text(_ attribute: AttributeDescription) -> AttributeValue? {
    let least = Int(number(attribute.minValue) ?? 0)
    let most = attribute.maxValue.flatMap { number($0) }.map { Int($0) } ?? .max
    let pattern = attribute.regularExpression.flatMap { try? NSRegularExpression(pattern: "^(?:\($0))\\z") }
    let seeds = [
      "text \(count) 'quoted' \"twice\" äöü 漢字", "text \(count)", "\(count)", "abc", "a", "A1",
      "a@example.org", "2020-01-01",
      "https://example.org", "00000000-0000-0000-0000-000000000000", "+1 555 0100", "",
    ]
    for seed in seeds {
      var text = String(seed.prefix(most))
      while text.count < least, !seed.isEmpty { text += seed }
      text = String(text.prefix(max(most, 0)))
      let whole = NSRange(text.startIndex..., in: text)
      if text.count >= least,
        pattern?.firstMatch(in: text, range: whole) != nil || attribute.regularExpression == nil
      {
        return .string(text)
      }
    }
    return nil
  }
}
