/// A set of small integers: one word for entities with up to 64 properties, an array beyond.
public struct PropertyIndexSet: Sendable, Hashable {
  @usableFromInline var first: UInt64 = 0
  @usableFromInline var rest: [UInt64] = []

  /// Makes an empty set.
  @inlinable
  public init() {}

  /// Makes the set of all numbers below a limit.
  public init(upTo count: Int) {
    first = count >= 64 ? ~0 : (1 << UInt64(count)) - 1
    if count > 64 { for index in 64..<count { insert(index) } }
  }

  /// Removes all numbers that another set does not contain.
  public mutating func formIntersection(_ other: PropertyIndexSet) {
    first &= other.first
    if !rest.isEmpty {
      rest = zip(rest, other.rest).map { $0 & $1 }
      while rest.last == 0 { rest.removeLast() }
    }
  }

  /// The numbers below 31 as bits, and the highest bit for all others together.
  @inlinable
  public var summary: UInt32 {
    UInt32(truncatingIfNeeded: first & 0x7FFF_FFFF) | (first >> 31 != 0 || !rest.isEmpty ? 1 << 31 : 0)
  }

  /// Whether the set is empty.
  @inlinable
  public var isEmpty: Bool { first == 0 && rest.allSatisfy { $0 == 0 } }

  /// Whether the set contains a number.
  @inlinable
  public func contains(_ index: Int) -> Bool {
    if index < 64 { return first & (1 << UInt64(index)) != 0 }
    let word = (index >> 6) - 1
    return word < rest.count && rest[word] & (1 << UInt64(index & 63)) != 0
  }

  /// Adds a number.
  @inlinable
  public mutating func insert(_ index: Int) {
    if index < 64 {
      first |= 1 << UInt64(index)
    } else {
      let word = (index >> 6) - 1
      while rest.count <= word { rest.append(0) }
      rest[word] |= 1 << UInt64(index & 63)
    }
  }

  /// Removes a number.
  @inlinable
  public mutating func remove(_ index: Int) {
    if index < 64 {
      first &= ~(1 << UInt64(index))
    } else {
      let word = (index >> 6) - 1
      guard word < rest.count else { return }
      rest[word] &= ~(1 << UInt64(index & 63))
      while rest.last == 0 { rest.removeLast() }
    }
  }

  /// The number of bytes that its bits take, without empty ones at the end.
  package var byteCount: Int {
    let word = rest.last ?? first
    return rest.count * 8 + (64 - word.leadingZeroBitCount + 7) / 8
  }

  /// Eight bits, the lowest number the lowest bit; of byte 0 those of the numbers 0 to 7.
  package func byte(at place: Int) -> UInt8 {
    let word = place < 8 ? first : rest[place / 8 - 1]
    return UInt8(truncatingIfNeeded: word >> UInt64(place % 8 * 8))
  }

  /// The numbers, ascending.
  public var elements: [Int] {
    var result: [Int] = []
    result.reserveCapacity(first.nonzeroBitCount)
    Self.append(first, from: 0, to: &result)
    for (index, word) in rest.enumerated() { Self.append(word, from: (index + 1) * 64, to: &result) }
    return result
  }

  private static func append(_ word: UInt64, from start: Int, to result: inout [Int]) {
    var left = word
    while left != 0 {
      result.append(start + left.trailingZeroBitCount)
      left &= left - 1
    }
  }
}
