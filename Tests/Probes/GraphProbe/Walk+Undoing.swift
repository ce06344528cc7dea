import Strongroom

/// Going back: undo and redo, rollback, refresh, reset, and beginning anew with the same file.
extension Walk {
  /// Undoes or redoes some groups, also over saves.
  func undoOrRedo() throws {
    for _ in 0..<(1 + random.below(3)) {
      let isRedo = !redoable.isEmpty && (undoable.isEmpty || random.chance(2))
      guard let next = isRedo ? redoable.popLast() : undoable.popLast() else { return }
      let before = current
      note(isRedo ? "redo" : "undo")
      if isRedo {
        try main.context.redo()
        undoable.append(before)
      } else {
        try main.context.undo()
        redoable.append(before)
      }
      current = next
      main.context.processPendingChanges()
      forgetMissing(since: before)
      mark(from: before, to: current)
    }
  }

  /// Drops every change.
  func rollback() throws {
    note("rollback")
    main.context.rollback()
    try returned()
  }

  /// The context is as the file is.
  private func returned() throws {
    let before = current
    current = stored
    forgetMissing(since: before)
    (undoable, redoable) = ([], [])
    settled()
    if main.context.hasChanges {
      throw Difference("context: hasChanges is true, but all changes were dropped")
    }
    if random.chance(3) { try checkMain() }
  }

  /// Forgets every object.
  func reset() throws {
    note("reset")
    let old = random.element(main.objects.keys.sorted()).flatMap { main.objects[$0] }
    main.forgetAll()
    main.context.reset()
    if let old, old.managedObjectContext != nil {
      throw Difference("context: \(old) is in use after a reset")
    }
    try returned()
  }

  /// Lets go of every object, of which the context keeps what is changed.
  func letGo() {
    note("let go")
    main.forgetAll()
  }

  /// Closes the file and opens it again, which drops what was not saved.
  func reopen() async throws {
    note("reopen")
    main.forgetAll()
    try container.close()
    try await open()
    try checkMain()
  }

  /// Turns objects into faults, or puts new rows beneath their changes.
  func refresh() throws {
    if random.chance(5) {
      note("refresh all")
      main.context.refreshAllObjects()
      return
    }
    let both = current.live.filter(stored.isLive)
    guard let handle = random.element(both) else { return }
    // Dropping one end of a changed link would leave the other as it is.
    let isMerging = linked.contains(handle) || random.chance(2)
    note("refresh \(handle)\(isMerging ? ", merging" : "")")
    let object = try main.object(handle)
    try main.context.refresh(object, mergeChanges: isMerging)
    if isMerging || !touched.contains(handle) { return }
    current.takeValues(handle, from: stored)
    touched.remove(handle)
    named[handle] = nil
    main.context.processPendingChanges()
    forgetHistory()
    if object.hasChanges {
      throw Difference("context: \(object) has changes after a refresh that dropped them")
    }
    try Comparison(view: main, graph: current).object(handle)
  }

  // MARK: What must be refused

  /// Asks for what makes no sense, which must change nothing.
  func misuse() throws {
    guard let handle = random.element(current.live) else { return }
    let kind = current.kind(handle)
    let object = try main.object(handle)
    note("misuse of \(handle)")
    try expect(.unknownKey, "an unknown attribute") { try object.setValue(.integer(1), forKey: "nothing") }
    try expect(.wrongType, "a wrong type") { try object.setValue(.string("x"), forKey: GraphModel.handle) }
    for link in kind.links where link.isToMany {
      let count = current.destinations(handle, link.name).count
      let family = GraphModel.kinds[link.kind].family
      let pool = current.live.filter { current.things[$0].map { family.contains($0.kind) } ?? false }
      guard let destination = random.element(pool) else { continue }
      let other = try main.object(destination)
      let code: ContextError.Code = link.isOrdered ? .wrongIndex : .notOrdered
      try expect(code, "inserting") { try object.insert(other, into: link.name, at: count + 1) }
      try expect(code, "replacing") { try object.replace(at: count, in: link.name, with: other) }
      try expect(code, "removing") { try object.remove(at: count, from: link.name) }
      try expect(code, "moving") { try object.move(fromOffsets: [count], toOffset: 0, in: link.name) }
      if stored.isLive(destination) {
        let foreign = try watcher.object(destination)
        try expect(.objectOfAnotherContext, "a foreign object") { try object.add(foreign, to: link.name) }
      }
    }
    guard let place = random.element(Array(kind.links.indices)), case let link = kind.links[place] else {
      return
    }
    let family = GraphModel.kinds[link.kind].family
    let others = current.live.filter { current.things[$0].map { !family.contains($0.kind) } ?? false }
    guard let wrong = try random.element(others).map({ try main.object($0) }) else { return }
    try expect(.objectOfAnotherContext, "another entity") {
      if link.isToMany {
        try object.add(wrong, to: link.name)
      } else {
        try object.setObject(wrong, forKey: link.name)
      }
    }
  }

  private func expect(_ code: ContextError.Code, _ what: String, _ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as ContextError {
      if error.code == code { return }
      throw Difference("context: \(what): expected \(code), found \(error)")
    }
    throw Difference("context: \(what): expected \(code), but it was done")
  }
}
