import Foundation

/// Decodes any type from values that are made up.
struct MarkingDecoder: Decoder {
  private static let deepest = 8
  let marks: Marks
  var codingPath: [any CodingKey] = []
  var userInfo: [CodingUserInfoKey: Any] { [:] }
  var depth = 0

  init(_ marks: Marks) { self.marks = marks }

  /// A value of a type.
  func value<T: Decodable>(_ type: T.Type) throws -> T {
    if let known = marked(type) as? T { return known }
    if let cases = EnumerationCases.all(type), !cases.isEmpty {
      return cases.count == 1 || !marks.nextBit() ? cases[0] : cases[1]
    }
    var inner = self
    inner.depth += 1
    guard inner.depth < Self.deepest else { throw Self.failure("it is nested too deeply") }
    return try T(from: inner)
  }

  /// A value of a type that does not take any text or number for one of its own.
  private func marked(_ type: Any.Type) -> Any? {
    switch type {
    case is Date.Type: return Date(timeIntervalSinceReferenceDate: Double(marks.next()))
    case is Data.Type: return Data("\(marks.next())".utf8)
    case is URL.Type: return URL(fileURLWithPath: "/\(marks.next())")
    case is Decimal.Type: return Decimal(marks.next())
    case is UUID.Type:
      let mark = marks.next()
      let (low, high) = (UInt8(truncatingIfNeeded: mark), UInt8(truncatingIfNeeded: mark >> 8))
      return UUID(uuid: (high, low, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15))
    default: return nil
    }
  }

  var isDeep: Bool { depth > Self.deepest - 4 }

  static func failure(_ text: String) -> DecodingError {
    .dataCorrupted(DecodingError.Context(codingPath: [], debugDescription: text))
  }

  func number<N: BinaryInteger>(_ type: N.Type) -> N {
    let mark = marks.next()
    return N(exactly: mark) ?? N(truncatingIfNeeded: 1 + mark % 120)
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(MarkedKeys<Key>(decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { MarkedList(decoder: self) }
  func singleValueContainer() throws -> any SingleValueDecodingContainer { MarkedValue(decoder: self) }
}

private struct MarkedValue: SingleValueDecodingContainer {
  let decoder: MarkingDecoder
  var codingPath: [any CodingKey] { [] }

  func decodeNil() -> Bool { decoder.isDeep }
  func decode(_ type: Bool.Type) throws -> Bool { decoder.marks.nextBit() }
  func decode(_ type: String.Type) throws -> String { "m\(decoder.marks.next())" }
  func decode(_ type: Double.Type) throws -> Double { Double(decoder.marks.next()) + 0.5 }
  func decode(_ type: Float.Type) throws -> Float { Float(decoder.marks.next()) + 0.5 }
  func decode(_ type: Int.Type) throws -> Int { decoder.number(type) }
  func decode(_ type: Int8.Type) throws -> Int8 { decoder.number(type) }
  func decode(_ type: Int16.Type) throws -> Int16 { decoder.number(type) }
  func decode(_ type: Int32.Type) throws -> Int32 { decoder.number(type) }
  func decode(_ type: Int64.Type) throws -> Int64 { decoder.number(type) }
  func decode(_ type: UInt.Type) throws -> UInt { decoder.number(type) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { decoder.number(type) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { decoder.number(type) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { decoder.number(type) }
  func decode(_ type: UInt64.Type) throws -> UInt64 { decoder.number(type) }
  func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.value(type) }
}

/// One element, or none where it is deep.
private struct MarkedList: UnkeyedDecodingContainer {
  let decoder: MarkingDecoder
  var codingPath: [any CodingKey] { [] }
  var currentIndex = 0
  // A list that is read by place, as coordinates are, may want some.
  var count: Int? { decoder.isDeep ? 0 : 1 }
  var isAtEnd: Bool { currentIndex >= count ?? 0 }

  init(decoder: MarkingDecoder) { self.decoder = decoder }

  mutating func decodeNil() throws -> Bool { false }
  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    currentIndex += 1
    return try decoder.value(type)
  }
  mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key>
  {
    currentIndex += 1
    return try decoder.container(keyedBy: type)
  }
  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    currentIndex += 1
    return try decoder.unkeyedContainer()
  }
  mutating func superDecoder() throws -> any Decoder { decoder }
}

/// Whatever key is asked for.
private struct MarkedKeys<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: MarkingDecoder
  var codingPath: [any CodingKey] { [] }
  /// One, for those that ask which there are.
  var allKeys: [Key] {
    if let first = EnumerationCases.all(Key.self)?.first { return [first] }
    return decoder.isDeep ? [] : [Key(stringValue: "k\(decoder.marks.next())")].compactMap { $0 }
  }

  private var value: MarkedValue { MarkedValue(decoder: decoder) }

  func contains(_ key: Key) -> Bool { true }
  func decodeNil(forKey key: Key) throws -> Bool { decoder.isDeep }
  func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try value.decode(type) }
  func decode(_ type: String.Type, forKey key: Key) throws -> String { try value.decode(type) }
  func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try value.decode(type) }
  func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try value.decode(type) }
  func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try value.decode(type) }
  func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try value.decode(type) }
  func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try value.decode(type) }
  func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try value.decode(type) }
  func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try value.decode(type) }
  func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try value.decode(type) }
  func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try value.decode(type) }
  func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try value.decode(type) }
  func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try value.decode(type) }
  func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try value.decode(type) }
  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T { try value.decode(type) }
  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> { try decoder.container(keyedBy: type) }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder.unkeyedContainer()
  }
  func superDecoder() throws -> any Decoder { decoder }
  func superDecoder(forKey key: Key) throws -> any Decoder { decoder }
}
