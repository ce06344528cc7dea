import Foundation
import ObjectModel
import ObjectQuery
import StoreContract

/// The table of a record type in an open store.
final class RecordTable: Sendable {
  let schema: RecordSchema
  let storeEntity: StoreEntity
  let key: AttributeDescription
  /// In the order in which the type decodes them.
  let columns: [AttributeDescription]
  /// The names of `columns`.
  let names: [String]
  /// Where `columns` stand in a row that is read by them alone, and in a node.
  let places: [Int]
  private let fields: [Int]
  private let fieldTypes: [AttributeType]
  /// The positions in `columns`, by the coded name.
  let ordinals: [String: Int]
  private let required: [AttributeDescription]
  /// The columns that an update writes: those of the type, without the key.
  let changed: PropertyIndexSet
  /// What a request asks for to get `columns`.
  let expressions: [ExpressionDescription]
  /// Asks for the columns of one row; the condition is missing.
  private let rowRequest: FetchRequest
  private let keyPath: FetchExpression
  private let defaults: [(attribute: AttributeDescription, value: AttributeValue)]

  var entity: EntityDescription { storeEntity.entity }

  init?(_ schema: RecordSchema, _ storeEntity: StoreEntity) {
    self.schema = schema
    self.storeEntity = storeEntity
    let own = Set(schema.columns.map(\.attribute.name))
    var attributes: [String: AttributeDescription] = [:]
    var changed = PropertyIndexSet()
    for attribute in storeEntity.entity.attributes where own.contains(attribute.name) {
      attributes[attribute.name] = attribute
      if attribute.name != schema.key { changed.insert(attribute.field) }
    }
    guard let key = attributes[schema.key] else { return nil }
    self.key = key
    columns = schema.columns.compactMap { attributes[$0.attribute.name] }
    names = columns.map(\.name)
    places = Array(columns.indices)
    fields = columns.map(\.field)
    fieldTypes = storeEntity.entity.storedFields.map { field in
      if case .attribute(let attribute) = field { attribute.type } else { .objectID }
    }
    ordinals = Dictionary(uniqueKeysWithValues: columns.enumerated().map { ($1.name, $0) })
    expressions = columns.map { ExpressionDescription($0.name) }
    var rowRequest = FetchRequest(storeEntity.entity.name, fetchLimit: 1)
    rowRequest.includesSubentities = false
    rowRequest.propertiesToFetch = expressions
    self.rowRequest = rowRequest
    keyPath = .keyPath([schema.key])
    required = columns.filter { !$0.isOptional }
    self.changed = changed
    defaults = storeEntity.entity.attributes.compactMap { attribute in
      let isOthers = !own.contains(attribute.name) && !attribute.isTransient
      return isOthers && !attribute.defaultValue.isNull ? (attribute, attribute.defaultValue) : nil
    }
  }

  /// The row of a value.
  ///
  /// Columns that the type does not declare have the values of the stored row, or their defaults.
  /// - Throws: `RecordError`, `StoreError` with code `invalidValue`.
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
    let encoder = RowEncoder(table: self, builder: builder)
    defer { encoder.finish() }
    do {
      try value.encode(to: encoder)
    } catch let error as StoreError {
      throw error
    } catch {
      throw RecordError.coding(.unencodable, "a \(schema.typeName) cannot be encoded", error)
    }
    for attribute in required where builder.isNull(attribute.field) {
      throw RecordError(
        .unencodable,
        "\(schema.typeName).\(attribute.name) is required, and this value encodes none; nothing was stored")
    }
    return builder.finish(storeEntity, reference: reference, version: (stored?.version ?? 0) + 1)
  }

  /// The value of a node.
  /// - Throws: `RecordError` with code `undecodable`.
  func value<Value: Record>(_ type: Value.Type, of node: IncrementalStoreNode) throws -> Value {
    try withExtendedLifetime(node) {
      try fieldTypes.withUnsafeBufferPointer { types in
        let decoder = RowDecoder(self, node.row(types), places: fields)
        // The value may retain the decoder.
        defer { decoder.stop() }
        return try value(type, of: decoder)
      }
    }
  }

  /// The value of the row that a decoder is at.
  /// - Throws: `RecordError` with code `undecodable`.
  func value<Value: Record>(_ type: Value.Type, of decoder: RowDecoder) throws -> Value {
    do {
      return try type.init(from: decoder)
    } catch {
      throw RecordError.coding(
        .undecodable, "a row of \(schema.tableName) cannot be decoded as \(schema.typeName)", error)
    }
  }

  /// The condition that a row has a key.
  func condition(_ key: AttributeValue) -> FetchPredicate {
    .comparison(FetchComparison(keyPath, .equal, .value(key)))
  }

  /// The request for the row with a key.
  func request(for key: AttributeValue) -> FetchRequest {
    var request = rowRequest
    request.predicate = condition(key)
    return request
  }

  /// The keys of values.
  func keys<Value: Record>(of values: [Value]) throws -> [RowKey] {
    let primaryKey = Value.primaryKey
    return try values.map { RowKey(value: try ColumnForm.encode($0[keyPath: primaryKey])) }
  }
}
