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

  /// Stops the program where the object is used though its context was deallocated, or written though
  /// nobody can save it.
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
    graph = nil
    keeper = nil
    guard needsContext else { return }
    if isDetached { clearRelationships() } else { dirty = 0 }
  }

  /// What a to-many leads to, with no list of objects made; nil when it cannot be read.
  package final func related(_ property: PropertyIndex) -> RelatedObjects? {
    guard case .relationship(let relationship) = entity.properties[property.index], let graph
    else { return nil }
    do { return try destinations(relationship) } catch {
      graph.recordFaultFailure(error)
      return nil
    }
  }

  /// Makes a to-many lead to objects of this context, and keeps the inverses in step.
  ///
  /// Where only some come behind those it has, the others are not looked at.
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

  /// Forgets what its relationships led to in the context it was in.
  package final func clearRelationships() {
    guard let changes else { return }
    for relationship in entity.relationships where !relationship.isToMany {
      changes.set(relationship.index, .null, propertyCount: entity.propertyCount, isWatched: false)
    }
    changes.adopt([])
  }
}
