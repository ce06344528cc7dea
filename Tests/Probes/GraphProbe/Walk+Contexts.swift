import Strongroom

/// Other contexts: beside the one that is walked in, and beneath it.
extension Walk {
  // MARK: Beside

  /// Another context changes and saves what this one has not touched, which this one then takes in.
  func changeElsewhere() async throws {
    let sibling = View("sibling", container.newContext(), identities)
    var side = stored
    var left = 1 + random.below(6)
    for _ in 0..<20 where left > 0 {
      guard let choice = choose(in: side, base: stored, avoiding: touched) else { continue }
      let concerned =
        choice.after.changes(since: side) + choice.operations.flatMap(\.handles)
        + choice.after.changes(since: side).flatMap { side.oneWayDestinations($0) }
      if !touched.isDisjoint(with: concerned) { continue }
      for operation in choice.operations {
        note("sibling: ", operation)
        try sibling.perform(operation)
      }
      side = choice.after
      left -= 1
    }
    if side == stored || !side.violations().isEmpty { return }
    try await save(sibling, side)
    let changed = side.changes(since: stored)
    for handle in changed { current.take(handle, from: side) }
    stored = side
    everStored.formUnion(stored.live)
    for handle in changed where !stored.isLive(handle) { main.forget(handle) }
    if random.chance(2) {
      let view = Comparison(view: main, graph: current)
      for handle in changed { try view.object(handle) }
    }
  }

  /// Saves a sibling's changes, which make `side` of what is stored, and has the context take them
  /// in.
  func save(_ sibling: View, _ side: Graph) async throws {
    let news = sibling.context.didSaveObjects()
    note("sibling: save")
    try sibling.context.save()
    report.saves += 1
    guard let changes = await Self.first(of: news) else {
      throw Difference("sibling: nothing was told of a save within ten seconds")
    }
    try check(changes, sibling, side)
    if !main.context.automaticallyMergesChangesFromParent {
      note("merge the changes of the save")
      try main.context.mergeChanges(from: changes)
    } else if random.chance(2) {
      note("merge")
      try main.context.mergeChanges()
    }
    main.context.processPendingChanges()
    forgetHistory()
  }

  /// What a save tells must be what was saved.
  ///
  /// Objects may be told as updated whose other ends changed.
  private func check(_ changes: ContextChanges, _ sibling: View, _ side: Graph) throws {
    var (inserted, deleted): (Set<ManagedObjectID>, Set<ManagedObjectID>) = ([], [])
    var updated: Set<ManagedObjectID> = []
    for handle in side.changes(since: stored) {
      if !stored.isLive(handle) {
        let id = try sibling.object(handle).objectID
        identities.ids[handle] = id
        inserted.insert(id)
      } else if let id = identities.ids[handle] {
        if !side.isLive(handle) {
          deleted.insert(id)
        } else if side.things[handle]?.values != stored.things[handle]?.values {
          updated.insert(id)
        }
      }
    }
    if Set(changes.inserted) != inserted || Set(changes.deleted) != deleted
      || !updated.isSubset(of: changes.updated)
    {
      throw Difference(
        "sibling: told of its save: expected inserted \(inserted), updated \(updated), deleted \(deleted),"
          + " found \(changes)")
    }
  }

  /// The first of a stream; nil when it is late.
  private static func first(of stream: AsyncStream<ContextChanges>) async -> ContextChanges? {
    await withTaskGroup(of: ContextChanges?.self) { group in
      group.addTask {
        for await changes in stream { return changes }
        return nil
      }
      group.addTask {
        try? await Task.sleep(for: .seconds(10))
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
  }

  // MARK: Against each other

  /// Another context saves a change to an object that this one has changed too.
  ///
  /// Without a policy the save is refused; with the objects' trump, each property that was changed
  /// here stays, and all others are as they are stored.
  func conflict() async throws {
    guard current.violations().isEmpty else { return }
    let found: (handle: Int, operations: [Operation], merged: Graph)? =
      switch random.below(4) {
      case 0: changedThere()
      case 1: deletedThere()
      case 2: movedThere()
      default: deletedHere()
      }
    guard let found else { return }
    var side = stored
    for operation in found.operations { side.apply(operation) }
    guard side != stored, side.violations().isEmpty, found.merged.violations().isEmpty else { return }
    let sibling = View("sibling", container.newContext(), identities)
    for operation in found.operations {
      note("sibling, against the context: ", operation)
      try sibling.perform(operation)
    }
    note("sibling: save")
    try sibling.context.save()
    report.saves += 1
    if !side.isLive(found.handle) { watcher.forget(found.handle) }
    // What is taken in automatically is no conflict any more.
    if !main.context.automaticallyMergesChangesFromParent { try expectConflict(found.handle) }
    note("save with the objects' trump")
    main.context.mergePolicy = .mergeByPropertyObjectTrump
    try main.context.save()
    main.context.mergePolicy = .error
    current = found.merged
    forgetHistory()
    try await saved()
    try Comparison(view: main, graph: current).object(found.handle)
  }

  /// Objects whose fields alone were changed here.
  private var changedFields: [Int] {
    current.live.filter {
      !linked.contains($0) && named[$0] != nil && stored.isLive($0)
        && current.things[$0]?.values != stored.things[$0]?.values
    }
  }

  private func changedThere() -> (handle: Int, operations: [Operation], merged: Graph)? {
    guard let handle = random.element(changedFields), let mine = current.things[handle],
      let base = stored.things[handle]
    else { return nil }
    var operations: [Operation] = []
    var merged = current
    for (place, field) in current.kind(handle).fields.enumerated().dropFirst() where random.chance(2) {
      let isChanged = mine.values[place] != base.values[place]
      // Whether a value that was set back counts as changed is not for the walk to say.
      if !isChanged, named[handle]?.contains(place) == true { continue }
      let operation = Operation.set(handle, field.name, value(field, mayBeNull: field.isOptional))
      operations.append(operation)
      if !isChanged { merged.apply(operation) }
    }
    return (handle, operations, merged)
  }

  /// A to-one that leads elsewhere here leads to a third place there, which is free.
  private func movedThere() -> (handle: Int, operations: [Operation], merged: Graph)? {
    var moved: [(Int, Link)] = []
    for handle in current.live where stored.isLive(handle) {
      for link in current.kind(handle).links where !link.isToMany && link.back != nil {
        if current.destinations(handle, link.name) != stored.destinations(handle, link.name) {
          moved.append((handle, link))
        }
      }
    }
    guard let (handle, link) = random.element(moved) else { return nil }
    let present = stored.destinations(handle, link.name) + current.destinations(handle, link.name)
    let free = stored.handles(of: link.kind).filter { destination in
      guard let back = link.back, destination != handle, !present.contains(destination),
        current.isLive(destination)
      else {
        return false
      }
      return stored.kind(destination).links[back].isToMany || stored.destinations(destination, back).isEmpty
    }
    guard let destination = random.element(free) else { return nil }
    return (handle, [.point(handle, link.name, destination)], current)
  }

  /// Only of what leads nowhere, so that no other object is concerned.
  ///
  /// Long bytes that nobody read go with the row.
  private func deletedThere() -> (handle: Int, operations: [Operation], merged: Graph)? {
    let reached = Set(
      (current.live + stored.live).flatMap { current.oneWayDestinations($0) + stored.oneWayDestinations($0) })
    let alone = changedFields.filter {
      !reached.contains($0) && stored.things[$0]?.links.allSatisfy(\.isEmpty) == true
        && !current.kind($0).fields.contains(where: \.isExternal)
    }
    return random.element(alone).map { ($0, [.delete($0)], current) }
  }

  private func deletedHere() -> (handle: Int, operations: [Operation], merged: Graph)? {
    guard let handle = random.element(stored.live.filter { !current.isLive($0) }),
      let field = random.element(Array(stored.kind(handle).fields.dropFirst()))
    else { return nil }
    return (handle, [.set(handle, field.name, value(field, mayBeNull: field.isOptional))], current)
  }

  /// Another context saves an object with a value that a new one here has too and that must be
  /// unique.
  ///
  /// With the objects' trump the two become one: what was set here stays, all else is as it is
  /// stored.
  func meetUnique() async throws {
    let new = current.live.filter { handle in
      guard !everStored.contains(handle), let thing = current.things[handle] else { return false }
      let kind = current.kind(handle)
      return kind.fields.indices.contains { kind.fields[$0].isUnique && thing.values[$0] != .null }
    }
    guard let handle = random.element(new), current.violations().isEmpty else { return }
    let (kind, rival) = (current.kind(handle), newHandle())
    var side = stored
    var operations: [Operation] = [.insert(rival, kind.name)]
    for field in kind.fields.dropFirst() {
      let isSame = field.isUnique
      operations.append(
        .set(rival, field.name, isSame ? current.value(handle, field.name) : value(field, mayBeNull: false)))
    }
    for operation in operations { side.apply(operation) }
    guard side.violations().isEmpty else { return }
    let sibling = View("sibling", container.newContext(), identities)
    for operation in operations {
      note("sibling, with a value of \(handle): ", operation)
      try sibling.perform(operation)
    }
    note("sibling: save")
    try sibling.context.save()
    report.saves += 1
    let id = try sibling.object(rival).objectID
    // It is no longer among the new ones once it was saved as another.
    _ = try main.object(handle)
    note("save with no policy")
    do {
      try main.context.save()
      throw Difference("context: a save went through though \(handle) is not unique")
    } catch let error as ContextError where error.code == .notUnique {}
    var merged = current
    for field in kind.fields.dropFirst() where current.value(handle, field.name) == field.initial {
      merged.apply(.set(handle, field.name, side.value(rival, field.name)))
    }
    note("save with the objects' trump")
    main.context.mergePolicy = .mergeByPropertyObjectTrump
    try main.context.save()
    main.context.mergePolicy = .error
    current = merged
    forgetHistory()
    if try main.object(handle).objectID != id {
      throw Difference("context: \(handle) is not the object that was stored with its value")
    }
    identities.ids[handle] = id
    try await saved()
  }

  private func expectConflict(_ handle: Int) throws {
    do {
      note("save with no policy")
      try main.context.save()
    } catch let error as ContextError where error.code == .conflict {
      let ids = Set(error.conflicts.map(\.objectID))
      if identities.ids[handle].map({ ids.contains($0) }) != true {
        throw Difference("context: the conflicts of a save: expected \(handle) among them, found \(ids)")
      }
      return
    }
    throw Difference("context: a save went through though \(handle) was changed by another context")
  }

  // MARK: Beneath

  /// A child of the context sees its unsaved changes, changes more, and saves into it, or does not.
  func changeInChild() async throws {
    guard current.violations().isEmpty, !current.hasGhosts else { return }
    let child = View("child", ManagedObjectContext(parent: main.context))
    try child.holdAll()
    if random.chance(3) { try Comparison(view: child, graph: current).all() }
    for _ in 0...random.below(2) {
      let before = current
      var side = current
      for _ in 0...random.below(6) {
        guard let choice = choose(in: side, base: before) else { continue }
        for operation in choice.operations {
          note("child: ", operation)
          try child.perform(operation)
        }
        child.context.processPendingChanges()
        side = choice.after
        for handle in child.objects.keys where side.things[handle] == nil { child.forget(handle) }
        if random.chance(8) {
          note("save beneath the child")
          try await saveAndCompare()
        }
      }
      if random.chance(2) { try Comparison(view: child, graph: side).all() }
      if !side.violations().isEmpty || random.chance(5) {
        note("child: let go unsaved")
        break
      }
      note("child: save")
      try child.context.save()
      current = side
      main.context.processPendingChanges()
      forgetHistory()
      forgetMissing(since: before)
      mark(from: before, to: side)
      if child.context.hasChanges { throw Difference("child: hasChanges is true after a save") }
      if random.chance(2) {
        let view = Comparison(view: main, graph: current)
        for handle in side.changes(since: before) { try view.object(handle) }
      }
    }
    if random.chance(3) { try checkMain() }
  }
}
