import ObjectModel

/// What a record says of one of its columns.
public struct RecordColumn<Value: Record> {
  let keyPath: PartialKeyPath<Value>
  let originalName: String?
  let isIndexed: Bool
  let defaultForm: () throws -> AttributeValue?

  /// Says something of a column.
  /// - Parameters:
  ///   - keyPath: The stored property.
  ///   - originalName: The column's name before; its data stays.
  ///   - indexed: Whether the column has an index of its own.
  public init<Property>(
    _ keyPath: KeyPath<Value, Property>, originalName: String? = nil, indexed: Bool = false
  ) {
    self.keyPath = keyPath
    self.originalName = originalName
    isIndexed = indexed
    defaultForm = { nil }
  }

  /// Says of a column what rows have in it that were stored before it was there.
  /// - Parameter value: Such rows' value.
  public init<Property: Encodable>(
    _ keyPath: KeyPath<Value, Property>, default value: Property, originalName: String? = nil,
    indexed: Bool = false
  ) {
    self.keyPath = keyPath
    self.originalName = originalName
    isIndexed = indexed
    defaultForm = { try ColumnForm.encode(value) }
  }
}
