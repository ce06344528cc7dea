import ObjectModel
import StoreContract

extension ManagedObject {
  /// The destination of a to-one, often a fault.
  ///
  /// Issues a statement only when this object is a fault itself, or when the destination has
  /// subentities and the destination is not known yet; either serves the whole batch.
  /// - Throws: `unknownKey`, `objectNotFound`.
  public final func object(_ name: String) throws -> ManagedObject? {
    let relationship = try relationship(name, toMany: false)
    return try destination(relationship)
  }

  /// The destinations of a to-many, in their order when it is ordered.
  ///
  /// The first read issues one statement for the whole batch this object came with.
  /// - Throws: `unknownKey`, `objectNotFound`.
  public final func objects(_ name: String) throws -> RelatedObjects {
    try destinations(try relationship(name, toMany: true))
  }

  /// Sets or clears the destination of a to-one, and updates the inverse.
  ///
  /// One statement for the batch when the object is a fault; for a one-to-one relationship, another
  /// for the destination's batch.
  /// - Throws: `unknownKey`, `objectOfAnotherContext` when the destination is of another context or
  ///   not of the destination entity, `objectNotFound` when it or this object is known to be
  ///   deleted in the store.
  public final func setObject(_ destination: ManagedObject?, forKey name: String) throws {
    let relationship = try relationship(name, toMany: false)
    try check(destination, relationship)
    try liveGraph().relationships.setToOne(self, relationship, destination)
  }

  /// Adds objects to a to-many, at the end when it is ordered, and keeps the inverses in step.
  ///
  /// What is in it already stays once. Issues no statement unless a destination is a fault, or was
  /// taken out before anybody had read whether it was in.
  /// - Throws: as `setObject(_:for:)`.
  public final func add(_ destinations: ManagedObject..., to name: String) throws {
    try add(contentsOf: destinations, to: name)
  }

  /// Adds objects to a to-many; see `add(_:to:)`.
  /// - Throws: as `setObject(_:for:)`.
  public final func add(contentsOf destinations: some Sequence<ManagedObject>, to name: String) throws {
    let relationship = try relationship(name, toMany: true)
    let graph = try liveGraph()
    for destination in destinations {
      try check(destination, relationship)
      try graph.relationships.link(self, relationship, destination)
    }
  }

  /// Takes objects out of a to-many and keeps the inverses in step.
  ///
  /// Statements as for `add(_:to:)`.
  /// - Throws: as `setObject(_:for:)`.
  public final func remove(_ destinations: ManagedObject..., from name: String) throws {
    let relationship = try relationship(name, toMany: true)
    for destination in destinations {
      try check(destination, relationship, isLinking: false)
      try liveGraph().relationships.unlink(self, relationship, destination)
    }
  }

  /// Replaces the objects of a to-many, in the order given when it is ordered.
  ///
  /// Reads the present ones first.
  /// - Throws: as `setObject(_:for:)`.
  public final func setObjects(_ destinations: some Sequence<ManagedObject>, forKey name: String) throws {
    let relationship = try relationship(name, toMany: true)
    let graph = try liveGraph()
    let wanted = Array(destinations)
    for destination in wanted { try check(destination, relationship) }
    let references = Set(wanted.map(\.reference))
    for old in try self.destinations(relationship) where !references.contains(old.reference) {
      try graph.relationships.unlink(self, relationship, old)
    }
    for destination in wanted { try graph.relationships.link(self, relationship, destination) }
    if relationship.isOrdered {
      var seen: Set<Int64> = []
      let order = wanted.map(\.reference).filter { seen.insert($0).inserted }
      try graph.relationships.reorder(self, relationship, order)
    }
  }

  // MARK: Inside

  final func destination(_ relationship: RelationshipDescription) throws -> ManagedObject? {
    guard case .reference(let reference) = try slotValue(.relationship(relationship)) else { return nil }
    let graph = try liveGraph()
    if let known = graph.registry.object(relationship.destination.root, reference) { return known }
    return graph.faulting.materialize(
      reference, relationship.destination, graph.faulting.toOneBatch(self, relationship))
  }

  final func destinations(_ relationship: RelationshipDescription) throws -> RelatedObjects {
    let graph = try liveGraph()
    let state = toManyState(relationship)
    if !state.isLoaded { try graph.faulting.load(state, of: self) }
    graph.faulting.removeDeleted(from: state)
    return RelatedObjects(
      references: state.current ?? [], destination: relationship.destination, batch: state.batch,
      offset: state.batchOffset, graph: graph)
  }

  final func toManyState(_ relationship: RelationshipDescription) -> ToManyState {
    if let known = unmanagedChanges?._withUnsafeGuaranteedRef({ $0.knownToMany(relationship) }) {
      return known
    }
    return knownChanges.toMany(
      relationship, isNew: state.contains(.inserted) || relationship.isTransient)
  }

  final func check(
    _ destination: ManagedObject?, _ relationship: RelationshipDescription, isLinking: Bool = true
  ) throws {
    // What is mostly so, without counting references.
    if let destination, isInContext(of: destination),
      destination.storeEntity.entity === relationship.destination,
      !isLinking || state.union(destination.state).isDisjoint(with: .deletedInStore)
    {
      return
    }
    let graph = graph
    if isLinking, let graph, state.contains(.deletedInStore) { throw graph.objectNotFound(self) }
    guard let destination else { return }
    guard let graph, destination.graph === graph else {
      throw ContextError(
        .objectOfAnotherContext,
        "\(entity.name).\(relationship.name) was given an object of another context; get it by its objectID"
          + " here"
      )
    }
    if isLinking, destination.state.contains(.deletedInStore) { throw graph.objectNotFound(destination) }
    guard destination.entity.isKind(of: relationship.destination) else {
      throw ContextError(
        .objectOfAnotherContext,
        "the destination of \(entity.name).\(relationship.name) is \(relationship.destination.name), not"
          + " \(destination.entity.name)"
      )
    }
  }

  final func relationship(_ name: String, toMany: Bool) throws -> RelationshipDescription {
    guard let relationship = entity.relationship(named: name), relationship.isToMany == toMany else {
      throw ContextError(
        .unknownKey, "\(entity.name) has no \(toMany ? "to-many" : "to-one") relationship \(name)")
    }
    return relationship
  }
}
