import Foundation
import ObjectModel

/// The constants of a list of one kind, to be looked up at once.
struct ValueSet: Sendable {
  private enum Kind: Sendable {
    case integers(Set<Int64>)
    case references(Set<Int64>)
    case uuids(Set<UUID>)
    case texts(Set<[UInt8]>)
  }

  private static let fewValues = 8
  private let kind: Kind
  private let options: ComparisonOptions

  /// Nil where comparing with each is as fast, or the values are not all of one kind.
  init?(_ values: [AttributeValue], _ options: ComparisonOptions) {
    guard values.count >= Self.fewValues, let first = values.first else { return nil }
    self.options = options
    func all<Value: Hashable>(_ value: (AttributeValue) -> Value?) -> Set<Value>? {
      var result: Set<Value> = []
      for item in values {
        guard let value = value(item) else { return nil }
        result.insert(value)
      }
      return result
    }
    let found: Kind? =
      switch first {
      case .integer: all { if case .integer(let number) = $0 { number } else { nil } }.map(Kind.integers)
      case .reference:
        all { if case .reference(let number) = $0 { number } else { nil } }.map(Kind.references)
      case .uuid: all { if case .uuid(let uuid) = $0 { uuid } else { nil } }.map(Kind.uuids)
      case .string:
        all { if case .string(let text) = $0 { Self.bytes(text, options) } else { nil } }.map(Kind.texts)
      default: nil
      }
    guard let found else { return nil }
    kind = found
  }

  /// Whether a value is among them; nil where it is of another kind, which may equal them
  /// nevertheless.
  func contains(_ value: AttributeValue) -> Bool? {
    switch (kind, value) {
    case (_, .null): false
    case (.integers(let numbers), .integer(let number)): numbers.contains(number)
    case (.references(let numbers), .reference(let number)): numbers.contains(number)
    case (.uuids(let uuids), .uuid(let uuid)): uuids.contains(uuid)
    case (.texts(let texts), .string(let text)): texts.contains(Self.bytes(text, options))
    default: nil
    }
  }

  /// Text compares by its scalars; `String` finds composed and decomposed letters equal.
  private static func bytes(_ text: String, _ options: ComparisonOptions) -> [UInt8] {
    Array(TextFolding.fold(text, options).utf8)
  }
}
