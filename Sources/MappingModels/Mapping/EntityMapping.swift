public import AppleModel
public import Foundation

/// How the objects of one entity become objects of an entity of another version of the model.
///
/// As `NSEntityMapping`, except that it is a value: a policy gets it `inout`, and what it changes
/// holds for the objects that follow.
public struct EntityMapping: Sendable, Hashable {
  /// What is done with the objects; the numbers are those of Core Data.
  public enum MappingType: Int, Sendable, Hashable, CaseIterable {
    /// Not known yet: mapping models of Xcode do not say it.
    case undefined
    /// A policy makes the objects.
    case custom
    /// The entity is new; only a policy makes objects of it.
    case add
    /// The entity is dropped.
    case remove
    /// Attributes come along under their names.
    case copy
    /// Attributes are renamed, computed or left out.
    case transform
  }

  /// The name, by which other mappings refer to the objects that are made: as a rule, `BookToBook`,
  /// and `Book` for an entity that is new.
  public var name: String
  /// What is done with the objects.
  public var mappingType = MappingType.undefined
  /// The entity of the old version; nil for one that is new.
  public var sourceEntityName: String?
  /// The entity of the new version; nil for one that is dropped.
  public var destinationEntityName: String?
  /// What the attributes get, by name.
  public var attributeMappings: [PropertyMapping] = []
  /// What the relationships get, by name.
  public var relationshipMappings: [PropertyMapping] = []
  /// The source objects, as a fetch expression; nil for all of the source entity that
  /// `sourceFilter` leaves, without those of its subentities.
  public var sourceExpression: ArchivedExpression?
  /// The condition that source objects must meet, as predicate format text; nil for all.
  public var sourceFilter: String?
  /// The name of the class that does the work; nil for `EntityMigrationPolicy` itself.
  public var entityMigrationPolicyClassName: String?
  /// The program's own entries.
  public var userInfo: [String: String] = [:]
  /// Core Data's version hash of the source entity, where the mapping model was compiled.
  public var sourceEntityVersionHash: Data?
  /// Core Data's version hash of the destination entity, where the mapping model was compiled.
  public var destinationEntityVersionHash: Data?

  /// Makes a mapping without properties; without a name it gets the usual one.
  public init(from source: String?, to destination: String?, name: String? = nil) {
    sourceEntityName = source
    destinationEntityName = destination
    self.name = name ?? Self.usualName(from: source, to: destination)
  }

  static func usualName(from source: String?, to destination: String?) -> String {
    guard let source else { return destination ?? "Mapping" }
    return destination.map { "\(source)To\($0)" } ?? source
  }

  /// The mapping of an attribute; nil when there is none.
  ///
  /// Setting it replaces the mapping of that name, or adds one.
  public subscript(attribute name: String) -> PropertyMapping? {
    get { attributeMappings.first { $0.name == name } }
    set { Self.replace(name, by: newValue, in: &attributeMappings) }
  }

  /// The mapping of a relationship; nil when there is none.
  ///
  /// Setting it replaces the mapping of that name, or adds one.
  public subscript(relationship name: String) -> PropertyMapping? {
    get { relationshipMappings.first { $0.name == name } }
    set { Self.replace(name, by: newValue, in: &relationshipMappings) }
  }

  private static func replace(
    _ name: String, by mapping: PropertyMapping?, in mappings: inout [PropertyMapping]
  ) {
    guard let position = mappings.firstIndex(where: { $0.name == name }) else {
      if let mapping { mappings.append(mapping) }
      return
    }
    if let mapping { mappings[position] = mapping } else { mappings.remove(at: position) }
  }
}
