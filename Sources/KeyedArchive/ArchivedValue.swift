public import Foundation

/// A value of an archived object: plain, or a reference to another object.
public enum ArchivedValue: Sendable, Hashable {
  /// No value, or nil.
  case null
  /// A boolean.
  case boolean(Bool)
  /// A whole number.
  case integer(Int64)
  /// A floating-point number.
  case real(Double)
  /// A date that is stored without an object.
  case date(Date)
  /// Bytes.
  case data(Data)
  /// Text that is stored without an object of its own.
  case string(String)
  /// The values of a list inside an object, as collections store their elements.
  case list([ArchivedValue])
  /// An object with a class.
  case object(ArchivedObject)

  /// Whether there is no value.
  public var isNull: Bool { self == .null }

  /// The object; nil for any other value.
  public var object: ArchivedObject? {
    if case .object(let object) = self { return object }
    return nil
  }

  /// The text of a string, mutable or not; nil for any other value.
  public var text: String? {
    switch self {
    case .string(let text): text
    case .object(let object) where object.isKind(of: "NSString"): object.plainText
    default: nil
    }
  }

  /// A whole number, or a floating-point number that is whole; nil for any other value.
  public var integer: Int64? {
    switch self {
    case .integer(let integer): integer
    case .real(let double): Int64(exactly: double)
    default: nil
    }
  }

  /// A boolean, or a number as C takes it for one; nil for any other value.
  public var flag: Bool? {
    switch self {
    case .boolean(let flag): flag
    case .integer(let integer): integer != 0
    default: nil
    }
  }

  /// The bytes of data, mutable or not; nil for any other value.
  public var bytes: Data? {
    switch self {
    case .data(let data): data
    case .object(let object) where object.isKind(of: "NSData"): object.plainBytes
    default: nil
    }
  }
}

extension ArchivedObject {
  // Only plain values are looked at: an object that named itself as its text would have no end.
  fileprivate var plainText: String? {
    if case .string(let text) = self["NS.string"] { return text }
    return nil
  }

  fileprivate var plainBytes: Data? {
    for key in ["NS.data", "NS.bytes"] {
      if case .data(let data) = self[key] { return data }
    }
    return nil
  }
}
