public import Foundation

/// One reason why a store cannot be migrated to another version of its model.
public struct MigrationIssue: Codable, Sendable, Hashable, CustomStringConvertible {
  /// The kind of reason.
  public enum Kind: String, Codable, Sendable, CaseIterable {
    /// The new version has none of the store's entities.
    case unrelatedModel
    /// Several entities, or properties of one, have the same renaming identifier.
    case ambiguousIdentifier
    /// Entities of several hierarchies would share one.
    case mergedHierarchies
    /// An attribute has another type.
    case incompatibleType
    /// A to-many would become a to-one.
    case toManyToOne
    /// Several to-many relationships would become one.
    case mergedRelationships
    /// A relationship would become one-to-one whose references do not point back.
    case incompatibleInverse
    /// A relationship refers to objects of another hierarchy.
    case otherDestination
    /// The store was migrated from this version, and going back would lose data.
    case newerStore
    /// An entity becomes abstract and has objects.
    case abstractEntity
    /// Objects have no value for a required property without a default.
    case missingValue
    /// Numbers do not fit into the attribute's new type.
    case valueOutOfRange
    /// Objects share values that the new version wants to be unique.
    case duplicateValues
    /// An entity and its subentities have more stored properties than a table can have columns.
    case tooManyColumns
  }

  /// The kind of reason.
  public let kind: Kind
  /// The entity in the new version; nil for the model as a whole.
  public let entityName: String?
  /// The property in the new version; nil for an entity as a whole.
  public let propertyName: String?
  /// What is in the way, in words.
  ///
  /// Never holds a stored value.
  public let message: String
  /// The number of objects that are in the way; 0 where the models themselves are.
  public let objectCount: Int
  /// The first twenty of these objects, as URIs of their IDs in the store as it is.
  public let objectURIs: [URL]

  package init(
    _ kind: Kind, _ entityName: String?, _ propertyName: String?, _ message: String,
    objectCount: Int = 0, objectURIs: [URL] = []
  ) {
    self.kind = kind
    self.entityName = entityName
    self.propertyName = propertyName
    self.message = message
    self.objectCount = objectCount
    self.objectURIs = objectURIs
  }

  /// The message, and the number of objects where there are some.
  public var description: String {
    objectCount == 0 ? message : "\(message) (\(objectCount.counted("object")))"
  }
}
