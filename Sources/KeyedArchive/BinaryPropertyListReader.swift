import Foundation

/// Reads a binary property list.
///
/// Every offset and count is checked before it is used. Containers are read with a stack of their own
/// and not by recursion, each object once. O(n) in the bytes of the list.
struct BinaryPropertyListReader {
  /// A container whose elements are being read.
  private struct Container {
    let index: Int
    let kind: UInt8
    let references: [Int]
    var next = 0
  }

  private let bytes: [UInt8]
  private let limits: PropertyListLimits
  private let offsetSize: Int
  private let referenceSize: Int
  private let count: Int
  private let top: Int
  private let tableStart: Int
  private var values: [PropertyListValue?]
  private var isOpen: [Bool]
  /// The containers inside each other in an object that was read.
  private var heights: [Int: Int] = [:]
  /// The values in an object that was read, itself included.
  private var sizes: [Int: Int] = [:]
  private var consumed = 0

  private static let headerSize = 8
  private static let trailerSize = 32

  init(_ data: Data, limits: PropertyListLimits) throws(KeyedArchiveError) {
    guard data.count <= limits.byteCount else {
      throw KeyedArchiveError(
        .tooLarge, "the property list has more than \(limits.byteCount) bytes; raise the limit to read it")
    }
    guard data.starts(with: Array("bplist00".utf8)) else { throw Self.unknownFormat(data) }
    guard data.count >= Self.headerSize + Self.trailerSize else { throw Self.damaged("it is cut off") }
    bytes = [UInt8](data)
    self.limits = limits
    let trailer = bytes.count - Self.trailerSize
    offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    guard (1...8).contains(offsetSize), (1...8).contains(referenceSize) else {
      throw Self.damaged("its numbers have no size")
    }
    guard let count = Self.number(bytes, trailer + 8, 8), let top = Self.number(bytes, trailer + 16, 8),
      let tableStart = Self.number(bytes, trailer + 24, 8), tableStart >= Self.headerSize,
      tableStart <= trailer, count <= (trailer - tableStart) / offsetSize, top < count
    else { throw Self.damaged("its table of objects lies outside") }
    guard count <= limits.objectCount else {
      throw KeyedArchiveError(
        .tooLarge, "the property list has more than \(limits.objectCount) objects; raise the limit to read it"
      )
    }
    self.count = count
    self.top = top
    self.tableStart = tableStart
    values = Array(repeating: nil, count: count)
    isOpen = Array(repeating: false, count: count)
  }

  private static func unknownFormat(_ data: Data) -> KeyedArchiveError {
    if data.starts(with: Array("<?xml".utf8)) || data.starts(with: Array("<plist".utf8)) {
      return KeyedArchiveError(
        .notPropertyList, "this is a property list in XML; convert it with plutil -convert binary1")
    }
    if data.dropFirst(2).starts(with: Array("streamtyped".utf8)) {
      return KeyedArchiveError(
        .notKeyedArchive,
        "this is an archive by NSArchiver, which has no keys; archive it with NSKeyedArchiver"
      )
    }
    return KeyedArchiveError(
      .notPropertyList, "this is no binary property list; check where the bytes are from")
  }

  private static func damaged(_ what: String) -> KeyedArchiveError {
    KeyedArchiveError(.damaged, "the property list is damaged: \(what); use another copy")
  }

  /// A big-endian number of one to eight bytes that fits `Int`; nil when it does not, or lies outside.
  private static func number(_ bytes: [UInt8], _ start: Int, _ size: Int) -> Int? {
    guard start >= 0, start <= bytes.count - size else { return nil }
    var number: UInt64 = 0
    for byte in bytes[start..<(start + size)] { number = number << 8 | UInt64(byte) }
    return Int(exactly: number)
  }

  mutating func read() throws(KeyedArchiveError) -> PropertyListValue {
    var stack: [Container] = []
    try begin(top, &stack)
    while let last = stack.indices.last {
      guard stack[last].next < stack[last].references.count else {
        try finish(stack.removeLast())
        continue
      }
      let child = stack[last].references[stack[last].next]
      stack[last].next += 1
      if values[child] == nil { try begin(child, &stack) }
    }
    guard let value = values[top] else { throw Self.damaged("it has no value") }
    return value
  }

  /// Reads a plain object, or the references of a container.
  private mutating func begin(_ index: Int, _ stack: inout [Container]) throws(KeyedArchiveError) {
    guard !isOpen[index] else {
      throw KeyedArchiveError(.cycle, "a container of the property list contains itself; use another copy")
    }
    guard let offset = Self.number(bytes, tableStart + index * offsetSize, offsetSize),
      offset >= Self.headerSize, offset < tableStart
    else { throw Self.damaged("an object lies outside") }
    let kind = bytes[offset] >> 4
    if kind == 0xA || kind == 0xC || kind == 0xD {
      guard stack.count < limits.depth else { throw tooDeep }
      let (length, start) = try self.length(at: offset)
      let references = try self.references(start, kind == 0xD ? length * 2 : length)
      try consume(start - offset + references.count * referenceSize)
      isOpen[index] = true
      stack.append(Container(index: index, kind: kind, references: references))
    } else {
      values[index] = try plainValue(at: offset, kind)
    }
  }

  private var tooDeep: KeyedArchiveError {
    KeyedArchiveError(
      .tooDeep,
      "the property list is nested more than \(limits.depth) levels deep; raise the limit to read it")
  }

  /// Objects that lie one over the other would make much of a small file.
  private mutating func consume(_ length: Int) throws(KeyedArchiveError) {
    consumed += length
    guard consumed <= tableStart - Self.headerSize else { throw Self.damaged("objects overlap") }
  }

  private func references(_ start: Int, _ count: Int) throws(KeyedArchiveError) -> [Int] {
    guard count <= (tableStart - start) / referenceSize else { throw Self.damaged("a container is cut off") }
    var references: [Int] = []
    references.reserveCapacity(count)
    for position in 0..<count {
      guard let reference = Self.number(bytes, start + position * referenceSize, referenceSize),
        reference < self.count
      else { throw Self.damaged("a container refers to no object") }
      references.append(reference)
    }
    return references
  }

  /// The count in an object's marker, or behind it, and where the contents begin.
  private func length(at offset: Int) throws(KeyedArchiveError) -> (length: Int, start: Int) {
    let low = Int(bytes[offset] & 0x0F)
    if low < 15 { return (low, offset + 1) }
    guard offset + 1 < tableStart, bytes[offset + 1] >> 4 == 1, bytes[offset + 1] & 0x0F <= 3 else {
      throw Self.damaged("a count is missing")
    }
    let size = 1 << Int(bytes[offset + 1] & 0x0F)
    guard let length = Self.number(bytes, offset + 2, size), length <= tableStart,
      offset + 2 + size <= tableStart
    else { throw Self.damaged("a count is too large") }
    return (length, offset + 2 + size)
  }

  private mutating func plainValue(at offset: Int, _ kind: UInt8) throws(KeyedArchiveError)
    -> PropertyListValue
  {
    let low = bytes[offset] & 0x0F
    switch kind {
    case 0x0:
      try consume(1)
      return try simple(low)
    case 0x1: return .integer(try integer(contents(offset + 1, 1 << Int(low), at: offset)))
    case 0x2: return .real(try real(contents(offset + 1, 1 << Int(low), at: offset)))
    case 0x3:
      guard low == 3 else { throw unsupported("a date that is no number of 64 bits") }
      return .date(
        Date(timeIntervalSinceReferenceDate: try real(contents(offset + 1, 8, at: offset))))
    case 0x4:
      let (length, start) = try length(at: offset)
      return .data(Data(try contents(start, length, at: offset)))
    case 0x5, 0x6:
      let (length, start) = try length(at: offset)
      let text = try contents(start, kind == 5 ? length : length * 2, at: offset)
      return .string(try kind == 5 ? ascii(text) : utf16(text))
    case 0x8: return .uid(try uid(contents(offset + 1, Int(low) + 1, at: offset)))
    default: throw unsupported("an object of kind \(kind)")
    }
  }

  private func unsupported(_ what: String) -> KeyedArchiveError {
    KeyedArchiveError(
      .unsupportedValue, "the property list holds \(what), which Core Data does not write; use another file")
  }

  private func simple(_ low: UInt8) throws(KeyedArchiveError) -> PropertyListValue {
    switch low {
    case 0x0: return .null
    case 0x8: return .boolean(false)
    case 0x9: return .boolean(true)
    default: throw unsupported("a constant of kind \(low)")
    }
  }

  private mutating func contents(
    _ start: Int, _ length: Int, at offset: Int
  ) throws(KeyedArchiveError) -> ArraySlice<UInt8> {
    guard length <= tableStart - start else { throw Self.damaged("an object is cut off") }
    try consume(start - offset + length)
    return bytes[start..<(start + length)]
  }

  /// Numbers of up to four bytes have no sign; those of sixteen are read when eight are enough.
  private func integer(_ bytes: ArraySlice<UInt8>) throws(KeyedArchiveError) -> Int64 {
    guard bytes.count <= 16 else { throw unsupported("a whole number of \(bytes.count) bytes") }
    let low = bytes.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let value = Int64(bitPattern: low)
    if bytes.count == 16 {
      let sign: UInt8 = value < 0 ? 0xFF : 0
      guard bytes.prefix(8).allSatisfy({ $0 == sign }) else {
        throw KeyedArchiveError(
          .unsupportedValue,
          "the property list holds a whole number that needs more than 64 bits with a sign;"
            + " store it as text or as a decimal number")
      }
    }
    return value
  }

  private func real(_ bytes: ArraySlice<UInt8>) throws(KeyedArchiveError) -> Double {
    let bits = bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    switch bytes.count {
    case 4: return Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits)))
    case 8: return Double(bitPattern: bits)
    default: throw unsupported("a floating-point number of \(bytes.count) bytes")
    }
  }

  private func uid(_ bytes: ArraySlice<UInt8>) throws(KeyedArchiveError) -> UInt32 {
    guard bytes.count <= 8, let uid = UInt32(exactly: bytes.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    else { throw unsupported("a reference of more than 32 bits") }
    return uid
  }

  private func ascii(_ bytes: ArraySlice<UInt8>) throws(KeyedArchiveError) -> String {
    guard bytes.allSatisfy({ $0 < 0x80 }) else { throw Self.damaged("a text is not ASCII") }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A half of a pair that stands alone, which no text may hold, becomes U+FFFD.
  private func utf16(_ bytes: ArraySlice<UInt8>) -> String {
    let start = bytes.startIndex
    let units = (0..<(bytes.count / 2)).map { position in
      UInt16(bytes[start + position * 2]) << 8 | UInt16(bytes[start + position * 2 + 1])
    }
    return String(decoding: units, as: UTF16.self)
  }

  /// Makes a container of its elements, which are all read.
  private mutating func finish(_ container: Container) throws(KeyedArchiveError) {
    var size = 1
    var height = 1
    var elements: [PropertyListValue] = []
    elements.reserveCapacity(container.references.count)
    for reference in container.references {
      guard let value = values[reference] else { throw Self.damaged("a container refers to no object") }
      size += sizes[reference] ?? 1
      height = max(height, 1 + (heights[reference] ?? 0))
      elements.append(value)
      guard size <= limits.expandedCount else {
        throw KeyedArchiveError(
          .tooLarge,
          "the property list repeats containers to more than \(limits.expandedCount) values;"
            + " raise the limit to read it")
      }
    }
    guard height <= limits.depth else { throw tooDeep }
    sizes[container.index] = size
    heights[container.index] = height
    isOpen[container.index] = false
    switch container.kind {
    case 0xA: values[container.index] = .array(elements)
    case 0xC: values[container.index] = .set(elements)
    default: values[container.index] = .dictionary(try dictionary(elements))
    }
  }

  /// Takes all keys, then all values.
  private func dictionary(_ elements: [PropertyListValue]) throws(KeyedArchiveError) -> [String:
    PropertyListValue]
  {
    let half = elements.count / 2
    var values: [String: PropertyListValue] = [:]
    values.reserveCapacity(half)
    for position in 0..<half {
      guard case .string(let key) = elements[position] else {
        throw unsupported("a dictionary with a key that is no text")
      }
      guard values.updateValue(elements[half + position], forKey: key) == nil else {
        throw Self.damaged("a dictionary has a key twice")
      }
    }
    return values
  }
}
