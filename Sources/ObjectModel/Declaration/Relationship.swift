/// What happens along a relationship when the object that has it is deleted.
public enum DeleteRule: String, Sendable, Codable, CaseIterable {
  /// Nothing happens: the inverse still references the deleted object.
  case noAction
  /// The inverse drops the deleted object.
  case nullify
  /// The destinations are deleted too.
  case cascade
  /// The object cannot be deleted while it has a destination.
  case deny
}

/// One relationship as a model declares it.
public struct Relationship: Sendable, Hashable, Codable {
  /// The name.
  public var name: String
  /// The destination entity.
  public var destinationEntityName: String
  /// The inverse, a relationship of the destination; nil for a unidirectional relationship.
  public var inverseName: String?
  /// The entity that declares the inverse, as the model file has it.
  public var inverseEntityName: String?
  /// Whether it is a to-many.
  public var isToMany: Bool
  /// Whether a to-many has an order that lasts.
  public var isOrdered: Bool
  /// Whether it may be null.
  ///
  /// A to-many that is not optional may still be empty unless `minCount` says otherwise, as in Core
  /// Data; an optional one may be empty whatever `minCount` says.
  public var isOptional: Bool
  /// Whether it lives in memory only.
  public var isTransient = false
  /// The least number of objects of a to-many.
  public var minCount: Int
  /// The greatest number of objects; 0 for no limit.
  public var maxCount: Int
  /// What happens on deletion.
  public var deleteRule: DeleteRule
  /// The old mark for an index.
  public var isIndexed = false
  /// What the relationship is matched by between model versions.
  public var renamingIdentifier: String?
  /// Makes a version differ that is otherwise equal.
  public var versionHashModifier: String?
  /// The program's own notes.
  public var userInfo: [String: String] = [:]
  /// Other XML attributes of the model file, preserved for writing it again.
  public var extras: [String: String] = [:]

  /// Declares a to-one relationship.
  public init(
    _ name: String, to entity: String, inverse: String? = nil, optional: Bool = true,
    deleteRule: DeleteRule = .nullify
  ) {
    self.name = name
    destinationEntityName = entity
    inverseName = inverse
    isToMany = false
    isOrdered = false
    isOptional = optional
    minCount = 0
    maxCount = 1
    self.deleteRule = deleteRule
  }

  /// Declares a to-many relationship.
  public init(
    _ name: String, toMany entity: String, inverse: String? = nil, ordered: Bool = false,
    optional: Bool = true,
    minCount: Int = 0, maxCount: Int = 0, deleteRule: DeleteRule = .nullify
  ) {
    self.name = name
    destinationEntityName = entity
    inverseName = inverse
    isToMany = true
    isOrdered = ordered
    isOptional = optional
    self.minCount = minCount
    self.maxCount = maxCount
    self.deleteRule = deleteRule
  }
}
