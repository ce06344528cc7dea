import CipherDatabase
import Foundation
import ObjectModel
import StoreContract

/// A value on its way into a statement. Always bound, never written into SQL text.
enum SQLValue: Sendable {
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])
  case integers([Int64])

  func bind(to statement: Statement, at index: Int32) {
    switch self {
    case .integer(let integer): statement.bind(index, integer)
    case .real(let double): statement.bind(index, double)
    case .text(let text): statement.bind(index, text)
    case .blob(let bytes): bytes.withUnsafeBytes { statement.bind(index, blob: $0, copy: true) }
    case .integers(let integers): statement.bind(index, integers: IntegerArray(integers))
    }
  }

  /// A constant as it must stand beside a column; nil when SQL would not compare the two as memory does.
  init?(_ value: AttributeValue, comparedWith field: StoredField?) {
    switch field {
    case nil, .toOne:
      guard case .reference(let reference) = value else { return nil }
      self = .integer(reference)
    case .attribute(let attribute)?:
      switch (attribute.type, value) {
      case (.integer16, .integer(let integer)), (.integer32, .integer(let integer)),
        (.integer64, .integer(let integer)), (.double, .integer(let integer)),
        (.float, .integer(let integer)), (.boolean, .integer(let integer)):
        self = .integer(integer)
      case (.integer16, .double(let double)), (.integer32, .double(let double)),
        (.integer64, .double(let double)), (.double, .double(let double)), (.float, .double(let double)):
        if double.isNaN { return nil }
        self = .real(double)
      case (.boolean, .boolean(let flag)), (.integer16, .boolean(let flag)), (.integer32, .boolean(let flag)),
        (.integer64, .boolean(let flag)):
        self = .integer(flag ? 1 : 0)
      case (.date, .date(let date)):
        if date.timeIntervalSinceReferenceDate.isNaN { return nil }
        self = .real(date.timeIntervalSinceReferenceDate)
      case (.string, .string(let text)): self = .text(text)
      case (.uri, .uri(let url)): self = .text(url.absoluteString)
      case (.binary, .data(let data)): self = .blob(Array(data))
      case (.uuid, .uuid), (.decimal, .decimal), (.decimal, .integer):
        guard case .blob(let bytes)? = FieldCoding.bytes(attribute.type, value) else { return nil }
        self = .blob(bytes)
      default: return nil
      }
    }
  }
}
