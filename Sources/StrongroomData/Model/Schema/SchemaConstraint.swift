/// What `#Unique` or `#Index` says in a class.
public protocol SchemaConstraint {
  /// What it says, by key paths.
  var paths: SchemaConstraintPaths { get }
}

/// The key paths of a `#Unique` or `#Index`.
public struct SchemaConstraintPaths: @unchecked Sendable {
  // @unchecked: key paths never change.
  enum Kind: String, Codable { case unique, index, rTree, fullText }
  let kind: [(Kind, [AnyKeyPath])]
}
