import ObjectContext
public import ObjectModel

/// Relationships of models. A model in no context stores their destinations itself.
extension ModelObject {
  /// Reads a required to-one.
  public func read<Model: PersistentModel, Destination: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Destination>,
    _ indexes: ModelPropertyIndexes, _ ordinal: Int
  ) -> Destination {
    access(model, keyPath)
    return requiredDestination(indexes[ordinal], indexes.shape.own[ordinal].name, Destination.self)
  }

  /// Reads a to-one.
  public func read<Model: PersistentModel, Destination: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Destination?>,
    _ indexes: ModelPropertyIndexes, _ ordinal: Int
  ) -> Destination? {
    access(model, keyPath)
    return destination(indexes[ordinal], Destination.self)
  }

  /// Reads a to-many.
  public func read<Model: PersistentModel, Destination: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, [Destination]>,
    _ indexes: ModelPropertyIndexes,
    _ ordinal: Int
  ) -> [Destination] {
    access(model, keyPath)
    return destinations(indexes[ordinal], Destination.self)
  }

  /// Reads a to-many; never nil once the model is inserted.
  public func read<Model: PersistentModel, Destination: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, [Destination]?>,
    _ indexes: ModelPropertyIndexes,
    _ ordinal: Int
  ) -> [Destination]? {
    access(model, keyPath)
    if isUnset(indexes[ordinal]) { return nil }
    return destinations(indexes[ordinal], Destination.self)
  }

  /// Sets a required to-one.
  public func write<Model: PersistentModel, Destination: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Destination>,
    _ indexes: ModelPropertyIndexes, _ ordinal: Int,
    _ value: Destination
  ) {
    mutate(model, keyPath, indexes[ordinal]) { point(indexes[ordinal], to: value) }
  }

  /// Sets a to-one.
  public func write<Model: PersistentModel, Destination: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Destination?>,
    _ indexes: ModelPropertyIndexes,
    _ ordinal: Int,
    _ value: Destination?
  ) {
    mutate(model, keyPath, indexes[ordinal]) { point(indexes[ordinal], to: value) }
  }

  /// Sets a to-many.
  public func write<Model: PersistentModel, Destination: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, [Destination]>,
    _ indexes: ModelPropertyIndexes,
    _ ordinal: Int,
    _ value: [Destination]
  ) {
    mutate(model, keyPath, indexes[ordinal]) { point(indexes[ordinal], toAll: value) }
  }

  /// Sets a to-many; nil empties it.
  public func write<Model: PersistentModel, Destination: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, [Destination]?>,
    _ indexes: ModelPropertyIndexes,
    _ ordinal: Int,
    _ value: [Destination]?
  ) {
    mutate(model, keyPath, indexes[ordinal]) { point(indexes[ordinal], toAll: value ?? []) }
  }

  /// Initialises the property with a to-one.
  @inlinable
  public func initialize<Destination: PersistentModel>(
    _ indexes: ModelPropertyIndexes, _ ordinal: Int, _ value: Destination
  ) {
    if !isMaterializing { initialize(indexes[ordinal], [value]) }
  }

  /// Initialises the property with a to-one.
  @inlinable
  public func initialize<Destination: PersistentModel>(
    _ indexes: ModelPropertyIndexes, _ ordinal: Int, _ value: Destination?
  ) {
    if let value, !isMaterializing { initialize(indexes[ordinal], [value]) }
  }

  /// Initialises the property with a to-many.
  @inlinable
  public func initialize<Destination: PersistentModel>(
    _ indexes: ModelPropertyIndexes, _ ordinal: Int, _ value: [Destination]
  ) {
    if !value.isEmpty, !isMaterializing { initialize(indexes[ordinal], value) }
  }

  /// Initialises the property with a to-many.
  @inlinable
  public func initialize<Destination: PersistentModel>(
    _ indexes: ModelPropertyIndexes, _ ordinal: Int, _ value: [Destination]?
  ) {
    if let value, !isMaterializing { initialize(indexes[ordinal], value) }
  }

  // MARK: Inside

  func requiredDestination<Destination: PersistentModel>(
    _ index: PropertyIndex, _ name: @autoclosure () -> String, _ type: Destination.Type
  ) -> Destination {
    if let destination = destination(index, type) ?? placeholder(type) { return destination }
    preconditionFailure(
      "\(entity.name).\(name()) leads nowhere, though its type is not optional; set it, or declare it"
        + " \(type)?")
  }

  /// Whether a to-many of a model in no context was never set.
  func isUnset(_ index: PropertyIndex) -> Bool {
    isDetached && !isProbe && !detachedRelationships.contains { $0.index == index.index }
  }

  func destination<Destination: PersistentModel>(_ index: PropertyIndex, _ type: Destination.Type)
    -> Destination?
  {
    if graph == nil {
      checkContext()
      if isProbe { return KeyPathProbe.current?.destination(of: self, index, type) }
      return detachedRelationships.first { $0.index == index.index }?.destinations.first as? Destination
    }
    settlePending()
    return object(index).map { unsafeDowncast($0, to: ModelObject.self).shown(as: type) }
  }

  /// The destination of a deleted model's required to-one: a deleted model without values.
  private func placeholder<Destination: PersistentModel>(_ type: Destination.Type) -> Destination? {
    guard isDeletedInStore, let object = graph?.placeholder(presentedAs: type) else { return nil }
    return unsafeDowncast(object, to: ModelObject.self).shown(as: type)
  }

  func destinations<Destination: PersistentModel>(_ index: PropertyIndex, _ type: Destination.Type)
    -> [Destination]
  {
    if graph == nil {
      checkContext()
      if isProbe { return KeyPathProbe.current?.destinations(of: self, index, type) ?? [] }
      return detachedRelationships.first { $0.index == index.index }?.destinations as? [Destination] ?? []
    }
    settlePending()
    guard let related = related(index) else { return [] }
    return related.map { unsafeDowncast($0, to: ModelObject.self).shown(as: type) }
  }

  /// Models that were initialised with this one as a destination are inserted first.
  private func settlePending() {
    if let graph, graph.hasWaiting {
      (graph.host as? ModelContext)?.adoptWaiting()
    }
  }

  @usableFromInline
  func initialize(_ index: PropertyIndex, _ destinations: [any PersistentModel]) {
    // The model itself is not whole yet: its context takes it in later.
    setDetached(index, destinations)
    for destination in destinations {
      if let context = destination.modelContext { return context.expect(self) }
    }
  }

  private func setDetached(_ index: PropertyIndex, _ destinations: [any PersistentModel]) {
    var new = destinations[...]
    if let place = detachedRelationships.firstIndex(where: { $0.index == index.index }),
      detachedRelationships[place].destinations.count <= destinations.count,
      zip(detachedRelationships[place].destinations, destinations).allSatisfy({ $0._$object === $1._$object })
    {
      new = destinations[detachedRelationships[place].destinations.count...]
      detachedRelationships[place].destinations = destinations
    } else {
      clearDetached(index)
      detachedRelationships.append(DetachedRelationship(index: index.index, destinations: destinations))
    }
    for destination in new {
      let object = destination._$object
      if object !== self, object.graph == nil { object.followers.append(self) }
    }
  }

  private func clearDetached(_ index: PropertyIndex) {
    guard let place = detachedRelationships.firstIndex(where: { $0.index == index.index }) else { return }
    for destination in detachedRelationships.remove(at: place).destinations {
      // One for each relationship that references it.
      let object = destination._$object
      if let own = object.followers.lastIndex(where: { $0 === self }) { object.followers.remove(at: own) }
    }
  }

  func point<Destination: PersistentModel>(_ index: PropertyIndex, to destination: Destination?) {
    guard let context = context(orThatOf: { destination?.modelContext }) else {
      if let destination { setDetached(index, [destination]) } else { clearDetached(index) }
      return
    }
    if let destination { context.take(destination) }
    setObject(index, to: destination?._$object)
  }

  // Generic, since an array of existentials would be made of a program's own at each call.
  func point<Destination: PersistentModel>(
    _ index: PropertyIndex, toAll destinations: [Destination]
  ) {
    guard let context = context(orThatOf: { destinations.lazy.compactMap(\.modelContext).first }) else {
      return setDetached(index, destinations)
    }
    for destination in destinations where destination._$object.graph == nil {
      context.take(destination)
    }
    replaceRelated(index, by: destinations.map { $0._$object })
  }

  /// The context of this model; a model without one is inserted into that of the first destination
  /// that has one.
  private func context(orThatOf destinations: () -> ModelContext?) -> ModelContext? {
    if let graph {
      checkContext(writing: true)
      if graph.hasWaiting { settlePending() }
      return graph.host as? ModelContext
    }
    checkContext()
    guard isAdoptable, let context = destinations() else { return nil }
    context.take(object: self)
    return context
  }
}
