import Foundation
import ObjectModel
public import StoreContract

/// Rows as columns: numbers in one flat array a column, texts and bytes end to end in another.
public struct FetchedColumns: Sendable {
  /// Names and types of the columns.
  public let columns: RowColumns
  /// The number of rows.
  public let count: Int
  private let buffers: [ColumnBuffer]

  enum Kind {
    case integer, double, bytes

    init(_ type: AttributeType) {
      switch type {
      case .integer16, .integer32, .integer64, .boolean, .objectID: self = .integer
      case .double, .float, .date: self = .double
      default: self = .bytes
      }
    }
  }

  init(columns: RowColumns, count: Int, buffers: [ColumnBuffer]) {
    self.columns = columns
    self.count = count
    self.buffers = buffers
  }

  /// The numbers of a column of whole numbers, booleans (0 or 1) or objects; 0 where null.
  ///
  /// Nil when there is no such column of such a type.
  public func integers(_ name: String) -> NumberColumn<Int64>? { numbers(name, .integer) }

  /// The numbers of a floating-point column, or a date column's seconds since 2001-01-01 UTC; 0
  /// where null.
  public func doubles(_ name: String) -> NumberColumn<Double>? { numbers(name, .double) }

  private func numbers<T>(_ name: String, _ kind: Kind) -> NumberColumn<T>? {
    guard let place = columns.index(of: name), Kind(columns.types[place]) == kind else { return nil }
    return NumberColumn(buffers[place], count: count)
  }

  /// The texts of a column; empty where null.
  public func strings(_ name: String) -> [String]? {
    bytes(name).map { column in (0..<count).map { column.string($0) } }
  }

  /// A column of texts, bytes or anything else that is no number.
  ///
  /// Nil when there is no such column.
  public func bytes(_ name: String) -> BytesColumn? {
    guard let place = columns.index(of: name), Kind(columns.types[place]) == .bytes else { return nil }
    return BytesColumn(buffers[place], count: count)
  }

  /// Whether a row of a column is null; columns by their place.
  public func isNull(_ column: Int, _ row: Int) -> Bool { buffers[column].isNull(row) }
}

/// A column of numbers in one flat array, without a copy.
public struct NumberColumn<Number: BitwiseCopyable & Sendable>: RandomAccessCollection, @unchecked Sendable {
  // @unchecked: the memory belongs to the buffer, which is immutable.
  private let buffer: ColumnBuffer
  @usableFromInline let numbers: UnsafeBufferPointer<Number>

  init(_ buffer: ColumnBuffer, count: Int) {
    self.buffer = buffer
    numbers = UnsafeBufferPointer(
      start: buffer.numbers.assumingMemoryBound(to: Number.self), count: count)
  }

  /// 0.
  @inlinable public var startIndex: Int { 0 }
  /// The number of rows.
  @inlinable public var endIndex: Int { numbers.count }
  /// One row's number; 0 where null.
  @inlinable
  public subscript(row: Int) -> Number {
    precondition(row >= 0 && row < numbers.count, "there is no such row")
    // Only the buffer keeps the memory, and nothing else here uses it.
    defer { withExtendedLifetime(self) {} }
    return numbers[row]
  }

  /// Lets a closure see all numbers where they lie.
  @inlinable
  public func withContiguousStorageIfAvailable<R>(
    _ body: (UnsafeBufferPointer<Number>) throws -> R
  ) rethrows -> R? {
    defer { withExtendedLifetime(self) {} }
    return try body(numbers)
  }
}

/// A column of texts or bytes, end to end in one piece of memory.
public struct BytesColumn: Sendable {
  @usableFromInline let buffer: ColumnBuffer
  /// The number of rows.
  public let count: Int

  init(_ buffer: ColumnBuffer, count: Int) {
    self.buffer = buffer
    self.count = count
  }

  /// Lets a closure see one row's bytes where they lie; none where null.
  @inlinable
  public func withBytes<R>(_ row: Int, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    precondition(row >= 0 && row < count, "there is no such row")
    let ends = buffer.numbers.assumingMemoryBound(to: Int.self)
    let start = row == 0 ? 0 : ends[row - 1]
    defer { withExtendedLifetime(buffer) {} }
    return try body(UnsafeRawBufferPointer(start: buffer.bytes + start, count: ends[row] - start))
  }

  /// One row's text; empty where null.
  @inlinable
  public func string(_ row: Int) -> String { withBytes(row) { String(decoding: $0, as: UTF8.self) } }
}
