public import Foundation

/// How the objects of a store become those of another version of its model.
///
/// As `NSMappingModel`: read from an `.xcmappingmodel` or `.cdm`, inferred from two models, or made
/// in code. Set it as the `mappingModel` of a store's description, or of a stage.
public struct MappingModel: Sendable, Hashable {
  /// The mappings, in the order in which their objects are made.
  public var entityMappings: [EntityMapping]
  /// Where the old version of the model was when Xcode wrote the file; the last component is its
  /// name.
  public var sourceModelPath: String?
  /// Where the new version of the model was when Xcode wrote the file.
  public var destinationModelPath: String?
  /// The old version in the editor's own form, which is only written back.
  public var sourceModelData: Data?
  /// The new version in the editor's own form, which is only written back.
  public var destinationModelData: Data?

  /// Makes a mapping model.
  public init(_ entityMappings: [EntityMapping] = []) { self.entityMappings = entityMappings }

  /// The mappings by name; of several with one name, the first.
  public var entityMappingsByName: [String: EntityMapping] {
    Dictionary(entityMappings.map { ($0.name, $0) }) { first, _ in first }
  }

  /// The names of the policy classes that the mappings want, sorted, each once.
  public var policyClassNames: [String] {
    Set(entityMappings.compactMap(\.entityMigrationPolicyClassName)).sorted()
  }
}
