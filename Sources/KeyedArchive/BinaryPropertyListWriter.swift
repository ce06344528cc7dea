import Foundation

/// Writes a binary property list.
///
/// O(n) in the values.
struct BinaryPropertyListWriter {
  /// One object, with its elements as numbers of others.
  private enum Object {
    case plain([UInt8])
    case container(kind: UInt8, count: Int, references: [Int])
  }

  /// What equal plain values are found by: their bytes.
  private var numbers: [[UInt8]: Int] = [:]
  private var objects: [Object] = []

  private static let greatestDepth = 512

  mutating func write(_ value: PropertyListValue) throws(KeyedArchiveError) -> Data {
    let top = try add(value, depth: 0)
    let referenceSize = Self.size(of: UInt64(objects.count))
    var bytes = Array("bplist00".utf8)
    var offsets: [UInt64] = []
    for object in objects {
      offsets.append(UInt64(bytes.count))
      switch object {
      case .plain(let contents): bytes += contents
      case .container(let kind, let count, let references):
        bytes += Self.marker(kind, count)
        for reference in references { bytes += Self.bytes(UInt64(reference), referenceSize) }
      }
    }
    let tableStart = UInt64(bytes.count)
    let offsetSize = Self.size(of: tableStart)
    for offset in offsets { bytes += Self.bytes(offset, offsetSize) }
    bytes += [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)]
    bytes += Self.bytes(UInt64(objects.count), 8) + Self.bytes(UInt64(top), 8) + Self.bytes(tableStart, 8)
    return Data(bytes)
  }

  /// The number of the object that a value becomes.
  private mutating func add(_ value: PropertyListValue, depth: Int) throws(KeyedArchiveError) -> Int {
    guard depth < Self.greatestDepth else {
      throw KeyedArchiveError(
        .tooDeep, "the property list is nested more than \(Self.greatestDepth) levels deep; flatten it")
    }
    switch value {
    case .array(let elements): return try addContainer(0xA, elements.count, elements, depth)
    case .set(let elements): return try addContainer(0xC, elements.count, elements, depth)
    case .dictionary(let values):
      let sorted = values.sorted { $0.key < $1.key }
      return try addContainer(
        0xD, sorted.count, sorted.map { .string($0.key) } + sorted.map(\.value), depth)
    default: return addPlain(Self.contents(of: value))
    }
  }

  private mutating func addContainer(
    _ kind: UInt8, _ count: Int, _ elements: [PropertyListValue], _ depth: Int
  ) throws(KeyedArchiveError) -> Int {
    let number = objects.count
    objects.append(.plain([]))
    var references: [Int] = []
    references.reserveCapacity(elements.count)
    for element in elements { references.append(try add(element, depth: depth + 1)) }
    objects[number] = .container(kind: kind, count: count, references: references)
    return number
  }

  private mutating func addPlain(_ contents: [UInt8]) -> Int {
    if let known = numbers[contents] { return known }
    numbers[contents] = objects.count
    objects.append(.plain(contents))
    return objects.count - 1
  }

  private static func contents(of value: PropertyListValue) -> [UInt8] {
    switch value {
    case .boolean(let flag): return [flag ? 0x09 : 0x08]
    case .integer(let integer): return integerBytes(integer)
    case .real(let double): return [0x23] + bytes(double.bitPattern, 8)
    case .date(let date): return [0x33] + bytes(date.timeIntervalSinceReferenceDate.bitPattern, 8)
    case .data(let data): return marker(0x4, data.count) + data
    case .string(let text):
      if text.utf8.allSatisfy({ $0 < 0x80 }) { return marker(0x5, text.utf8.count) + Array(text.utf8) }
      let units = Array(text.utf16)
      return marker(0x6, units.count) + units.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    case .uid(let uid):
      let size = size(of: UInt64(uid))
      return [0x80 | UInt8(size - 1)] + bytes(UInt64(uid), size)
    case .null, .array, .dictionary, .set: return [0x00]
    }
  }

  private static func integerBytes(_ integer: Int64) -> [UInt8] {
    let size = integer < 0 ? 8 : size(of: UInt64(integer))
    return [0x10 | UInt8(size.trailingZeroBitCount)] + bytes(UInt64(bitPattern: integer), size)
  }

  private static func marker(_ kind: UInt8, _ count: Int) -> [UInt8] {
    count < 15 ? [kind << 4 | UInt8(count)] : [kind << 4 | 0x0F] + integerBytes(Int64(count))
  }

  /// 1, 2, 4 or 8: the bytes that a number needs.
  private static func size(of number: UInt64) -> Int {
    number <= 0xFF ? 1 : number <= 0xFFFF ? 2 : number <= 0xFFFF_FFFF ? 4 : 8
  }

  private static func bytes(_ number: UInt64, _ size: Int) -> [UInt8] {
    (0..<size).map { UInt8(truncatingIfNeeded: number >> UInt64((size - 1 - $0) * 8)) }
  }
}
