import Foundation

extension AttributeValue {
  /// Reads text as a value of a type: numbers in C notation, dates in ISO 8601 or seconds
  /// since 2001, bytes in Base64, booleans as true, yes, 1 and their opposites.
  ///
  /// Nil when it is none.
  public static func parse(text: String, as type: AttributeType) -> AttributeValue? {
    switch type {
    case .integer16, .integer32, .integer64:
      return Int64(text).map(AttributeValue.integer).flatMap { $0.matches(type) ? $0 : nil }
    case .boolean:
      switch text.lowercased() {
      case "true", "yes", "1": return .boolean(true)
      case "false", "no", "0": return .boolean(false)
      default: return nil
      }
    case .double: return Double(text).map(AttributeValue.double)
    case .float: return float(text)
    case .decimal:
      return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")).map(AttributeValue.decimal)
    case .string: return .string(text)
    case .date: return DateText.date(text).map(AttributeValue.date)
    case .uuid: return UUID(uuidString: text).map(AttributeValue.uuid)
    case .uri, .objectID: return URL(string: text).map(AttributeValue.uri)
    case .binary, .transformable: return Data(base64Encoded: text).map(AttributeValue.data)
    case .composite, .undefined: return nil
    }
  }

  /// What a Float does not hold is no value of its own.
  private static func float(_ text: String) -> AttributeValue? {
    guard let number = Float(text), number.isFinite || Double(text)?.isFinite == false else { return nil }
    return .double(Double(number))
  }

  /// The value for a person or a CSV file: the inverse of `parse(text:as:)`; empty for null.
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
