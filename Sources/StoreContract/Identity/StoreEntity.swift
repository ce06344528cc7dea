public import Foundation
public import ObjectModel

/// One entity in one store: what all object IDs of that entity in that store have in common.
///
/// A store makes one per entity when it opens and hands the same instance out ever after, so an object ID is one
/// pointer and one integer.
public final class StoreEntity: Sendable {
  /// The entity.
  public let entity: EntityDescription
  /// The store's UUID; nil for the temporary IDs of objects that no store holds yet.
  public let storeIdentifier: UUID?

  /// Names an entity in a store.
  public init(_ entity: EntityDescription, in storeIdentifier: UUID?) {
    self.entity = entity
    self.storeIdentifier = storeIdentifier
  }

  /// Makes one for each entity of a model, at the index of the entity.
  public static func all(of model: ManagedObjectModel, in storeIdentifier: UUID?) -> [StoreEntity] {
    model.entities.map { StoreEntity($0, in: storeIdentifier) }
  }
}
