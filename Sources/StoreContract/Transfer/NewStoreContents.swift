package import ObjectModel

/// Takes the rows, then the links, of a new store that nobody else sees yet, under numbers that the caller
/// chooses.
///
/// What is written is not checked against the model's rules for values: it is taken as it was elsewhere.
package protocol NewStoreContents: AnyObject {
  /// Sets what the program has as the store's metadata.
  func set(metadata: [String: String]) throws

  /// Adds a row.
  ///
  /// - Parameters:
  ///   - entity: The object's own entity, which is not abstract.
  ///   - reference: Its number, above 0.
  ///   - version: How often it was saved.
  ///   - fill: Sets the fields, which are null before.
  /// - Throws: What the closure throws; what the database refuses.
  func insert(
    _ entity: EntityDescription, reference: Int64, version: Int64, fill: (NodeBuilder) throws -> Void
  ) throws

  /// Says that numbers up to one were given out elsewhere, so that they are not given out again; before the
  /// rows end.
  func reserve(_ reference: Int64, _ root: EntityDescription)

  /// Ends the rows.
  ///
  /// - Throws: `StoreError` that names the objects, where the store cannot have all of them as they are.
  func endRows() throws

  /// Adds a link to a relationship that is its own `joinTableOwner`, with its place in the source's order.
  func link(
    _ relationship: RelationshipDescription, _ source: Int64, _ destination: Int64, position: Int64
  ) throws

  /// Gives a link that was added its place in the order of the inverse of the join table's owner.
  func place(
    _ relationship: RelationshipDescription, _ source: Int64, _ destination: Int64, position: Int64
  ) throws
}
