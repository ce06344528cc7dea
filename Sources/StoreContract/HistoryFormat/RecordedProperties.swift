package import ObjectModel

/// The properties of a model whose values the history records.
package struct RecordedProperties: Sendable {
  /// By the entity's index, the indexes of the properties; nil for none.
  private let byEntity: [PropertyIndexSet?]
  /// Whether there are none.
  package let isEmpty: Bool

  package init(_ model: ManagedObjectModel) {
    byEntity = model.entities.map { entity in
      var indexes = PropertyIndexSet()
      for property in entity.propertiesWithHistoryValues { indexes.insert(property.index) }
      return indexes.isEmpty ? nil : indexes
    }
    isEmpty = byEntity.allSatisfy { $0 == nil }
  }

  /// Those of an entity; nil for none.
  package subscript(entity: EntityDescription) -> PropertyIndexSet? { byEntity[entity.index] }

  /// The values of an object that are recorded, of some fields or of all; nil where the model asks for none
  /// of them.
  package func values(of node: IncrementalStoreNode, fields: PropertyIndexSet? = nil) -> HistoryValues.Values?
  {
    guard let wanted = self[node.entity] else { return nil }
    var values: HistoryValues.Values = [:]
    for (field, stored) in node.entity.storedFields.enumerated()
    where wanted.contains(stored.propertyIndex) && fields?.contains(field) != false {
      values[stored.propertyIndex] = HistoryValues.Recorded(field, stored, of: node)
    }
    return values
  }

  /// Whether some of the fields that a save changes are recorded.
  package func isConcerned(_ change: UpdatedObject) -> Bool {
    guard let wanted = self[change.node.entity] else { return false }
    let fields = change.node.entity.storedFields
    return change.changedFields.elements.contains { wanted.contains(fields[$0].propertyIndex) }
  }

  /// Whether an entity or one of its subentities has some.
  package func isConcerned(_ entity: EntityDescription) -> Bool {
    !isEmpty && entity.hierarchy.contains { byEntity[$0.index] != nil }
  }
}
