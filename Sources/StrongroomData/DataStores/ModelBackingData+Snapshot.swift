extension ModelBackingData {
  /// What a snapshot has for a property.
  func snapshotValue(_ property: PropertySchema) -> DefaultSnapshot.PropertyValue {
    guard case .relationship(let destination, let isToMany, _) = property.kind else {
      return .attribute(object.value(property.index))
    }
    let identifiers = saved?.identifiers[property.index.index] ?? identifiers(property, destination, isToMany)
    return isToMany ? .toMany(identifiers) : .toOne(identifiers.first)
  }

  private func identifiers<Destination: PersistentModel>(
    _ property: PropertySchema, _ destination: Destination.Type, _ isToMany: Bool
  ) -> [PersistentIdentifier] {
    if isToMany { return object.destinations(property.index, destination).map(\.persistentModelID) }
    return object.destination(property.index, destination).map { [$0.persistentModelID] } ?? []
  }
}
