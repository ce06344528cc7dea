import Foundation
import ObjectModel
import ObjectQuery
import StoreContract

/// A record type in an open store.
struct RecordTable: Sendable {
  let shape: RecordSchema
  let storeEntity: StoreEntity
  let key: AttributeDescription
  /// By the coded name.
  let attributes: [String: AttributeDescription]
  /// What an update writes: all columns of the type but the key.
  let changed: PropertyIndexSet
  private let defaults: [(attribute: AttributeDescription, value: AttributeValue)]

  var entity: EntityDescription { storeEntity.entity }

  init?(_ shape: RecordSchema, _ storeEntity: StoreEntity) {
    self.shape = shape
    self.storeEntity = storeEntity
    let own = Set(shape.columns.map(\.attribute.name))
    var attributes: [String: AttributeDescription] = [:]
    var changed = PropertyIndexSet()
    for attribute in storeEntity.entity.attributes where own.contains(attribute.name) {
      attributes[attribute.name] = attribute
      if attribute.name != shape.key { changed.insert(attribute.field) }
    }
    guard let key = attributes[shape.key] else { return nil }
    self.key = key
    self.attributes = attributes
    self.changed = changed
    defaults = storeEntity.entity.attributes.compactMap { attribute in
      let isOthers = !own.contains(attribute.name) && !attribute.isTransient
      return isOthers && !attribute.defaultValue.isNull ? (attribute, attribute.defaultValue) : nil
    }
  }

  /// A row of a value; what the type does not know comes from the stored row, or has its default.
  /// - Throws: `ValuesError`, `StoreError` with code `invalidValue`.
  func node<Value: Record>(
    _ value: Value, over stored: IncrementalStoreNode?, reference: Int64, _ builder: NodeBuilder
  ) throws -> IncrementalStoreNode {
    builder.begin(fieldCount: entity.fieldCount)
    if let stored {
      for (field, kind) in entity.storedFields.enumerated() where !changed.contains(field) {
        builder.copy(field, from: stored, isBytes: kind.isStoredAsBytes)
      }
    } else {
      for (attribute, value) in defaults { try builder.set(attribute, value) }
    }
    do {
      try value.encode(to: RowEncoder(table: self, builder: builder))
    } catch let error as StoreError {
      throw error
    } catch {
      throw ValuesError.coding(.unencodable, "a \(shape.typeName) cannot be stored", error)
    }
    for (_, attribute) in attributes where !attribute.isOptional && builder.isNull(attribute.field) {
      throw ValuesError(
        .unencodable,
        "\(shape.typeName).\(attribute.name) is required and this value encodes none; nothing was stored")
    }
    return builder.finish(storeEntity, reference: reference, version: (stored?.version ?? 0) + 1)
  }

  /// - Throws: `ValuesError` with code `undecodable`.
  func value<Value: Record>(_ type: Value.Type, of node: IncrementalStoreNode) throws -> Value {
    do {
      return try type.init(from: RowDecoder(table: self, node: node))
    } catch {
      throw ValuesError.coding(.undecodable, "a row of \(shape.tableName) makes no \(shape.typeName)", error)
    }
  }

  /// Whether a row is of a key.
  func condition(_ key: AttributeValue) -> FetchPredicate {
    .comparison(FetchComparison(.keyPath([shape.key]), .equal, .value(key)))
  }

  /// The column form of a value's key.
  func key<Value: Record>(of value: Value) throws -> AttributeValue {
    try ColumnForm.encode(value[keyPath: Value.primaryKey])
  }
}

/// A primary key in a dictionary: texts are compared by their bytes, as in the file, and not as
/// Swift does.
struct RowKey: Hashable {
  private let value: AttributeValue

  init(_ value: AttributeValue) {
    if case .string(let text) = value { self.value = .data(Data(text.utf8)) } else { self.value = value }
  }
}
