import Foundation
import ObjectModel

/// Reads the changes of a transaction's row.
struct HistoryChangesReader {
  private var bytes: UnsafeRawBufferPointer
  private var left: Int64
  private let place: String

  /// - Parameters:
  ///   - bytes: The column.
  ///   - count: How many changes there are.
  ///   - place: The store, for errors.
  init(_ bytes: UnsafeRawBufferPointer, count: Int64, place: String) {
    self.bytes = bytes
    left = count
    self.place = place
  }

  /// Calls a closure with each group, its runs in ascending order, and preserved values.
  /// - Throws: `fileDamaged` for bytes that no store writes; what the closure throws.
  mutating func each(
    _ body: (HistoryChanges.Group, Range<Int64>, [String: AttributeValue]?) throws -> Void
  ) throws {
    while !bytes.isEmpty {
      let head = try number()
      guard let kind = HistoryChanges.Kind(rawValue: head & 3) else { throw damage }
      var group = HistoryChanges.Group(kind: kind, entity: Int64(head >> 2))
      if kind == .update {
        for (place, byte) in try take(number()).enumerated() {
          for bit in 0..<8 where byte & 1 << UInt8(bit) != 0 { group.properties.insert(place * 8 + bit) }
        }
      }
      var last: Int64 = 0
      for _ in 0..<(try number()) {
        let start = last.addingReportingOverflow(Int64(bitPattern: try number()))
        let end = start.partialValue.addingReportingOverflow(Int64(bitPattern: try number()) &+ 1)
        guard !start.overflow, !end.overflow, start.partialValue > 0, end.partialValue > start.partialValue
        else { throw damage }
        last = end.partialValue
        left -= last - start.partialValue
        if left < 0 { throw damage }
        let values = try kind == .deletePreserving ? preserved() : nil
        try body(group, start.partialValue..<last, values)
      }
    }
  }

  private mutating func preserved() throws -> [String: AttributeValue] {
    do {
      return try JSONDecoder().decode([String: AttributeValue].self, from: Data(take(number())))
    } catch is DecodingError {
      throw damage
    }
  }

  private mutating func number() throws -> UInt64 {
    var (result, shift): (UInt64, UInt64) = (0, 0)
    while let byte = bytes.first, shift < 64 {
      bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
      result |= UInt64(byte & 127) << shift
      if byte < 128 { return result }
      shift += 7
    }
    throw damage
  }

  private mutating func take(_ count: UInt64) throws -> UnsafeRawBufferPointer {
    guard count <= bytes.count else { throw damage }
    defer { bytes = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(Int(count))) }
    return UnsafeRawBufferPointer(rebasing: bytes.prefix(Int(count)))
  }

  private var damage: StoreError {
    StoreError(.fileDamaged, "the history of \(place) cannot be read; restore a copy")
  }
}
