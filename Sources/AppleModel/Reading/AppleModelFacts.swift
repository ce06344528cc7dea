public import Foundation

/// What an archived model says beside the model: how Apple's frameworks store its objects.
public struct AppleModelFacts: Sendable, Hashable {
  /// Facts of one attribute, or of one element of a composite.
  public struct Attribute: Sendable, Hashable {
    /// The class of its values, such as `NSNumber` or `Array<String>`.
    public var valueClassName: String?
    /// For a composite, its elements in the order of the archive, which numbers their columns.
    public var elementNames: [String] = []
    /// For a composite that SwiftData made of an enumeration, the cases without a payload.
    public var enumerationCases: [String] = []
  }

  /// The entities in the order of the archive.
  public internal(set) var entityNames: [String] = []
  /// The attributes of each entity, inherited ones left out, by name; elements of composites by
  /// their path, such as `schedule.startDate`.
  public internal(set) var attributes: [String: [String: Attribute]] = [:]
  /// Core Data's version hashes by entity, where the bundle of the model has them.
  public internal(set) var versionHashes: [String: Data] = [:]
  /// Core Data's checksum of the version, where the bundle of the model has it.
  public internal(set) var versionChecksum: String?
  /// Whether SwiftData made the model of classes.
  public internal(set) var isSwiftData = false
}
