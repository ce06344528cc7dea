import ObjectModel
import StoreContract

/// The values of a snapshot, by the names of the properties.
struct SnapshotReader {
  private(set) var values: [String: DefaultSnapshot.PropertyValue] = [:]

  /// - Throws: `StoreError.invalidValue`, which names a property whose value is missing or of another type;
  ///   what the snapshot's own encoding throws.
  init(_ snapshot: some DataStoreSnapshot, _ shape: ModelSchema) throws {
    if let own = snapshot as? DefaultSnapshot {
      values = own.values
      for property in shape.properties { try complete(property, shape) }
      return
    }
    let recorder = ValueRecorder()
    try snapshot.encode(to: recorder)
    for property in shape.properties {
      if let value = recorder.values[property.name] { try read(value, property, shape) }
      try complete(property, shape)
    }
  }

  private mutating func read(_ value: Any, _ property: PropertySchema, _ shape: ModelSchema) throws {
    // Without the optionals around it.
    let plain = KeyPathProbe.plain(value)
    switch property.kind {
    case .attribute: values[property.name] = .attribute(try attribute(plain, property, shape))
    case .relationship(_, isToMany: false, _):
      let identifier = plain as? PersistentIdentifier
      if plain != nil, identifier == nil {
        throw Self.mismatch(value, property, shape, "PersistentIdentifier")
      }
      values[property.name] = .toOne(identifier)
    case .relationship:
      let identifiers = plain as? [PersistentIdentifier]
      if plain != nil, identifiers == nil {
        throw Self.mismatch(value, property, shape, "[PersistentIdentifier]")
      }
      values[property.name] = .toMany(identifiers)
    }
  }

  private func attribute(
    _ plain: Any?, _ property: PropertySchema, _ shape: ModelSchema
  ) throws -> AttributeValue {
    guard let plain else { return .null }
    func open<Value>(_ type: Value.Type) throws -> AttributeValue {
      guard let value = plain as? Value else { throw Self.mismatch(plain, property, shape, "\(type)") }
      return property.coding(of: Value.self).encode(value)
    }
    return try _openExistential(property.valueType, do: open)
  }

  /// Null, or the default, where a snapshot has no value.
  private mutating func complete(_ property: PropertySchema, _ shape: ModelSchema) throws {
    switch (property.kind, values[property.name]) {
    case (.attribute, .toOne?), (.attribute, .toMany?):
      throw Self.mismatch(PersistentIdentifier.self, property, shape, "\(property.valueType)")
    case (.relationship, .attribute?), (.relationship(_, isToMany: true, _), .toOne?),
      (.relationship(_, isToMany: false, _), .toMany?):
      throw Self.mismatch(property.valueType, property, shape, "relationship as the class has it")
    case (.attribute(_, isOptional: false), .attribute(.null)?), (.attribute(_, isOptional: false), nil):
      guard let value = property.makeDefault?() else { throw Self.missing(property, shape) }
      values[property.name] = .attribute(try attribute(value, property, shape))
    case (.relationship(_, isToMany: false, isOptional: false), .toOne(nil)?),
      (.relationship(_, isToMany: false, isOptional: false), nil):
      throw Self.missing(property, shape)
    default: break
    }
  }

  private static func missing(_ property: PropertySchema, _ shape: ModelSchema) -> StoreError {
    StoreError(
      .invalidValue,
      "a snapshot of \(shape.name) has no value for \(property.name), which is not optional; give it one, or"
        + " declare the property optional or with a default")
  }

  private static func mismatch(
    _ value: Any, _ property: PropertySchema, _ shape: ModelSchema, _ wanted: String
  ) -> StoreError {
    StoreError(
      .invalidValue,
      "a snapshot of \(shape.name) has a \(type(of: value)) for \(property.name); give it a \(wanted)"
    )
  }
}

/// An encoder that remembers values instead of writing them.
private final class ValueRecorder: Encoder {
  var values: [String: Any] = [:]
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(Keyed<Key>(recorder: self))
  }

  // A snapshot has names: what asks for something else records nothing, and its values are missing.
  func unkeyedContainer() -> any UnkeyedEncodingContainer { Nothing() }
  func singleValueContainer() -> any SingleValueEncodingContainer { Nothing() }

  private struct Keyed<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let recorder: ValueRecorder
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) throws { recorder.values[key.stringValue] = nil }
    func encode<T: Encodable>(_ value: T, forKey key: Key) throws {
      recorder.values[key.stringValue] = value
    }
    func nestedContainer<Nested: CodingKey>(
      keyedBy keyType: Nested.Type, forKey key: Key
    ) -> KeyedEncodingContainer<Nested> { KeyedEncodingContainer(Keyed<Nested>(recorder: ValueRecorder())) }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { Nothing() }
    func superEncoder() -> any Encoder { ValueRecorder() }
    func superEncoder(forKey key: Key) -> any Encoder { ValueRecorder() }
  }

  private struct Nothing: UnkeyedEncodingContainer, SingleValueEncodingContainer {
    var codingPath: [any CodingKey] { [] }
    var count: Int { 0 }

    func encodeNil() throws {}
    func encode<T: Encodable>(_ value: T) throws {}
    func nestedContainer<Nested: CodingKey>(keyedBy keyType: Nested.Type) -> KeyedEncodingContainer<Nested> {
      KeyedEncodingContainer(Keyed<Nested>(recorder: ValueRecorder()))
    }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { Nothing() }
    func superEncoder() -> any Encoder { ValueRecorder() }
  }
}
