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

  static func optionalTexts(_ values: some Sequence<String?>) -> ServerParameter {
    var array = ServerArray(of: .text)
    for value in values {
      if let value {
        Array(value.utf8).withUnsafeBytes { array.values.append($0) }
      } else {
        array.values.appendNull()
      }
    }
    return array.parameter
  }

  static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { Array($0) }
  }
}

/// An array of one dimension in PostgreSQL's binary format (`array_send` in its sources): dimensions,
/// whether there are nulls, the type of the elements, their number, the first index; then the elements.
struct ServerArray {
  private let type: ServerType
  var values = ServerValues()

  init(of type: ServerType) { self.type = type }

  var parameter: ServerParameter {
    var array = ServerValues()
    array.add(Int32(values.count == 0 ? 0 : 1))
    array.add(Int32(values.hasNulls ? 1 : 0))
    array.add(type.elementIdentifier)
    if values.count > 0 {
      array.add(Int32(truncatingIfNeeded: values.count))
      array.add(Int32(1))
    }
    return .bytes(array.bytes + values.bytes)
  }
}
