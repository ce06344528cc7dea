import ObjectModel

/// Options of a record's column.
public struct RecordColumn<Value: Record> {
  let keyPath: PartialKeyPath<Value>
  let originalName: String?
  let isIndexed: Bool
  let defaultForm: () throws -> AttributeValue?

  /// Gives a column a former name or an index.
  /// - Parameters:
  ///   - keyPath: The stored property.
  ///   - originalName: The former name of a renamed column; its data stays.
  ///   - indexed: Whether the column has an index of its own.
  public init<Property>(
    _ keyPath: KeyPath<Value, Property>, originalName: String? = nil, indexed: Bool = false
  ) {
    self.keyPath = keyPath
    self.originalName = originalName
    isIndexed = indexed
    defaultForm = { nil }
  }

  /// Gives a column a default, for rows that were stored before the column was added.
  /// - Parameters:
  ///   - keyPath: The stored property.
  ///   - value: The value of such rows.
  ///   - originalName: The former name of a renamed column; its data stays.
  ///   - indexed: Whether the column has an index of its own.
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
