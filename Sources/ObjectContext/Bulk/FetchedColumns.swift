public import Foundation
public import ObjectModel
public import StoreContract

/// Rows as columns: numbers in one flat array a column, texts and bytes end to end in another.
public struct FetchedColumns: Sendable {
  /// Names and types of the columns.
  public let columns: ScanColumns
  /// The number of rows.
  public private(set) var count = 0
  private var storage: [Storage]

  private enum Kind { case integer, double, bytes }

  private struct Storage: Sendable {
    var integers: [Int64] = []
    var doubles: [Double] = []
    /// Where each row's bytes end in `bytes`.
    var ends: [Int] = []
    var bytes: [UInt8] = []
    /// Rows that are null, as bits; shorter than the column when the last of them are not.
    var nulls: [UInt64] = []

    mutating func noteNull(_ row: Int) {
      while nulls.count <= row >> 6 { nulls.append(0) }
      nulls[row >> 6] |= 1 << UInt64(row & 63)
    }

    func isNull(_ row: Int) -> Bool {
      row >> 6 < nulls.count && nulls[row >> 6] & (1 << UInt64(row & 63)) != 0
    }
  }

  private let kinds: [Kind]

  init(_ columns: ScanColumns) {
    self.columns = columns
    storage = Array(repeating: Storage(), count: columns.types.count)
    kinds = columns.types.map { type in
      switch type {
      case .integer16, .integer32, .integer64, .boolean, .objectID: .integer
      case .double, .float, .date: .double
      default: .bytes
      }
    }
  }

  mutating func append(_ row: PackedRow) {
    for place in kinds.indices {
      switch kinds[place] {
      case .integer: storage[place].integers.append(row.integer(place))
      case .double: storage[place].doubles.append(row.double(place))
      case .bytes:
        storage[place].bytes.append(contentsOf: row.bytes(place))
        storage[place].ends.append(storage[place].bytes.count)
      }
      if row.isNull(place) { storage[place].noteNull(count) }
    }
    count += 1
  }

  /// The numbers of a column of whole numbers, booleans (0 or 1) or objects; 0 where null. Nil when there is no such
  /// column of such a type.
  public func integers(_ name: String) -> [Int64]? {
    place(name, .integer).map { storage[$0].integers }
  }

  /// The numbers of a floating-point column, or a date column's seconds since 2001-01-01 UTC; 0 where null.
  public func doubles(_ name: String) -> [Double]? { place(name, .double).map { storage[$0].doubles } }

  /// The texts of a column; empty where null.
  public func strings(_ name: String) -> [String]? {
    guard let place = columns.index(of: name), columns.types[place] == .string else { return nil }
    return (0..<count).map { row in withBytes(place, row) { String(decoding: $0, as: UTF8.self) } }
  }

  /// Lets a closure see one row's bytes of a text or binary column, by the column's place, where they lie.
  public func withBytes<R>(
    _ column: Int, _ row: Int, _ body: (UnsafeRawBufferPointer) throws -> R
  ) rethrows -> R {
    precondition(kinds[column] == .bytes, "the column does not hold texts or bytes")
    let start = row == 0 ? 0 : storage[column].ends[row - 1]
    return try storage[column].bytes.withUnsafeBytes {
      try body(UnsafeRawBufferPointer(rebasing: $0[start..<storage[column].ends[row]]))
    }
  }

  /// Whether a row of a column is null; columns by their place.
  public func isNull(_ column: Int, _ row: Int) -> Bool { storage[column].isNull(row) }

  private func place(_ name: String, _ kind: Kind) -> Int? {
    columns.index(of: name).flatMap { kinds[$0] == kind ? $0 : nil }
  }
}
