public import ObjectModel
public import ObjectQuery
import StoreContract

extension ManagedObject: QueryObject {
  /// The object's entity.
  public final var queryEntity: EntityDescription { entity }
  /// The object's reference number.
  public final var queryReference: Int64 { reference }
  /// An attribute's present value.
  ///
  /// One statement for the batch when the object is a fault.
  /// - Throws: `objectNotFound`.
  public final func queryValue(of attribute: AttributeDescription) throws -> AttributeValue {
    try slotValue(.attribute(attribute))
  }
  /// A to-one's present destination.
  ///
  /// One statement for the batch when the object is a fault.
  /// - Throws: `objectNotFound`.
  public final func queryDestination(of toOne: RelationshipDescription) throws -> (any QueryObject)? {
    try destination(toOne)
  }
  /// A to-many's present destinations.
  ///
  /// The first read issues one statement for the batch.
  /// - Throws: `objectNotFound`.
  public final func queryDestinations(of toMany: RelationshipDescription) throws -> [any QueryObject] {
    // A condition of conditions may take hours for one object.
    try FetchProgress.current?.checkCancellation()
    return try destinations(toMany).map { $0 }
  }
}
