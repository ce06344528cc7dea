public import ObjectModel

/// What a save does where the store, or another object, stands against it.
public struct MergePolicy: Sendable, CustomStringConvertible {
  /// The policy's name.
  public let description: String
  let resolve: @Sendable (MergeConflict) throws -> MergeResolution

  /// A policy of a program's own.
  ///
  /// - Parameters:
  ///   - name: For descriptions and messages.
  ///   - resolve: Decides each conflict; what it throws, the save throws.
  /// - Returns: A policy for `ManagedObjectContext.mergePolicy`.
  public static func custom(
    _ name: String, _ resolve: @escaping @Sendable (MergeConflict) throws -> MergeResolution
  ) -> MergePolicy { MergePolicy(description: name, resolve: resolve) }

  private init(description: String, resolve: @escaping @Sendable (MergeConflict) throws -> MergeResolution) {
    self.description = description
    self.resolve = resolve
  }

  private init(_ name: String, _ resolution: MergeResolution) {
    self.init(description: name) { _ in resolution }
  }

  /// Saves nothing and throws.
  public static let error = MergePolicy("error", .refuse)
  /// Property by property; where both changed one, the store's stays.
  public static let mergeByPropertyStoreTrump = MergePolicy(
    "mergeByPropertyStoreTrump", .mergeByPropertyStoreTrump)
  /// Property by property; where both changed one, the object's is saved.
  public static let mergeByPropertyObjectTrump = MergePolicy(
    "mergeByPropertyObjectTrump", .mergeByPropertyObjectTrump)
  /// The whole object is saved as it is in the context.
  public static let overwrite = MergePolicy("overwrite", .overwrite)
  /// The object is as it is in the store; its changes are dropped.
  public static let rollback = MergePolicy("rollback", .rollback)
}

/// How one conflict ends.
///
/// Links of to-manys are a set to which both sides may add, so they are merged by every resolution
/// but `rollback`; the order of a to-many is one value, which goes with the object where the object
/// wins.
public enum MergeResolution: Sendable {
  /// The save throws, and saves nothing.
  case refuse
  /// Where both changed a property, the store's stays. An object deleted in the store is deleted here;
  /// one deleted here stays.
  case mergeByPropertyStoreTrump
  /// Where both changed a property, the object's is saved. An object that was deleted in the store
  /// is stored again under its ID; an object that the context deleted is deleted.
  case mergeByPropertyObjectTrump
  /// All of the object is saved.
  case overwrite
  /// The object's changes are dropped.
  case rollback
  /// The store's row with these values, attributes and to-ones (as `.reference`) by name.
  case values([String: AttributeValue])
}
