/// A value for a statement, in PostgreSQL's binary format.
struct ServerParameter {
  let bytes: [UInt8]
  var isNull = false

  static let null = ServerParameter(bytes: [], isNull: true)
  static func bytes(_ bytes: [UInt8]) -> ServerParameter { ServerParameter(bytes: bytes) }
  static func number(_ value: Int64) -> ServerParameter { .bytes(bigEndian(value)) }
  static func text(_ value: String) -> ServerParameter { .bytes(Array(value.utf8)) }
  static func double(_ value: Double) -> ServerParameter { .bytes(bigEndian(value.bitPattern)) }

  static func numbers(_ values: some Sequence<Int64>) -> ServerParameter {
    var array = ServerArray(of: .number)
    for value in values { array.values.append(value) }
    return array.parameter
  }

  static func texts(_ values: some Sequence<String>) -> ServerParameter {
    var array = ServerArray(of: .text)
    for value in values { Array(value.utf8).withUnsafeBytes { array.values.append($0) } }
    return array.parameter
  }

  static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { Array($0) }
  }
}

/// An array of one dimension in PostgreSQL's binary format (`array_send` in its sources): a head, then the
/// elements.
struct ServerArray {
  private let type: ServerType
  var values = ServerValues()

  init(of type: ServerType) { self.type = type }

  var parameter: ServerParameter {
    var array = ServerValues()
    Self.addHead(of: type, count: values.count, hasNulls: values.hasNulls, to: &array)
    return .bytes(array.bytes + values.bytes)
  }

  /// How many bytes the head of so many elements has.
  static func headLength(_ count: Int) -> Int { count == 0 ? 12 : 20 }

  /// Adds the dimensions, whether there are nulls, the type of the elements, their number, the first index.
  static func addHead(of type: ServerType, count: Int, hasNulls: Bool, to values: inout ServerValues) {
    values.add(Int32(count == 0 ? 0 : 1))
    values.add(Int32(hasNulls ? 1 : 0))
    values.add(type.elementIdentifier)
    if count == 0 { return }
    values.add(Int32(truncatingIfNeeded: count))
    values.add(Int32(1))
  }
}
