import Foundation
import StrongroomData

/// A value of a column.
enum SQLiteValue: Hashable, Sendable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob(Data)

  /// Whether values of a type have the same order in SQL as in Swift.
  static func isOrdered(_ type: Any.Type) -> Bool {
    let plain = (type as? any OptionalType.Type)?.wrapped ?? type
    return plain is any FixedWidthInteger.Type || plain == Double.self || plain == Float.self
      || plain == Date.self || plain == String.self
  }

  /// A column's value of a Swift one; other types than the usual ones as JSON.
  init(_ value: Any) throws {
    switch value {
    case let optional as any OptionalType:
      guard let inside = optional.inside else {
        self = .null
        return
      }
      try self.init(inside)
    case let raw as any RawRepresentable: try self.init(raw.rawValue)
    case let flag as Bool: self = .integer(flag ? 1 : 0)
    case let number as any FixedWidthInteger: self = .integer(Int64(truncatingIfNeeded: number))
    case let number as Double: self = .real(number)
    case let number as Float: self = .real(Double(number))
    case let text as String: self = .text(text)
    case let date as Date: self = .real(date.timeIntervalSinceReferenceDate)
    case let data as Data: self = .blob(data)
    case let uuid as UUID: self = .text(uuid.uuidString)
    case let url as URL: self = .text(url.absoluteString)
    case let decimal as Decimal: self = .text("\(decimal)")
    case let value as any Encodable:
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      self = .text(String(decoding: try encoder.encode(value), as: UTF8.self))
    default: throw DataStoreError.unsupportedFeature
    }
  }

  /// The Swift value that `init(_:)` was given; nil where it is no such value.
  func value<T: Decodable>(_ type: T.Type) throws -> T? {
    if let optional = type as? any OptionalType.Type { return try optional.wrap(self) as? T }
    if let raw = type as? any RawRepresentable.Type { return try rawValue(raw) as? T }
    switch (self, type) {
    case (.integer(let number), is Bool.Type): return (number != 0) as? T
    case (.integer(let number), let type as any FixedWidthInteger.Type):
      return type.init(truncatingIfNeeded: number) as? T
    case (.real(let number), is Date.Type): return Date(timeIntervalSinceReferenceDate: number) as? T
    case (.real(let number), is Float.Type): return Float(number) as? T
    case (.real(let number), _): return number as? T
    case (.text(let text), is String.Type): return text as? T
    case (.text(let text), is UUID.Type): return UUID(uuidString: text) as? T
    case (.text(let text), is URL.Type): return URL(string: text) as? T
    case (.text(let text), is Decimal.Type): return Decimal(string: text) as? T
    case (.text(let text), _): return try JSONDecoder().decode(type, from: Data(text.utf8))
    case (.blob(let data), _): return data as? T
    default: return nil
    }
  }

  private func rawValue<R: RawRepresentable>(_ type: R.Type) throws -> R? {
    guard let decodable = R.RawValue.self as? any Decodable.Type else { return nil }
    return try (value(decodable) as? R.RawValue).flatMap(R.init(rawValue:))
  }
}

protocol OptionalType {
  static var wrapped: Any.Type { get }
  static func wrap(_ value: SQLiteValue) throws -> Any?
  var inside: Any? { get }
}

extension Optional: OptionalType {
  static var wrapped: Any.Type { Wrapped.self }
  static func wrap(_ value: SQLiteValue) throws -> Any? {
    guard value != .null, let type = Wrapped.self as? any Decodable.Type else { return Wrapped?.none as Any }
    return try value.value(type)
  }
  var inside: Any? { self }
}
