import ObjectContext

/// The relationships of a row that is saved, for the snapshot that is made of it.
final class SavedRelationships {
  /// By the index of the property.
  let identifiers: [Int: [PersistentIdentifier]]
  private let object: (_ property: Int, _ place: Int) -> ModelObject

  /// - Parameters:
  ///   - identifiers: The destinations, by the index of the relationship.
  ///   - object: Makes an object that shows one of the destinations, by its place among them.
  init(
    _ identifiers: [Int: [PersistentIdentifier]],
    object: @escaping (_ property: Int, _ place: Int) -> ModelObject
  ) {
    self.identifiers = identifiers
    self.object = object
  }

  func models<Destination: PersistentModel>(
    _ property: PropertySchema, _ type: Destination.Type
  ) -> [Destination] {
    let index = property.index.index
    return (identifiers[index] ?? []).indices.map { object(index, $0).materialize(type) }
  }
}
