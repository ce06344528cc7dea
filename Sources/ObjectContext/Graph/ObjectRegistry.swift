import Foundation
import ObjectModel
import StoreContract

/// The live objects of one context, by entity and reference number; it retains none of them.
///
/// There is one identity map for each root entity. Each object is reported to a store that
/// observes registrations.
final class ObjectRegistry {
  /// The identity map of one root entity.
  final class Box { @exclusivity(unchecked) var map = IdentityMap() }

  /// By the entity's index; subentities share the box of their root.
  @exclusivity(unchecked) private let boxes: [Box]
  private let coordinator: PersistentStoreCoordinator
  /// Whether a store observes registrations.
  private let hasRegistrar: Bool

  init(_ coordinator: PersistentStoreCoordinator) {
    self.coordinator = coordinator
    hasRegistrar = coordinator.persistentStores.contains { $0.observesRegistrations }
    var byRoot: [Int: Box] = [:]
    boxes = coordinator.managedObjectModel.entities.map { entity in
      if let box = byRoot[entity.root.index] { return box }
      let box = Box()
      byRoot[entity.root.index] = box
      return box
    }
  }

  /// The registered object of a reference number.
  @inline(__always)
  func object(_ entity: EntityDescription, _ reference: Int64) -> ManagedObject? {
    boxes[entity.index].map.object(reference)
  }

  /// The identity map of an entity's hierarchy, for loops over many references.
  func box(of entity: EntityDescription) -> Box { boxes[entity.index] }

  /// Registers an object of the context it lives in.
  func insert(_ object: ManagedObject) {
    boxes[object.storeEntity.entityIndex].map.insert(object)
    if object.needsContext { object.holdContext() }
    if hasRegistrar, object.reference > 0 {
      registrar(object.entity)?.managedObjectContextDidRegisterObjects(with: [object.objectID])
    }
  }

  /// Does nothing for an object whose successor of the same ID is registered already.
  func remove(_ object: ManagedObject) {
    let box = boxes[object.storeEntity.entityIndex]
    guard box.map.object(object.reference) === object else { return }
    box.map.remove(object.reference)
    if hasRegistrar, object.reference > 0 {
      registrar(object.entity)?.managedObjectContextDidUnregisterObjects(with: [object.objectID])
    }
  }

  /// Gives an object another ID.
  func rename(_ object: ManagedObject, _ id: ManagedObjectID) {
    remove(object)
    object.reference = id.reference
    object.storeEntity = id.storeEntity
    insert(object)
  }

  /// Gives registered objects other IDs.
  func rename(_ objects: [ManagedObject], _ ids: [ManagedObjectID]) {
    // One by one, each is removed and inserted, which reads several other objects.
    if hasRegistrar || objects.count < 16 || objects.count < count / 4 {
      for (object, id) in zip(objects, ids) { rename(object, id) }
      return
    }
    for place in objects.indices {
      objects[place].reference = ids[place].reference
      objects[place].storeEntity = ids[place].storeEntity
    }
    for box in distinctBoxes { box.map.rehash() }
  }

  /// Unregisters every object, which loses its graph.
  func removeAll() {
    for box in distinctBoxes {
      var ids: [ManagedObjectID] = []
      box.map.forEach {
        if hasRegistrar, $0.reference > 0 { ids.append($0.objectID) }
        $0.losesContext()
      }
      if let first = ids.first {
        registrar(first.entity)?.managedObjectContextDidUnregisterObjects(with: ids)
      }
      box.map = IdentityMap()
    }
  }

  /// The number of registered objects.
  var count: Int { distinctBoxes.reduce(0) { $0 + $1.map.count } }

  /// Every registered object, in no order, including objects that were deleted elsewhere.
  var objects: [ManagedObject] {
    var result: [ManagedObject] = []
    for box in distinctBoxes { box.map.forEach { result.append($0) } }
    return result
  }

  private var distinctBoxes: [Box] {
    var seen: Set<ObjectIdentifier> = []
    return boxes.filter { seen.insert(ObjectIdentifier($0)).inserted }
  }

  private func registrar(_ entity: EntityDescription) -> (any IncrementalStore)? {
    (try? coordinator.persistentStore(for: entity)).flatMap { $0.observesRegistrations ? $0 : nil }
  }

  /// In debug builds: each object is found under its reference number and lives in a graph.
  ///
  /// O(objects).
  func checkInvariants() {
    #if DEBUG
      for box in distinctBoxes {
        var count = 0
        box.map.forEach { object in
          count += 1
          assert(
            box.map.object(object.reference) === object, "\(object) is not found under its reference number")
          assert(boxes[object.entity.index] === box, "\(object) is registered with another hierarchy")
          assert(object.graph != nil, "\(object) is registered and has no context")
        }
        assert(count == box.map.count, "\(count) objects are registered, and \(box.map.count) counted")
      }
    #endif
  }
}
