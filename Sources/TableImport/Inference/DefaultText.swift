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
      return AttributeValue.parse(text: text, as: type).flatMap { $0.matches(type) ? $0 : nil }
    case .date:
      let bytes = Array(text.utf8)
      return bytes.withUnsafeBytes { DateForm.seconds($0) }.map {
        .date(Date(timeIntervalSinceReferenceDate: $0))
      }
    default: return nil
    }
  }
}
