/// Tells a type's decoding what it asks for.
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
  /// Enumerations with payloads look for the one case that is there; dictionaries are empty.
  var allKeys: [Key] { SampleMaker.firstCase(Key.self).map { [$0] } ?? [] }

  func contains(_ key: Key) -> Bool {
    maker.ask(key.stringValue)
    return true
  }
  func decodeNil(forKey key: Key) -> Bool {
    maker.ask(key.stringValue)
    return maker.isDeep
  }
  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try maker.property(type, key.stringValue)
  }
  func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
    try maker.optionalProperty(type, key.stringValue)
  }
  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try maker.refuseNesting(key.stringValue)
    return KeyedDecodingContainer(SampleFields<Nested>(maker: maker))
  }
  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try maker.refuseNesting(key.stringValue)
    return SampleElements(maker: maker)
  }
  func superDecoder() throws -> any Decoder {
    try maker.refuseNesting("super")
    return SampleDecoder(maker: maker)
  }
  func superDecoder(forKey key: Key) throws -> any Decoder {
    try maker.refuseNesting(key.stringValue)
    return SampleDecoder(maker: maker)
  }
}

/// One element, so that arrays differ from round to round.
private struct SampleElements: UnkeyedDecodingContainer {
  let maker: SampleMaker
  private(set) var currentIndex = 0
  var codingPath: [any CodingKey] { [] }
  let count: Int?
  var isAtEnd: Bool { currentIndex >= count ?? 0 }

  init(maker: SampleMaker) {
    self.maker = maker
    count = maker.isDeep ? 0 : 1
  }

  func decodeNil() -> Bool { false }
  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    currentIndex += 1
    return try maker.make(type)
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
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try maker.make(type) }
}
