/// A value for a statement, in PostgreSQL's binary format.
struct ServerParameter {
  let bytes: [UInt8]

  static func bytes(_ bytes: [UInt8]) -> ServerParameter { ServerParameter(bytes: bytes) }
  static func number(_ value: Int64) -> ServerParameter { .bytes(bigEndian(value)) }
  static func text(_ value: String) -> ServerParameter { .bytes(Array(value.utf8)) }
  static func double(_ value: Double) -> ServerParameter { .bytes(bigEndian(value.bitPattern)) }

  static func numbers(_ values: some Sequence<Int64>) -> ServerParameter {
    var array = ServerArray(of: .number)
    for value in values { array.append(value) }
    return array.parameter
  }

  static func texts(_ values: some Sequence<String>) -> ServerParameter {
    var array = ServerArray(of: .text)
    for value in values { Array(value.utf8).withUnsafeBytes { array.append($0) } }
    return array.parameter
  }

  static func optionalTexts(_ values: some Sequence<String?>) -> ServerParameter {
    var array = ServerArray(of: .text)
    for value in values {
      if let value { Array(value.utf8).withUnsafeBytes { array.append($0) } } else { array.appendNull() }
    }
    return array.parameter
  }

  static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { Array($0) }
  }
}

/// An array of one dimension in PostgreSQL's binary format (`array_send` in its sources): dimensions,
/// whether there are nulls, the type of the elements, their number, the first index; then each element's
/// length and bytes.
struct ServerArray {
  private let type: ServerType
  private var count: Int32 = 0
  private var hasNulls = false
  private var elements: [UInt8] = []

  init(of type: ServerType) { self.type = type }

  mutating func append(_ value: Int64) { append(fixed: value) }
  mutating func append(_ value: Double) { append(fixed: value.bitPattern) }

  mutating func append(_ flag: Bool) {
    count += 1
    add(Int32(1))
    elements.append(flag ? 1 : 0)
  }

  mutating func append(_ bytes: UnsafeRawBufferPointer) {
    count += 1
    add(Int32(truncatingIfNeeded: bytes.count))
    elements += bytes
  }

  mutating func appendNull() {
    count += 1
    hasNulls = true
    add(Int32(-1))
  }

  private mutating func append(fixed value: some FixedWidthInteger) {
    count += 1
    add(Int32(value.bitWidth / 8))
    add(value)
  }

  private mutating func add(_ value: some FixedWidthInteger) {
    withUnsafeBytes(of: value.bigEndian) { elements += $0 }
  }

  var parameter: ServerParameter {
    var header: [UInt8] = []
    header.reserveCapacity(20 + elements.count)
    header += ServerParameter.bigEndian(Int32(count == 0 ? 0 : 1))
    header += ServerParameter.bigEndian(Int32(hasNulls ? 1 : 0))
    header += ServerParameter.bigEndian(type.elementIdentifier)
    if count > 0 {
      header += ServerParameter.bigEndian(count)
      header += ServerParameter.bigEndian(Int32(1))
    }
    return .bytes(header + elements)
  }
}
