import Foundation
import Glibc
import ObjectModel
import StoreContract

/// The request of one save, with the object that each of its updates belongs to.
struct SavePlan {
  private(set) var request = SaveChangesRequest()
  private(set) var updates: [(ManagedObject, IncrementalStoreNode)] = []
  /// Whether one of the new objects was stored before, and deleted.
  private(set) var storesAgain = false
  private var links = LinkCompletion()
  private var required: [(root: EntityDescription, references: Set<Int64>)] = []
  private var relationshipChangeIndexes: [ObjectIdentifier: Int] = [:]
  private let builder = NodeBuilder()

  private let plans: EntityPlans
  private let registry: ObjectRegistry?

  init(
    _ plans: EntityPlans, inserted: [ManagedObject], updated: [ManagedObject], deleted: [ManagedObject],
    locked: [ManagedObject] = []
  ) throws {
    self.plans = plans
    registry = (inserted.first ?? updated.first)?.graph?.registry
    request.inserted.reserveCapacity(inserted.count)
    for object in inserted {
      request.inserted.append(try insertion(object))
      try addRelationshipChanges(of: object)
    }
    for object in updated { try add(updated: object) }
    request.deleted = try deleted.map {
      LockedObject(objectID: $0.objectID, version: try $0.committedRow().version)
    }
    try add(locked: locked)
    for (root, references) in required {
      guard let graph = (inserted.first ?? updated.first)?.graph else { continue }
      let storeEntity = graph.storeEntities[root.index]
      request.existing += references.map { ManagedObjectID(storeEntity, reference: $0) }
    }
    links.complete(&request.relationshipChanges)
    request.relationshipChanges.sort {
      ($0.relationship.entity.name, $0.relationship.name) < (
        $1.relationship.entity.name, $1.relationship.name
      )
    }
  }

  private mutating func add(locked: [ManagedObject]) throws {
    if locked.isEmpty { return }
    let written = Set(updates.map { ObjectIdentifier($0.0) })
    for object in locked where !object.isDeleted && !written.contains(ObjectIdentifier(object)) {
      request.locked.append(
        LockedObject(objectID: object.objectID, version: try object.committedRow().version))
    }
  }

  private mutating func insertion(_ object: ManagedObject) throws -> IncrementalStoreNode {
    let plan = plans[object.entity]
    builder.begin(fieldCount: plan.fields.count)
    if let values = object.changes?.values {
      for field in plan.fields.indices { try set(field, plan, values[plan.fields[field].index], of: object) }
      for toOne in plan.listedToOnes {
        links.add(toOne, of: object.reference, from: nil, to: values[toOne.index].referenceNumber)
      }
    }
    let old = object.node?.version ?? 0
    if old != 0 { storesAgain = true }
    return builder.finish(
      object.storeEntity, reference: object.reference, version: old == 0 ? 1 : Self.version(after: old))
  }

  /// The version of a row that is stored again under its old reference number.
  ///
  /// Other contexts may have the old row with any version that it reached, so the next version
  /// could equal theirs. The version is therefore the time in microseconds, which no row reaches by
  /// one save at a time, and which is higher for the later of two insertions. It exceeds the old
  /// version by at least 1,000,000.
  private static func version(after old: Int64) -> Int64 {
    max(old + 1_000_000, Int64(Date().timeIntervalSinceReferenceDate * 1_000_000))
  }

  @inline(__always)
  private mutating func set(
    _ field: Int, _ plan: EntityPlan, _ value: AttributeValue, of object: ManagedObject
  ) throws {
    if case .reference(let reference) = value {
      builder.set(field, integer: reference)
      if let destination = plan.destinations[field] { require(reference, destination, object) }
    } else {
      try builder.set(field, value, type: plan.fields[field].type) { plan.attributes[field] }
    }
  }

  /// Adds an updated object's row if a field differs from the stored row or an order changed.
  private mutating func add(updated object: ManagedObject) throws {
    let linked = try addRelationshipChanges(of: object)
    guard let changes = object.changes, !changes.changed.isEmpty || linked else { return }
    let row = try object.row()
    // Another one where a batch changed the row: a value that equals the new row's alone is a conflict too.
    let committed = try object.committedRow()
    let isRebased = committed.version != row.version
    let plan = plans[object.entity]
    var changed = PropertyIndexSet()
    builder.begin(fieldCount: plan.fields.count)
    for field in plan.fields.indices {
      let step = plan.fields[field]
      if !step.isDerived, let value = changes.value(step.index) {
        try set(field, plan, value, of: object)
        changed.insert(field)
      } else {
        builder.copy(field, from: row, isBytes: step.isBytes)
      }
    }
    let node = builder.finish(object.storeEntity, reference: object.reference, version: committed.version + 1)
    for field in changed.elements
    where node.isSame(field, as: row, isBytes: plan.fields[field].isBytes)
      && (!isRebased || node.isSame(field, as: committed, isBytes: plan.fields[field].isBytes))
    {
      changed.remove(field)
    }
    if changed.isEmpty, !linked {
      // The save changes another row because this row is assumed to have its value already.
      if plan.oneToOnes.contains(where: changes.changed.contains) {
        request.locked.append(LockedObject(objectID: object.objectID, version: committed.version))
      }
      return
    }
    for toOne in plan.listedToOnes where changed.contains(toOne.field) {
      links.add(
        toOne, of: object.reference, from: row.reference(toOne.field), to: node.reference(toOne.field))
    }
    request.updated.append(UpdatedObject(node: node, changedFields: changed))
    updates.append((object, node))
  }

  /// Objects inserted by this save exist; every other destination is verified.
  private mutating func require(_ reference: Int64, _ destination: EntityDescription, _ object: ManagedObject)
  {
    if reference == object.reference, object.entity.root === destination.root, object.isInserted { return }
    if let known = registry?.object(destination, reference), known.isInserted { return }
    let root = destination.root
    let place = required.firstIndex { $0.root === root } ?? required.count
    if place == required.count { required.append((root, [])) }
    required[place].references.insert(reference)
  }

  /// Adds an object's changed join table rows; returns whether its row's version must increase.
  ///
  /// A to-many is a set, to which other contexts may add at the same time; an order is one value.
  @discardableResult
  private mutating func addRelationshipChanges(of object: ManagedObject) throws -> Bool {
    guard let states = object.changes?.toManys else { return false }
    var isReordered = false
    for state in states where state.hasChanges && state.relationship.hasJoinTable {
      if state.isReordered {
        isReordered = true
        if !state.isLoaded { try object.liveGraph().faulting.load(state, of: object) }
      }
      let index = index(of: state.relationship.joinTableOwner)
      require(object.reference, object.entity, object)
      if state.relationship === state.relationship.joinTableOwner {
        addJoinTableRows(of: object, state, at: index)
      } else if state.relationship.isOrdered, state.isReordered || state.added.count > 1 {
        // The inverses write the rows, one after another.
        if !state.isLoaded { try object.liveGraph().faulting.load(state, of: object) }
        request.relationshipChanges[index].inverseOrders.append(
          (object.reference, Array(state.current ?? [])))
      }
    }
    return isReordered
  }

  private mutating func addJoinTableRows(of object: ManagedObject, _ state: ToManyState, at index: Int) {
    let source = object.reference
    for destination in state.added {
      request.relationshipChanges[index].added.append(.init(source: source, destination: destination))
      require(destination, state.relationship.destination, object)
    }
    for destination in state.removed {
      request.relationshipChanges[index].removed.append(.init(source: source, destination: destination))
    }
    if state.isReordered, let current = state.current {
      request.relationshipChanges[index].orders.append((source, Array(current)))
    }
  }

  private mutating func index(of owner: RelationshipDescription) -> Int {
    if let known = relationshipChangeIndexes[ObjectIdentifier(owner)] { return known }
    relationshipChangeIndexes[ObjectIdentifier(owner)] = request.relationshipChanges.count
    request.relationshipChanges.append(RelationshipChanges(relationship: owner))
    return request.relationshipChanges.count - 1
  }
}

extension AttributeValue {
  /// The reference number that the value is; nil for no reference.
  fileprivate var referenceNumber: Int64? {
    if case .reference(let reference) = self { reference } else { nil }
  }
}

extension IncrementalStoreNode {
  /// Whether a field equals another node's field, bit for bit.
  func isSame(_ field: Int, as other: IncrementalStoreNode, isBytes: Bool) -> Bool {
    if isNull(field) || other.isNull(field) { return isNull(field) == other.isNull(field) }
    if !isBytes { return integer(field) == other.integer(field) }
    if other.isUnread(field) { return isUnread(field) }
    return withBytes(field) { own in
      other.withBytes(field) { bytes in
        guard own.count == bytes.count else { return false }
        guard let start = own.baseAddress, let other = bytes.baseAddress else { return true }
        return memcmp(start, other, own.count) == 0
      }
    }
  }
}
