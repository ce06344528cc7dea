import CLibrary

/// The order-dependent sum that every implementation makes of what it reads.
public struct Checksum {
  /// The sum so far.
  public var value: UInt64 = 1

  /// Starts a sum.
  public init() {}

  /// Goes on with a sum.
  public init(continuing sum: UInt64) { value = sum }

  /// Adds to the sum.
  @inlinable
  public mutating func add(_ integer: Int64) {
    value = (value ^ UInt64(bitPattern: integer)) &* 0x100_0000_01B3
  }

  /// Adds to the sum.
  @inlinable
  public mutating func add(_ double: Double) {
    let word = (value ^ double.bitPattern) &* 0x100_0000_01B3
    value = word &* 0x100_0000_01B3
  }

  /// Adds to the sum.
  public mutating func add(_ text: String) {
    var text = text
    value = text.withUTF8 { lm_hash(value, $0.baseAddress, Int64($0.count)) }
  }

  /// Adds to the sum.
  public mutating func add(_ bytes: UnsafeRawBufferPointer) {
    value = lm_hash(value, bytes.baseAddress, Int64(bytes.count))
  }
}
