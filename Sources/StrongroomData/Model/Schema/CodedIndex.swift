/// A constraint or an index by the names of its properties.
struct CodedIndex: Codable, Hashable {
  let kind: SchemaConstraintPaths.Kind
  let names: [String]
}

/// A `Schema.Unique` or `Schema.Index` by the names of properties.
protocol NamedConstraint {
  var named: [CodedIndex] { get }
}
