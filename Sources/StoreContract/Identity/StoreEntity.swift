public import Foundation
public import ObjectModel

/// One entity in one store: what all object IDs of that entity in that store share.
///
/// A store makes one per entity when it opens and always returns that instance, so an object ID is
/// one pointer and one integer.
public final class StoreEntity: Sendable {
  /// The entity.
  public let entity: EntityDescription
  /// The store's UUID; nil for temporary IDs, whose objects no store has yet.
  public let storeIdentifier: UUID?
  /// The entity's index, for look-ups that need nothing else of it.
  package let entityIndex: Int
  /// How the store itself names its objects, for a layer above that shows these names; nil where that is by
  /// number.
  package let names: StoreNames?

  /// Creates the value for an entity in a store.
  public convenience init(_ entity: EntityDescription, in storeIdentifier: UUID?) {
    self.init(entity, in: storeIdentifier, names: nil)
  }

  package init(_ entity: EntityDescription, in storeIdentifier: UUID?, names: StoreNames?) {
    self.entity = entity
    self.storeIdentifier = storeIdentifier
    self.names = names
    entityIndex = entity.index
  }

  /// Creates one value for each entity of a model, at the entity's index.
  public static func all(of model: ManagedObjectModel, in storeIdentifier: UUID?) -> [StoreEntity] {
    model.entities.map { StoreEntity($0, in: storeIdentifier) }
  }
}
