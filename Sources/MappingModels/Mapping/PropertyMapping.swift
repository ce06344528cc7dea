public import AppleModel

/// What one attribute or relationship of a new object gets.
///
/// As `NSPropertyMapping`.
public struct PropertyMapping: Sendable, Hashable {
  /// The property of the destination entity.
  public var name: String
  /// The value; nil for none, so that an attribute keeps its default.
  ///
  /// It may name `$source` and `$destination`, the objects, and call functions of `$manager` and
  /// `$entityPolicy`.
  public var valueExpression: ArchivedExpression?
  /// Whether a missing value is generated when the models are known: the source's property of the
  /// same name, if it has one.
  ///
  /// Mapping models of Xcode leave out what can be generated; compiled ones have every expression.
  public var generatesExpression = false
  /// For a generated relationship, the source objects in place of those of the same name:
  /// `$source.country.continent`.
  public var sourceKeyPath: String?
  /// For a generated relationship, the entity mapping that makes its objects of the source objects.
  public var sourceMappingName: String?
  /// The program's own entries.
  public var userInfo: [String: String] = [:]

  /// Makes a mapping with a value, or without one.
  public init(_ name: String, _ valueExpression: ArchivedExpression? = nil) {
    self.name = name
    self.valueExpression = valueExpression
  }

  /// Makes a mapping whose value is generated.
  public static func generated(
    _ name: String, sourceKeyPath: String? = nil, sourceMappingName: String? = nil
  ) -> PropertyMapping {
    var mapping = PropertyMapping(name)
    mapping.generatesExpression = true
    mapping.sourceKeyPath = sourceKeyPath
    mapping.sourceMappingName = sourceMappingName
    return mapping
  }
}

extension ArchivedExpression {
  /// A key path of the source object: `$source.title`.
  public static func source(_ keyPath: String) -> ArchivedExpression {
    .keyPath(.variable("source"), keyPath)
  }

  /// The objects that an entity mapping made of source objects.
  public static func destinationInstances(
    forEntityMappingName name: String, sourceInstances: ArchivedExpression
  ) -> ArchivedExpression {
    .function(.variable("manager"), MappingSelector.byMapping, [.constant(.string(name)), sourceInstances])
  }

  /// The objects that any entity mapping made of the objects of a relationship of the source.
  public static func destinationInstances(
    forSourceRelationshipName name: String, sourceInstances: ArchivedExpression
  ) -> ArchivedExpression {
    .function(
      .variable("manager"), MappingSelector.byRelationship, [.constant(.string(name)), sourceInstances])
  }

  /// The source objects of an entity that meet a condition, as an entity mapping has them.
  static func sourceInstances(ofEntity name: String, where format: String) -> ArchivedExpression {
    .fetchRequest(
      .function(
        .variable("manager"), MappingSelector.sourceRequest,
        [.constant(.string(name)), .constant(.string(format))]),
      .keyPath(.variable("manager"), "sourceContext"), false)
  }
}

/// The functions of `$manager`, as Core Data archives their names.
enum MappingSelector {
  static let byMapping = "destinationInstancesForEntityMappingNamed:sourceInstances:"
  static let byRelationship = "destinationInstancesForSourceRelationshipNamed:sourceInstances:"
  static let sourceRequest = "fetchRequestForSourceEntityNamed:predicateString:"
}
