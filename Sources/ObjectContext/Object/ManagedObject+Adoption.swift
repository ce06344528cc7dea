package import ObjectModel
import StoreContract

/// What a layer above needs that shows objects as something else.
extension ManagedObject {
  /// Whether no context has had the object yet.
  package final var isDetached: Bool { graph == nil && state == [.inserted] }

  /// Whether a context may adopt it: it is detached, or was new when it was deleted or rolled back.
  package final var isAdoptable: Bool {
    graph == nil && unmanagedNode == nil
      && (state == [.inserted] || state == [.deletedInStore])
  }

  /// Whether its row is no longer there, or never was.
  package final var isDeletedInStore: Bool { state.contains(.deletedInStore) }

  /// Lets the object retain its context from now on, since it is used by a layer whose setters
  /// cannot throw.
  package final func retainContext() { needsContext = true }

  /// The type as which the layer above presents the object.
  package final var presentedType: Any.Type? {
    guard let graph, storeEntity.entityIndex < graph.presentedTypes.count else { return nil }
    return graph.presentedTypes[storeEntity.entityIndex]
  }

  /// Stops the program where the object is used after its context was deallocated, or is written
  /// though it can never be saved.
  package final func checkContext(writing: Bool = false) {
    guard needsContext, !isDeletedInStore, !isDetached else { return }
    if let graph, !writing || graph.host != nil { return }
    fatalError(
      "a \(entity.name) is \(writing ? "written" : "read") after its context was deallocated, so that"
        + " nothing of it can be saved: retain"
        + " the context as long as its models, or get the model from another one by its identifier")
  }

  /// Detaches an object from a context that is deallocated.
  ///
  /// It has its stored row, or, as a new object, its values.
  final func losesContext() {
    leaveGraph()
    guard needsContext else { return }
    if isDetached { clearRelationships() } else { dirty = 0 }
  }

  /// The destinations of a to-many, without making an array of objects; nil when they cannot be
  /// read.
  package final func related(_ property: PropertyIndex) -> RelatedObjects? {
    guard case .relationship(let relationship) = entity.properties[property.index], let graph
    else { return nil }
    do { return try destinations(relationship) } catch {
      graph.recordFaultFailure(error)
      return nil
    }
  }

  /// Sets the destinations of a to-many to objects of this context, and updates the inverses.
  ///
  /// Where objects are only appended, the present destinations are not compared.
  package final func replaceRelated(_ property: PropertyIndex, by wanted: [ManagedObject]) {
    guard let present = related(property), let graph,
      case .relationship(let relationship) = entity.properties[property.index]
    else { return }
    do {
      // What others deleted is in no list.
      let wanted = wanted.filter { !$0.isDeletedInStore }
      let old = present.references
      if wanted.count >= old.count, zip(old, wanted).allSatisfy({ $0 == $1.reference }) {
        for destination in wanted[old.count...] {
          try check(destination, relationship)
          try graph.relationships.link(self, relationship, destination)
        }
      } else {
        try setObjects(wanted, forKey: relationship.name)
      }
    } catch {
      graph.recordFaultFailure(error)
    }
  }

  /// Takes over the values that another detached object has in the property indexes of its entity,
  /// which come first in this one's.
  package final func takeOver(_ other: ManagedObject) {
    guard let changes = other.changes else { return }
    for index in 0..<other.entity.propertyCount {
      if let value = changes.value(index) { setSlot(index, value) }
    }
  }

  /// Forgets the destinations that its relationships had in its former context.
  package final func clearRelationships() {
    guard let changes else { return }
    for relationship in entity.relationships where !relationship.isToMany {
      changes.set(relationship.index, .null, propertyCount: entity.propertyCount, isWatched: false)
    }
    changes.adopt([])
  }
}
