import Foundation

extension AttributeValue {
  /// Reads a whole text as a value of a type: finite numbers in C notation, dates in ISO 8601 or seconds
  /// since 2001, bytes in Base64, booleans as true, yes, 1 and their opposites.
  ///
  /// Nil when it is none, and where a decimal has more digits than the type, which has 38 at least. A
  /// floating-point number is the nearest one.
  public static func parse(text: String, as type: AttributeType) -> AttributeValue? {
    switch type {
    case .integer16, .integer32, .integer64, .double, .float, .decimal: return number(text, type)
    case .boolean:
      switch text.lowercased() {
      case "true", "yes", "1": return .boolean(true)
      case "false", "no", "0": return .boolean(false)
      default: return nil
      }
    case .string: return .string(text)
    case .date: return DateText.date(text).map(AttributeValue.date)
    case .uuid: return UUID(uuidString: text).map(AttributeValue.uuid)
    case .uri, .objectID: return URL(string: text).map(AttributeValue.uri)
    case .binary, .transformable: return Data(base64Encoded: text).map(AttributeValue.data)
    case .composite, .undefined: return nil
    }
  }

  private static func number(_ text: String, _ type: AttributeType) -> AttributeValue? {
    switch type {
    case .double: Double(text).flatMap { $0.isFinite ? .double($0) : nil }
    case .float: Float(text).flatMap { $0.isFinite ? .double(Double($0)) : nil }
    case .decimal: DecimalText.value(text).flatMap { $0.isExact ? .decimal($0.number) : nil }
    default: Int64(text).map(AttributeValue.integer).flatMap { $0.matches(type) ? $0 : nil }
    }
  }

  /// The value for a person or a CSV file, empty for null: the inverse of `parse(text:as:)`, infinity apart.
  public var text: String {
    switch self {
    case .null: ""
    case .boolean(let flag): flag ? "true" : "false"
    case .integer(let integer), .reference(let integer): String(integer)
    case .double(let double): String(double)
    case .date(let date): DateText.text(date)
    case .string(let text): text
    case .data(let data): data.base64EncodedString()
    case .uuid(let uuid): uuid.uuidString
    case .uri(let url): url.absoluteString
    case .decimal(let decimal): decimal.description
    case .composite(let elements):
      elements.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.text)" }.joined(separator: ", ")
    }
  }
}
