import Foundation
package import KeyedArchive
package import ObjectModel

/// Makes values of attributes from constants of an archive.
package struct ArchivedAttributeValue {
  /// The composites by name.
  let composites: [String: Composite]

  /// The value of an attribute; nil when it is none of its type.
  func value(_ value: FoundationValue, of attribute: Attribute) -> AttributeValue? {
    guard attribute.type == .composite else { return Self.value(value, as: attribute.type) }
    guard case .dictionary(let entries) = value,
      let elements = attribute.compositeName.flatMap({ composites[$0] })?.attributes
    else { return nil }
    var values: [String: AttributeValue] = [:]
    for entry in entries {
      guard case .string(let name) = entry.key, let element = elements.first(where: { $0.name == name }),
        let value = self.value(entry.value, of: element)
      else { return nil }
      values[name] = value
    }
    return .composite(values)
  }

  /// A plain value; nil when it is none of the type.
  package static func value(_ value: FoundationValue, as type: AttributeType) -> AttributeValue? {
    let converted: AttributeValue? =
      switch type {
      case .integer16, .integer32, .integer64: integer(value).map(AttributeValue.integer)
      case .boolean: integer(value).map { .boolean($0 != 0) }
      case .double: double(value).map(AttributeValue.double)
      case .float: double(value).map { .double(Double(Float($0))) }
      case .decimal: decimal(value).map(AttributeValue.decimal)
      default: object(value, as: type)
      }
    return converted.flatMap { $0.matches(type) ? $0 : nil }
  }

  private static func integer(_ value: FoundationValue) -> Int64? {
    switch value {
    case .boolean(let flag): flag ? 1 : 0
    case .integer(let integer): integer
    case .real(let double): Int64(exactly: double)
    case .decimal(let decimal): Int64(decimal.description)
    default: nil
    }
  }

  private static func double(_ value: FoundationValue) -> Double? {
    switch value {
    case .real(let double): double
    case .decimal(let decimal): Double(decimal.description)
    default: integer(value).map(Double.init)
    }
  }

  /// A floating-point number becomes the decimal that it is printed as.
  private static func decimal(_ value: FoundationValue) -> Decimal? {
    switch value {
    case .decimal(let decimal): decimal
    case .real(let double): Decimal(string: "\(double)", locale: Locale(identifier: "en_US_POSIX"))
    default: integer(value).map { Decimal($0) }
    }
  }

  private static func object(_ value: FoundationValue, as type: AttributeType) -> AttributeValue? {
    switch (value, type) {
    case (.string(let text), .string): .string(text)
    case (.string(let text), .uuid): UUID(uuidString: text).map(AttributeValue.uuid)
    case (.string(let text), .uri): URL(string: text).map(AttributeValue.uri)
    case (.date(let date), .date): .date(date)
    case (.data(let data), .binary), (.data(let data), .transformable): .data(data)
    case (.uuid(let uuid), .uuid): .uuid(uuid)
    case (.url(let url), .uri), (.url(let url), .objectID): .uri(url)
    default: nil
    }
  }
}
