public import Foundation
public import ObjectModel

/// The current row of an enumeration.
///
/// Its values are packed in memory that the next row overwrites; each is made when it is read.
///
/// Columns count from 0 in the order of the request. Reading a column as another type than its own
/// is a programming error and stops the program, as an index out of range does. Not Sendable: do
/// not store it.
public struct RowCursor {
  @usableFromInline let base: UnsafePointer<UInt64>
  @usableFromInline let maskWords: Int
  @usableFromInline let types: UnsafeBufferPointer<AttributeType>

  @usableFromInline
  init(base: UnsafePointer<UInt64>, maskWords: Int, types: UnsafeBufferPointer<AttributeType>) {
    self.base = base
    self.maskWords = maskWords
    self.types = types
  }

  /// The number of columns.
  public var count: Int { types.count }

  /// A column's type.
  @inlinable
  public func type(_ column: Int) -> AttributeType { types[column] }

  /// Whether a column is null.
  @inlinable
  public func isNull(_ column: Int) -> Bool {
    precondition(column >= 0 && column < types.count, "there is no such column")
    return base[column >> 6] & (1 << UInt64(column & 63)) != 0
  }

  @inlinable @inline(__always)
  func word(_ column: Int, isBytes: Bool) -> UInt64 {
    precondition(
      column >= 0 && column < types.count && types[column].isPackedAsBytes == isBytes,
      "the column is not there or has another type")
    return base[maskWords + column]
  }

  /// An integer, a boolean as 0 or 1, or an object's reference number; 0 when null.
  @inlinable
  public func integer(_ column: Int) -> Int64 { Int64(bitPattern: word(column, isBytes: false)) }

  /// A floating-point number, or a date as seconds since 2001-01-01 UTC; 0 when null.
  @inlinable
  public func double(_ column: Int) -> Double { Double(bitPattern: word(column, isBytes: false)) }

  /// A boolean; false when null.
  @inlinable
  public func boolean(_ column: Int) -> Bool { integer(column) != 0 }

  /// A date; 2001-01-01 when null.
  @inlinable
  public func date(_ column: Int) -> Date { Date(timeIntervalSinceReferenceDate: double(column)) }

  /// The UTF-8 of a string or the bytes of any other type that is no number, without a copy.
  @inlinable
  public func bytes(_ column: Int) -> UnsafeRawBufferPointer {
    let span = word(column, isBytes: true)
    return UnsafeRawBufferPointer(
      start: UnsafeRawPointer(base) + Int(span >> 32), count: Int(span & 0xFFFF_FFFF))
  }

  /// A string; empty when null.
  @inlinable
  public func string(_ column: Int) -> String { String(decoding: bytes(column), as: UTF8.self) }

  /// Binary data; empty when null.
  @inlinable
  public func data(_ column: Int) -> Data { Data(bytes(column)) }

  /// Binary data as an array, which is cheaper to make; empty when null.
  @inlinable
  public func byteArray(_ column: Int) -> [UInt8] { Array(bytes(column)) }

  /// A column's value as an `AttributeValue`.
  public func value(_ column: Int) -> AttributeValue {
    if isNull(column) { return .null }
    switch types[column] {
    case .integer16, .integer32, .integer64: return .integer(integer(column))
    case .boolean: return .boolean(boolean(column))
    case .double, .float: return .double(double(column))
    case .date: return .date(date(column))
    case .string: return .string(string(column))
    case .objectID: return .reference(integer(column))
    default: return FieldCoding.value(types[column], bytes(column))
    }
  }
}

extension AttributeType {
  /// Objects are reference numbers in an enumerated row.
  @inlinable
  var isPackedAsBytes: Bool {
    switch self {
    case .integer16, .integer32, .integer64, .boolean, .double, .float, .date, .objectID: false
    default: true
    }
  }
}

extension NodeBuilder {
  /// The fields set since `begin`, read from the builder's scratch memory.
  @inlinable
  package func row(_ types: UnsafeBufferPointer<AttributeType>) -> RowCursor {
    RowCursor(base: UnsafePointer(scratch.pointee.base), maskWords: scratch.pointee.maskWords, types: types)
  }
}

extension IncrementalStoreNode {
  /// The node's fields, with their types; valid while the node is alive.
  @inlinable
  package func row(_ types: UnsafeBufferPointer<AttributeType>) -> RowCursor {
    storage.withUnsafeMutablePointers { header, words in
      RowCursor(base: UnsafePointer(words), maskWords: Int(header.pointee.maskWords), types: types)
    }
  }
}
