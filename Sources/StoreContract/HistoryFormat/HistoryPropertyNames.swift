import ObjectModel

/// What the indexes of properties in a transaction mean to the present version of an entity.
struct HistoryPropertyNames {
  private let names: [String]
  private let written: [String]?
  private let entity: EntityDescription

  /// - Parameters:
  ///   - names: Those that the properties have, by the index that they had when the transaction was written.
  ///   - written: Those that they had then; nil where they are the same.
  ///   - entity: The entity.
  init(_ names: [String], writtenAs written: [String]?, _ entity: EntityDescription) {
    self.names = names
    self.written = written
    self.entity = entity
  }

  /// The property; nil for one that the model has no more.
  func property(_ index: Int) -> PropertyDescription? {
    names.indices.contains(index) ? entity.property(named: names[index]) : nil
  }

  /// Preserved values by the names that their attributes have now.
  func tombstone(_ preserved: [String: AttributeValue]) -> [String: AttributeValue] {
    guard let written else { return preserved }
    var values: [String: AttributeValue] = [:]
    for (name, value) in preserved {
      if let property = written.firstIndex(of: name).flatMap(property) { values[property.name] = value }
    }
    return values
  }

  /// Values by the names of their properties.
  func values(
    _ recorded: HistoryValues.Values, _ entities: [StoreEntity]
  ) -> [String: PersistentHistoryValue] {
    var values: [String: PersistentHistoryValue] = [:]
    for (index, value) in recorded {
      guard let property = property(index) else { continue }
      switch (value, property) {
      case (.attribute(let value), .attribute): values[property.name] = .attribute(value)
      case (.object(let reference), .relationship(let relationship)):
        values[property.name] = .object(reference.map { id($0, relationship, entities) })
      case (.objects(let references), .relationship(let relationship)):
        values[property.name] = .objects(references.map { id($0, relationship, entities) })
      default: continue
      }
    }
    return values
  }

  private func id(
    _ reference: Int64, _ relationship: RelationshipDescription, _ entities: [StoreEntity]
  ) -> ManagedObjectID {
    ManagedObjectID(entities[relationship.destination.index], reference: reference)
  }
}
