/// Answers a type's decoding with sample values.
struct SampleDecoder: Decoder {
  let maker: SampleMaker
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(SampleFields(maker: maker))
  }
  func unkeyedContainer() -> any UnkeyedDecodingContainer { SampleElements(maker: maker) }
  func singleValueContainer() -> any SingleValueDecodingContainer { SampleValue(maker: maker) }
}

private struct SampleFields<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let maker: SampleMaker
  var codingPath: [any CodingKey] { [] }
  var allKeys: [Key] { maker.keys(Key.self) }

  func contains(_ key: Key) -> Bool {
    maker.noteQuestion(key.stringValue)
    return true
  }
  func decodeNil(forKey key: Key) -> Bool {
    maker.noteQuestion(key.stringValue)
    return maker.isDeep
  }
  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try maker.property(type, key.stringValue)
  }
  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) -> Value? {
    maker.optionalProperty(type, key.stringValue)
  }
  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try maker.checkNesting(key.stringValue)
    return KeyedDecodingContainer(SampleFields<Nested>(maker: maker))
  }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try maker.checkNesting(key.stringValue)
    return SampleElements(maker: maker)
  }
  func superDecoder() throws -> any Decoder {
    try maker.checkNesting("super")
    return SampleDecoder(maker: maker)
  }
  func superDecoder(forKey key: Key) throws -> any Decoder {
    try maker.checkNesting(key.stringValue)
    return SampleDecoder(maker: maker)
  }
}

/// One element, so that arrays differ from round to round; none where the sample is deep.
private struct SampleElements: UnkeyedDecodingContainer {
  let maker: SampleMaker
  private(set) var currentIndex = 0
  var codingPath: [any CodingKey] { [] }
  let count: Int?
  // A type that decodes elements by index, such as CGPoint, gets as many as it asks for.
  var isAtEnd: Bool { currentIndex >= count ?? 0 }

  init(maker: SampleMaker) {
    self.maker = maker
    count = maker.isDeep ? 0 : 1
  }

  func decodeNil() -> Bool { false }
  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    currentIndex += 1
    return try maker.value(type)
  }
  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) -> KeyedDecodingContainer<Nested> {
    currentIndex += 1
    return KeyedDecodingContainer(SampleFields<Nested>(maker: maker))
  }
  mutating func nestedUnkeyedContainer() -> any UnkeyedDecodingContainer {
    currentIndex += 1
    return SampleElements(maker: maker)
  }
  mutating func superDecoder() -> any Decoder { SampleDecoder(maker: maker) }
}

private struct SampleValue: SingleValueDecodingContainer {
  let maker: SampleMaker
  var codingPath: [any CodingKey] { [] }

  func decodeNil() -> Bool { maker.isDeep }
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try maker.value(type) }
}
