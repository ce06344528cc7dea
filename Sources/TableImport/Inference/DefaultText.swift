import Foundation
import ObjectModel

/// The default value of a column, as SQL has it.
enum DefaultText {
  /// Nil for null, for an expression, and for what is not of the type.
  static func value(_ text: String, _ type: AttributeType) -> AttributeValue? {
    var text = text.trimmingCharacters(in: .whitespaces)
    while text.hasPrefix("("), text.hasSuffix(")") { text = String(text.dropFirst().dropLast()) }
    let isQuoted = text.count >= 2 && text.hasPrefix("'") && text.hasSuffix("'")
    if isQuoted { text = String(text.dropFirst().dropLast()).replacing("''", with: "'") }
    switch type {
    case .string: return isQuoted || Double(text) != nil ? .string(text) : nil
    case .integer64, .double, .boolean, .decimal, .uuid:
      guard let value = AttributeValue.parse(text: text, as: type), value.matches(type) else { return nil }
      if case .double(let double) = value, !double.isFinite { return nil }
      return value
    case .date:
      let bytes = Array(text.utf8)
      return bytes.withUnsafeBytes { DateForm.seconds($0) }.map {
        .date(Date(timeIntervalSinceReferenceDate: $0))
      }
    default: return nil
    }
  }
}
