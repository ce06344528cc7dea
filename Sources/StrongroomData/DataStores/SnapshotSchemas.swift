import Foundation
import ObjectModel
import StoreContract

/// The classes that snapshots are decoded for: an encoded snapshot has only the name of its entity.
enum SnapshotSchemas {
  /// The schema of the store that is being called.
  @TaskLocal static var current: Schema?

  /// The shape of the class with an entity's name: of the store's schema, else of the only class of that name
  /// that the program used.
  ///
  /// - Throws: `StoreError.invalidValue` where it used several, and no store is being called on this thread.
  static func shape(named name: String) throws -> ModelSchema? {
    if let shape = current?.shape(named: name) { return shape }
    let known = ModelSchema.made(named: name)
    if known.count > 1 {
      throw StoreError(
        .invalidValue,
        "the program has several classes \(name), and which one a snapshot is of is known to the thread that"
          + " the store is called on only; decode and encode it there")
    }
    return known.first
  }
}

extension PropertySchema {
  /// Writes an attribute as its own type does.
  func encode(
    _ value: AttributeValue, to container: inout KeyedEncodingContainer<DataStoreSnapshotCodingKey>,
    forKey key: DataStoreSnapshotCodingKey
  ) throws {
    func open<Value>(_ type: Value.Type) throws {
      let decoded: Value? = coding(of: Value.self).decode(value)
      if attribute?.isTransformable != true, let encodable = decoded as? any Encodable {
        try container.encode(encodable, forKey: key)
      } else if case .data(let data) = value {
        try container.encode(data, forKey: key)
      } else {
        throw EncodingError.invalidValue(
          name, .init(codingPath: [key], debugDescription: "\(name) has a value that is no \(Value.self)"))
      }
    }
    try _openExistential(valueType, do: open)
  }

  /// Reads an attribute as its own type does.
  func decode(
    from container: KeyedDecodingContainer<DataStoreSnapshotCodingKey>,
    forKey key: DataStoreSnapshotCodingKey
  ) throws -> AttributeValue {
    func open<Value>(_ type: Value.Type) throws -> AttributeValue {
      if attribute?.isTransformable != true, let decodable = type as? any Decodable.Type {
        let decoded = try container.decode(decodable, forKey: key)
        if let value = decoded as? Value { return coding(of: Value.self).encode(value) }
      }
      return .data(try container.decode(Foundation.Data.self, forKey: key))
    }
    return try _openExistential(valueType, do: open)
  }
}
