public import ObjectModel
public import StoreContract

/// One object that cannot be saved as it is.
///
/// Snapshots lack long values with external storage that were not read. Sendable; errors that carry
/// conflicts do not print their values.
public struct MergeConflict: Sendable, CustomStringConvertible {
  /// The object.
  public let objectID: ManagedObjectID
  /// Attributes and to-ones (as `.reference`) as they are in the context.
  public let objectSnapshot: [String: AttributeValue]
  /// As the context read them; nil for a new object.
  public let cachedSnapshot: [String: AttributeValue]?
  /// As they are in the store; nil when the object was deleted there.
  ///
  /// For a uniqueness constraint, those of the object that has the same values.
  public let persistedSnapshot: [String: AttributeValue]?
  /// The version the context read; 0 for a new object.
  public let cachedVersion: Int64
  /// The version in the store; 0 when the object was deleted there.
  public let persistedVersion: Int64
  /// Whether the context is about to delete the object.
  public let isDeletion: Bool
  /// The properties of the uniqueness constraint that is broken; empty when the row was changed
  /// elsewhere.
  public let constraint: [String]
  /// The object that has the same values in a uniqueness constraint's properties.
  public let otherObjectID: ManagedObjectID?
  /// Objects that were deleted in the store, and that this object, or another one of the save,
  /// references.
  ///
  /// Where the store wins, the references to them are removed; otherwise the save throws.
  public internal(set) var missingObjectIDs: Set<ManagedObjectID> = []

  /// Whether a uniqueness constraint is broken.
  public var isConstraint: Bool { !constraint.isEmpty }

  /// The object, and the versions or the constraint; never a value.
  public var description: String {
    if isConstraint {
      let other = otherObjectID.map { " as \($0)" } ?? ""
      return "\(objectID): the same \(constraint.joined(separator: ", "))\(other)"
    }
    let stored =
      persistedSnapshot == nil ? "deleted in the store" : "version \(persistedVersion) in the store"
    return "\(objectID)\(isDeletion ? ", to be deleted" : ""): read at version \(cachedVersion), \(stored)"
  }
}
