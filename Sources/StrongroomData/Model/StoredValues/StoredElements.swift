import ObjectModel

/// The elements of a composite, by key.
struct StoredElements<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let decoder: StoredValueDecoder
  var codingPath: [any CodingKey] { decoder.codingPath }

  private var values: [String: AttributeValue] { decoder.presentElements }

  /// Those with a value, so that an enumeration finds its case.
  var allKeys: [Key] { values.keys.sorted().compactMap { Key(stringValue: $0) } }

  func contains(_ key: Key) -> Bool { values[key.stringValue] != nil }

  private func element(_ key: any CodingKey) throws -> StoredValueDecoder {
    let element = decoder.element(key.stringValue, key)
    decoder.elements.read(element.codingPath)
    if element.value.isNull, element.attribute == nil {
      throw DecodingError.keyNotFound(key, decoder.context)
    }
    return element
  }

  func decodeNil(forKey key: Key) throws -> Bool { try element(key).value.isNull }

  func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
    let element = try element(key)
    // A composite without any value is null; what it stands for may need none.
    if element.value.isNull, element.attribute?.type != .composite {
      throw DecodingError.valueNotFound(type, element.context)
    }
    return try element.decode(type)
  }

  func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<NestedKey> {
    try element(key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try element(key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder { try element(SuperKey()) }
  func superDecoder(forKey key: Key) throws -> any Decoder { try element(key) }
}

private struct SuperKey: CodingKey {
  var stringValue: String { "super" }
  var intValue: Int? { nil }

  init() {}
  init?(stringValue: String) { nil }
  init?(intValue: Int) { nil }
}

/// The elements of a composite in the order of the store's model, for types such as `Duration` that
/// are coded without keys.
struct StoredSequence: UnkeyedDecodingContainer {
  let decoder: StoredValueDecoder
  let names: [String]
  private(set) var currentIndex = 0

  init(decoder: StoredValueDecoder, names: [String]) {
    self.decoder = decoder
    self.names = names
  }

  var codingPath: [any CodingKey] { decoder.codingPath }
  var count: Int? { names.count }
  var isAtEnd: Bool { currentIndex >= names.count }

  private func element(_ type: Any.Type) throws -> StoredValueDecoder {
    guard !isAtEnd else { throw DecodingError.valueNotFound(type, decoder.context) }
    return decoder.element(names[currentIndex], ElementKey(name: names[currentIndex]))
  }

  mutating func decodeNil() throws -> Bool {
    guard try element(Never.self).value.isNull else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<T: Decodable>(_ type: T.Type) throws -> T {
    let result = try element(type).decode(type)
    currentIndex += 1
    return result
  }

  mutating func nestedContainer<NestedKey: CodingKey>(
    keyedBy type: NestedKey.Type
  ) throws -> KeyedDecodingContainer<NestedKey> {
    defer { currentIndex += 1 }
    return try element(type).container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    defer { currentIndex += 1 }
    return try element(Never.self).unkeyedContainer()
  }

  mutating func superDecoder() throws -> any Decoder {
    defer { currentIndex += 1 }
    return try element(Never.self)
  }
}

private struct ElementKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(name: String) { stringValue = name }
  init?(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

/// A value without keys: text, numbers, booleans, and the raw value of an enumeration.
struct StoredSingleValue: SingleValueDecodingContainer {
  let decoder: StoredValueDecoder
  var codingPath: [any CodingKey] { decoder.codingPath }

  func decodeNil() -> Bool { decoder.value.isNull }

  func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.decode(type) }

  func decode(_ type: Bool.Type) throws -> Bool {
    switch decoder.value {
    case .boolean(let flag): flag
    case .integer(let integer) where integer == 0 || integer == 1: integer == 1
    default: throw mismatch(type)
    }
  }

  func decode(_ type: String.Type) throws -> String {
    switch decoder.value {
    case .string(let text): return text
    case .composite:
      // The case of an enumeration, whose raw value is its name.
      let values = decoder.presentElements
      guard values.count == 1, case .string(let text)? = values.first?.value, values.first?.key == text else {
        throw mismatch(type)
      }
      return text
    default: throw mismatch(type)
    }
  }

  func decode(_ type: Double.Type) throws -> Double {
    switch decoder.value {
    case .double(let double): double
    case .integer(let integer):
      if let double = Double(exactly: integer) { double } else { throw mismatch(type) }
    default: throw mismatch(type)
    }
  }

  func decode(_ type: Float.Type) throws -> Float {
    let double = try decode(Double.self)
    guard double.isNaN || Double(Float(double)) == double else { throw mismatch(type) }
    return Float(double)
  }

  func decode(_ type: Int.Type) throws -> Int { try integer(type) }
  func decode(_ type: Int8.Type) throws -> Int8 { try integer(type) }
  func decode(_ type: Int16.Type) throws -> Int16 { try integer(type) }
  func decode(_ type: Int32.Type) throws -> Int32 { try integer(type) }
  func decode(_ type: Int64.Type) throws -> Int64 { try integer(type) }
  func decode(_ type: UInt.Type) throws -> UInt { UInt(try decode(UInt64.self)) }
  func decode(_ type: UInt8.Type) throws -> UInt8 { try integer(type) }
  func decode(_ type: UInt16.Type) throws -> UInt16 { try integer(type) }
  func decode(_ type: UInt32.Type) throws -> UInt32 { try integer(type) }

  /// The column has 64 bits with a sign.
  func decode(_ type: UInt64.Type) throws -> UInt64 { UInt64(bitPattern: try integer(Int64.self)) }

  private func integer<T: FixedWidthInteger>(_ type: T.Type) throws -> T {
    guard case .integer(let integer) = decoder.value else { throw mismatch(type) }
    guard let value = T(exactly: integer) else { throw DecodingError.dataCorrupted(decoder.context) }
    return value
  }

  private func mismatch(_ type: Any.Type) -> any Error {
    decoder.value.isNull
      ? DecodingError.valueNotFound(type, decoder.context) : DecodingError.typeMismatch(type, decoder.context)
  }
}
