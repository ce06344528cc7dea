public import Foundation

/// A value of a property list.
public enum PropertyListValue: Sendable, Hashable {
  /// No value.
  case null
  /// A boolean.
  case boolean(Bool)
  /// A whole number.
  case integer(Int64)
  /// A floating-point number; those of 32 bits are widened.
  case real(Double)
  /// A date.
  case date(Date)
  /// Bytes.
  case data(Data)
  /// Text.
  case string(String)
  /// A list.
  case array([PropertyListValue])
  /// Values by name.
  case dictionary([String: PropertyListValue])
  /// A set, in the order of the file.
  case set([PropertyListValue])
  /// A reference to an object of a keyed archive.
  case uid(UInt32)

  /// Reads a binary property list (`bplist00`).
  ///
  /// - Throws: `KeyedArchiveError` when it is none, is damaged, holds a value that has no case here,
  ///   or exceeds the limits.
  public init(
    binaryPropertyList data: Data, limits: PropertyListLimits = .standard
  ) throws(KeyedArchiveError) {
    var reader = try BinaryPropertyListReader(data, limits: limits)
    self = try reader.read()
  }

  /// The value as a binary property list, in which equal texts, numbers, dates and bytes are stored
  /// once.
  ///
  /// - Throws: `KeyedArchiveError` when it is nested too deeply.
  public func binaryPropertyList() throws(KeyedArchiveError) -> Data {
    var writer = BinaryPropertyListWriter()
    return try writer.write(self)
  }

  /// The value of a key of a dictionary; nil for anything else.
  public subscript(key: String) -> PropertyListValue? {
    if case .dictionary(let values) = self { return values[key] }
    return nil
  }
}
