import ObjectContext
import ObjectModel

/// Relationships of models. While no context has a model, it keeps what they lead to itself.
extension ModelObject {
  /// Reads a to-one that always leads somewhere.
  public func read<Model: PersistentModel, Target: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Target>, _ slots: ModelSlots, _ ordinal: Int
  ) -> Target {
    access(model, keyPath)
    if let target = target(slots[ordinal], Target.self) ?? placeholder(Target.self) { return target }
    preconditionFailure(
      "\(entity.name).\(slots.shape.own[ordinal].name) leads nowhere, though its type is not optional; set it,"
        + " or declare it \(Target.self)?")
  }

  /// Reads a to-one.
  public func read<Model: PersistentModel, Target: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Target?>, _ slots: ModelSlots, _ ordinal: Int
  ) -> Target? {
    access(model, keyPath)
    return target(slots[ordinal], Target.self)
  }

  /// Reads a to-many.
  public func read<Model: PersistentModel, Target: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, [Target]>, _ slots: ModelSlots,
    _ ordinal: Int
  ) -> [Target] {
    access(model, keyPath)
    return targets(slots[ordinal], Target.self)
  }

  /// Reads a to-many; never nil once the model is inserted.
  public func read<Model: PersistentModel, Target: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, [Target]?>, _ slots: ModelSlots,
    _ ordinal: Int
  ) -> [Target]? {
    access(model, keyPath)
    if isDetached, !isProbe, !links.contains(where: { $0.slot == slots[ordinal].slot }) { return nil }
    return targets(slots[ordinal], Target.self)
  }

  /// Sets a to-one that always leads somewhere.
  public func write<Model: PersistentModel, Target: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Target>, _ slots: ModelSlots, _ ordinal: Int,
    _ value: Target
  ) {
    mutate(model, keyPath) { lead(slots[ordinal], to: value) }
  }

  /// Sets a to-one.
  public func write<Model: PersistentModel, Target: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, Target?>, _ slots: ModelSlots,
    _ ordinal: Int,
    _ value: Target?
  ) {
    mutate(model, keyPath) { lead(slots[ordinal], to: value) }
  }

  /// Sets a to-many.
  public func write<Model: PersistentModel, Target: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, [Target]>, _ slots: ModelSlots,
    _ ordinal: Int,
    _ value: [Target]
  ) {
    mutate(model, keyPath) { lead(slots[ordinal], toAll: value) }
  }

  /// Sets a to-many; nil empties it.
  public func write<Model: PersistentModel, Target: PersistentModel>(
    _ model: Model, _ keyPath: @autoclosure () -> KeyPath<Model, [Target]?>, _ slots: ModelSlots,
    _ ordinal: Int,
    _ value: [Target]?
  ) {
    mutate(model, keyPath) { lead(slots[ordinal], toAll: value ?? []) }
  }

  /// Puts a to-one in place.
  public func initialize<Target: PersistentModel>(_ slots: ModelSlots, _ ordinal: Int, _ value: Target) {
    initialize(slots[ordinal], [value])
  }

  /// Puts a to-one in place.
  public func initialize<Target: PersistentModel>(_ slots: ModelSlots, _ ordinal: Int, _ value: Target?) {
    if let value { initialize(slots[ordinal], [value]) }
  }

  /// Puts a to-many in place.
  public func initialize<Target: PersistentModel>(_ slots: ModelSlots, _ ordinal: Int, _ value: [Target]) {
    if !value.isEmpty { initialize(slots[ordinal], value) }
  }

  /// Puts a to-many in place.
  public func initialize<Target: PersistentModel>(_ slots: ModelSlots, _ ordinal: Int, _ value: [Target]?) {
    if let value { initialize(slots[ordinal], value) }
  }

  // MARK: Inside

  private func target<Target: PersistentModel>(_ slot: PropertySlot, _ type: Target.Type) -> Target? {
    if managedObjectContext == nil {
      checkContext()
      if isProbe { return KeyPathProbe.current?.target(of: self, slot, type) }
      return links.first { $0.slot == slot.slot }?.targets.first as? Target
    }
    settlePending()
    return object(slot).map { unsafeDowncast($0, to: ModelObject.self).shown(as: type) }
  }

  /// What a to-one of a deleted model leads to that must lead somewhere: a deleted model without values.
  private func placeholder<Target: PersistentModel>(_ type: Target.Type) -> Target? {
    guard isGone, let object = managedObjectContext?.placeholder(shownAs: type) else { return nil }
    return unsafeDowncast(object, to: ModelObject.self).shown(as: type)
  }

  private func targets<Target: PersistentModel>(_ slot: PropertySlot, _ type: Target.Type) -> [Target] {
    if managedObjectContext == nil {
      checkContext()
      if isProbe { return KeyPathProbe.current?.targets(of: self, slot, type) ?? [] }
      return links.first { $0.slot == slot.slot }?.targets as? [Target] ?? []
    }
    settlePending()
    guard let related = related(slot) else { return [] }
    return related.map { unsafeDowncast($0, to: ModelObject.self).shown(as: type) }
  }

  /// Models that were made with this one as a relationship's end come in first.
  private func settlePending() {
    if let context = managedObjectContext, context.hasWaiting {
      (context.host as? ModelContext)?.adoptWaiting()
    }
  }

  private func initialize(_ slot: PropertySlot, _ targets: [any PersistentModel]) {
    if isMaterializing { return }
    // The model itself is not whole yet: its context takes it in later.
    setLink(slot, targets)
    for target in targets {
      if let context = target.modelContext { return context.expect(self) }
    }
  }

  private func setLink(_ slot: PropertySlot, _ targets: [any PersistentModel]) {
    var new = targets[...]
    if let place = links.firstIndex(where: { $0.slot == slot.slot }),
      links[place].targets.count <= targets.count,
      zip(links[place].targets, targets).allSatisfy({ $0._$object === $1._$object })
    {
      new = targets[links[place].targets.count...]
      links[place].targets = targets
    } else {
      clearLink(slot)
      links.append(DetachedLink(slot: slot.slot, targets: targets))
    }
    for target in new {
      let object = target._$object
      if object !== self, object.managedObjectContext == nil { object.followers.append(self) }
    }
  }

  private func clearLink(_ slot: PropertySlot) {
    guard let place = links.firstIndex(where: { $0.slot == slot.slot }) else { return }
    for target in links.remove(at: place).targets {
      // One for each link that leads there.
      let object = target._$object
      if let own = object.followers.lastIndex(where: { $0 === self }) { object.followers.remove(at: own) }
    }
  }

  private func lead(_ slot: PropertySlot, to target: (any PersistentModel)?) {
    guard let context = context(with: target.map { [$0] } ?? []) else {
      if let target { setLink(slot, [target]) } else { clearLink(slot) }
      return
    }
    if let target { context.take(target) }
    setObject(slot, to: target?._$object)
  }

  private func lead(_ slot: PropertySlot, toAll targets: [any PersistentModel]) {
    guard let context = context(with: targets) else { return setLink(slot, targets) }
    for target in targets where target._$object.managedObjectContext == nil { context.take(target) }
    replaceRelated(slot, by: targets.map { $0._$object })
  }

  /// The context of this model; where it has none yet, it comes into the first one that any of the others is in.
  private func context(with targets: [any PersistentModel]) -> ModelContext? {
    if let context = managedObjectContext {
      checkContext(writing: true)
      if context.hasWaiting { settlePending() }
      return context.host as? ModelContext
    }
    checkContext()
    guard isAdoptable else { return nil }
    for target in targets {
      guard let context = target.modelContext else { continue }
      context.take(object: self)
      return context
    }
    return nil
  }
}
