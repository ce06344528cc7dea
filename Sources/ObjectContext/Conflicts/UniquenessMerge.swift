import ObjectModel
import StoreContract

/// The merge of all new objects of a save that have the unique values of other objects.
///
/// Their relationships are cleared before the first object is merged, and set again after the last
/// one was. So no relationship is read from an object, or set on one, that is replaced afterwards,
/// and the order in which the objects were inserted does not matter.
final class UniquenessMerge {
  struct Item {
    let object: ManagedObject
    /// The object that has these unique values already.
    let holder: ManagedObject
    /// Whether the holder was not registered before: then the object replaces it.
    let isHolderFresh: Bool
    let resolution: MergeResolution
    /// The object's reference number before the merge.
    let reference: Int64
    fileprivate var takesPlace = false
    /// The attribute values to transfer; nil until they are known.
    fileprivate var values: [String: AttributeValue]?
    fileprivate var toOnes: [(relationship: RelationshipDescription, destination: ManagedObject)] = []
    fileprivate var toManys: [(relationship: RelationshipDescription, destinations: [ManagedObject])] = []

    init(
      _ object: ManagedObject, into holder: ManagedObject, _ isHolderFresh: Bool,
      _ resolution: MergeResolution
    ) {
      (self.object, self.holder) = (object, holder)
      (self.isHolderFresh, self.resolution) = (isHolderFresh, resolution)
      reference = object.reference
    }
  }

  private let graph: ObjectGraph
  /// The items in insertion order, so that the later of two values of one property stays.
  private var items: [Item]
  /// The index of an object's item.
  private var places: [ObjectIdentifier: Int] = [:]
  /// The object that replaces an object, and that may be replaced itself.
  private var replacements: [ObjectIdentifier: ManagedObject] = [:]
  private var orders: UniquenessMergeOrders
  private(set) var successors = MergedReferences()

  init(_ graph: ObjectGraph, _ items: [Item]) {
    self.graph = graph
    orders = UniquenessMergeOrders(graph)
    var insertions: [ObjectIdentifier: Int] = [:]
    for (place, object) in graph.tracker.inserted.enumerated() {
      insertions[ObjectIdentifier(object)] = place
    }
    func insertion(_ item: Item) -> Int { insertions[ObjectIdentifier(item.object)] ?? 0 }
    self.items = items.sorted { insertion($0) < insertion($1) }
    for (place, item) in self.items.enumerated() {
      places[ObjectIdentifier(item.object)] = place
      replacements[ObjectIdentifier(item.object)] = item.holder
    }
  }

  /// Whether every object's final replacement has the object's entity or a subentity of it.
  var isPossible: Bool { items.allSatisfy { last($0.object).entity.isKind(of: $0.object.entity) } }

  /// Merges the objects.
  ///
  /// This takes one or two statements for each to-many of a root entity's objects that has to be
  /// loaded.
  func run() throws {
    if items.isEmpty { return }
    // Undoing an earlier step would change an object that the step did not change.
    graph.undoRecorder?.removeRecordedSteps()
    graph.undoRecorder?.disableUndoRegistration()
    defer { graph.undoRecorder?.enableUndoRegistration() }
    try collect()
    try takeOff()
    try takePlaces()
    for item in items { successors.add(item.reference, of: item.object.entity, last(item.object).reference) }
    shareBatches()
    try orders.recordOwn { last($0) }
    for place in items.indices { try giveValues(place) }
    for item in items { try connectOthers(item) }
    for item in items { try connect(item) }
    for object in graph.tracker.inserted + graph.tracker.updated { successors.apply(to: object) }
    try orders.restore(successors) { last($0) }
    for item in items { finish(item) }
  }

  /// The object that finally replaces an object; the object itself if nothing replaces it.
  private func last(_ object: ManagedObject) -> ManagedObject {
    var object = object
    while let next = replacements[ObjectIdentifier(object)] { object = next }
    return object
  }

  private func isMerged(_ object: ManagedObject) -> Bool { places[ObjectIdentifier(object)] != nil }

  // MARK: Before

  private func collect() throws {
    for place in items.indices {
      let object = items[place].object
      for relationship in object.entity.relationships where !relationship.isTransient {
        if relationship.isToMany {
          let destinations = Array(try object.destinations(relationship))
          if destinations.isEmpty { continue }
          items[place].toManys.append((relationship, destinations))
          orders.recordMerged(object, relationship, destinations, isTrump: items[place].resolution.objectWins)
          for destination in destinations where !isMerged(destination) {
            try orders.record(destination, relationship.inverse)
          }
        } else if let destination = try object.destination(relationship) {
          items[place].toOnes.append((relationship, destination))
          if !isMerged(destination) { try orders.record(destination, relationship.inverse) }
        }
      }
    }
  }

  /// Clears the objects' relationships, from the last to the first.
  ///
  /// This order costs least for destinations that were added in insertion order.
  private func takeOff() throws {
    for item in items.reversed() {
      for (relationship, _) in item.toOnes {
        try graph.relationships.setToOne(item.object, relationship, nil)
      }
      for (relationship, destinations) in item.toManys {
        for destination in destinations.reversed() {
          try graph.relationships.unlink(item.object, relationship, destination)
        }
      }
    }
  }

  /// Turns new objects into the stored objects that were not registered.
  private func takePlaces() throws {
    for place in items.indices {
      let (object, holder) = (items[place].object, items[place].holder)
      guard items[place].isHolderFresh, !holder.hasChanges, holder.entity === object.entity,
        let row = holder.node
      else { continue }
      items[place].takesPlace = true
      items[place].values = try wanted(of: object, over: holder, items[place].resolution)
      replacements[ObjectIdentifier(object)] = nil
      replacements[ObjectIdentifier(holder)] = object
      become(object, row, holder)
    }
  }

  /// Turns a new object into a stored one; it retains its transient values.
  private func become(_ object: ManagedObject, _ row: IncrementalStoreNode, _ holder: ManagedObject) {
    let id = holder.objectID
    graph.forget(holder)
    graph.registry.rename(object, id)
    let old = object.changes
    object.state = []
    object.changes = nil
    object.node = row
    for index in graph.plans[object.entity].transientSlots.elements {
      if let value = old?.value(index) { object.setSlot(index, value) }
    }
  }

  /// Puts the remaining objects into common batches, so that they load relationships together.
  private func shareBatches() {
    var holders: [EntityDescription: [ManagedObject]] = [:]
    var seen: Set<ObjectIdentifier> = []
    for item in items {
      let holder = last(item.object)
      if holder.isInserted || holder.batch != nil || !seen.insert(ObjectIdentifier(holder)).inserted {
        continue
      }
      holders[holder.entity.root, default: []].append(holder)
    }
    for (root, own) in holders {
      let batch = FetchBatch(root, own.map(\.reference), generation: graph.tracker.generation)
      for holder in own { holder.batch = batch }
    }
  }

  // MARK: Values

  private func giveValues(_ place: Int) throws {
    let (item, holder) = (items[place], last(items[place].object))
    if case .values(let values) = item.resolution {
      return try graph.conflicts.set(renamed(values, holder), on: holder)
    }
    for (name, value) in try item.values ?? wanted(of: item.object, over: holder, item.resolution) {
      guard let attribute = holder.entity.attribute(named: name) else { continue }
      holder.setSlot(attribute.index, value)
      graph.tracker.recordUpdate(holder)
    }
  }

  /// Replaces references to merged objects in the values of a custom merge policy.
  private func renamed(_ values: [String: AttributeValue], _ holder: ManagedObject) -> [String:
    AttributeValue]
  {
    var result = values
    for (name, value) in values {
      guard case .reference(let old) = value, let relationship = holder.entity.relationship(named: name),
        let new = successors(old, of: relationship.destination)
      else { continue }
      result[name] = .reference(new)
    }
    return result
  }

  /// The attribute values of a new object that are transferred to the holder.
  ///
  /// A value left at its default never wins over a stored one.
  private func wanted(
    of object: ManagedObject, over holder: ManagedObject, _ resolution: MergeResolution
  ) throws -> [String: AttributeValue] {
    if case .rollback = resolution { return [:] }
    var result: [String: AttributeValue] = [:]
    for attribute in object.entity.attributes where !attribute.isTransient && attribute.derivation == nil {
      let value = try object.slotValue(.attribute(attribute))
      let present = try holder.slotValue(.attribute(attribute))
      if value == present { continue }
      let isDefault = value == attribute.defaultValue
      switch resolution {
      case .overwrite: result[attribute.name] = value
      case .mergeByPropertyObjectTrump: if !isDefault { result[attribute.name] = value }
      default: if !isDefault, present == attribute.defaultValue { result[attribute.name] = value }
      }
    }
    return result
  }

  // MARK: Links

  /// Restores one-to-ones and inverse to-ones with objects that are not merged.
  ///
  /// This precedes the relationships among merged objects, which may win over them.
  private func connectOthers(_ item: Item) throws {
    let holder = last(item.object)
    for (relationship, destination) in item.toOnes where relationship.inverse?.isToMany == false {
      if !isMerged(destination), try takes(item, relationship, destination) {
        try graph.relationships.setToOne(holder, relationship, destination)
      }
    }
    for (relationship, destinations) in item.toManys {
      guard let inverse = relationship.inverse, !inverse.isToMany else { continue }
      for destination in destinations where !isMerged(destination) {
        try graph.relationships.setToOne(destination, inverse, holder)
      }
    }
  }

  private func connect(_ item: Item) throws {
    let holder = last(item.object)
    for (relationship, destination) in item.toOnes
    where isMerged(destination) || relationship.inverse?.isToMany != false {
      if try takes(item, relationship, destination) {
        try graph.relationships.setToOne(holder, relationship, last(destination))
      }
    }
    // A to-many whose inverse is a to-one follows from the values of its destinations.
    for (relationship, destinations) in item.toManys
    where relationship.inverse?.isToMany != false && !item.resolution.isRollback {
      _ = try holder.destinations(relationship)
      let state = holder.toManyState(relationship)
      for destination in destinations.map(last) where state.lacks(destination.reference) {
        try graph.relationships.link(holder, relationship, destination)
      }
    }
  }

  /// Whether a to-one is transferred to the holder.
  ///
  /// In a one-to-one of two merged objects, the resolutions of both have to permit it.
  private func takes(_ item: Item, _ relationship: RelationshipDescription, _ destination: ManagedObject)
    throws -> Bool
  {
    let end = last(destination)
    guard try isFree(last(item.object), relationship, for: end, item.resolution) else { return false }
    guard let inverse = relationship.inverse, !inverse.isToMany,
      let place = places[ObjectIdentifier(destination)]
    else { return true }
    return try isFree(end, inverse, for: last(item.object), items[place].resolution)
  }

  private func isFree(
    _ holder: ManagedObject, _ relationship: RelationshipDescription, for destination: ManagedObject,
    _ resolution: MergeResolution
  ) throws -> Bool {
    if resolution.isRollback { return false }
    if case .values(let values) = resolution, values[relationship.name] != nil { return false }
    if resolution.objectWins { return true }
    let present = try holder.destination(relationship)
    return present == nil || present === destination
  }

  private func finish(_ item: Item) {
    let holder = last(item.object)
    if holder !== item.object {
      graph.notifications.record(.deleted, item.object)
      graph.forget(item.object)
    }
    if item.takesPlace, holder.reportsChanges { holder.valuesDidChange(at: nil) }
    holder.awakeFromSnapshotEvents(.mergePolicy)
    graph.notifications.record(.refreshed, holder)
  }
}

extension MergeResolution {
  /// Whether the object's value stays if both the object and the store have one.
  var objectWins: Bool {
    switch self {
    case .mergeByPropertyObjectTrump, .overwrite: true
    default: false
    }
  }

  /// Whether the store's value stays if both the object and the store have one.
  var storeWins: Bool {
    switch self {
    case .mergeByPropertyStoreTrump, .rollback: true
    default: false
    }
  }

  fileprivate var isRollback: Bool { if case .rollback = self { true } else { false } }
}
