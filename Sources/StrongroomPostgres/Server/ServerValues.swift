/// Values in PostgreSQL's binary format, each with its length before it: the elements of an array, the
/// fields of rows that are copied, or the parameters of a statement.
struct ServerValues {
  private(set) var bytes: [UInt8] = []
  private(set) var count = 0
  private(set) var hasNulls = false

  init() {}

  /// - Parameter room: For how many bytes there is room at once.
  init(room: Int) { bytes.reserveCapacity(room) }

  init(_ parameters: [ServerParameter]) {
    if parameters.isEmpty { return }
    bytes.reserveCapacity(parameters.reduce(0) { $0 + $1.bytes.count + 4 })
    for parameter in parameters { append(parameter) }
  }

  mutating func append(_ parameter: ServerParameter) {
    if parameter.isNull { return appendNull() }
    parameter.bytes.withUnsafeBytes { append($0) }
  }

  mutating func append(_ value: Int64) {
    count += 1
    addValue(value)
  }

  mutating func append(_ value: Double) {
    count += 1
    addValue(value.bitPattern)
  }

  mutating func append(_ flag: Bool) {
    count += 1
    addValue(UInt8(flag ? 1 : 0))
  }

  mutating func append(_ value: UnsafeRawBufferPointer) {
    count += 1
    add(Int32(truncatingIfNeeded: value.count))
    bytes += value
  }

  mutating func appendNull() {
    count += 1
    hasNulls = true
    add(Int32(-1))
  }

  @inline(__always)
  private mutating func addValue<T: FixedWidthInteger>(_ value: T) {
    let length = MemoryLayout<T>.size
    // At once: each change of the bytes looks whether they are anybody else's.
    withUnsafeTemporaryAllocation(byteCount: 4 + length, alignment: 1) { both in
      both.storeBytes(of: Int32(truncatingIfNeeded: length).bigEndian, as: Int32.self)
      both.storeBytes(of: value.bigEndian, toByteOffset: 4, as: T.self)
      bytes.append(contentsOf: both)
    }
  }

  /// Adds a number that is no value: a length, or a part of a header.
  mutating func add(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.bigEndian) { bytes += $0 }
  }

  mutating func add(_ header: [UInt8]) { bytes += header }

  mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
  }

  mutating func append(optional text: String?) {
    if let text { append(text) } else { appendNull() }
  }

  /// Appends an array of numbers.
  mutating func append(numbers: some Collection<Int64>) {
    let all = numbers.count
    count += 1
    add(Int32(truncatingIfNeeded: ServerArray.headLength(all) + 12 * all))
    ServerArray.addHead(of: .number, count: all, hasNulls: false, to: &self)
    for number in numbers { addValue(number) }
  }

  /// Forgets the values, and keeps the room.
  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
    (count, hasNulls) = (0, false)
  }
}
