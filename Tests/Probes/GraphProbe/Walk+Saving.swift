import Strongroom

/// Saving, and looking at the file after.
extension Walk {
  /// Saves, which fails exactly when a rule is broken.
  ///
  /// Then all is as before, and the rules are mended or all is taken back.
  func save() async throws {
    let wrong = current.violations()
    note("save" + (wrong.isEmpty ? "" : ", which breaks \(wrong.map(\.text))"))
    if wrong.isEmpty { return try await saveAndCompare() }
    try expectRefusal(wrong)
    if random.chance(3) { return try rollback() }
    try repair()
    if !current.violations().isEmpty { return try rollback() }
    note("save")
    try await saveAndCompare()
  }

  /// A save that must go through.
  func saveAndCompare() async throws {
    try main.context.save()
    try await saved()
  }

  /// The file has now what the context has.
  func saved() async throws {
    report.saves += 1
    stored = current
    settled()
    if main.context.hasChanges { throw Difference("context: hasChanges is true after a save") }
    for (handle, object) in main.objects where object.objectID.isTemporaryID {
      throw Difference("context: the ID of \(handle) is temporary after a save")
    }
    try await compareFile()
    try compareWatcher()
    if random.chance(3) { try comparePinned() }
    if random.chance(2) { try checkMain() }
    if random.chance(4) { try Comparison(view: main, graph: current, isStored: true).all() }
    try await glanceAtHistory()
  }

  // MARK: What is in the file

  /// Opens the file anew beside the others, and compares everything in it.
  private func compareFile() async throws {
    let other = try newContainer()
    try await other.loadPersistentStores()
    defer { try? other.close() }
    let view = View("file", other.newContext())
    try view.holdAll()
    let found = view.objects.keys.sorted()
    if found != stored.live { throw Difference("file: expected the objects \(stored.live), found \(found)") }
    try Comparison(view: view, graph: stored, isStored: true).all()
    for handle in found {
      let id = try view.object(handle).objectID
      for known in [identities.ids[handle], main.objects[handle]?.objectID] {
        if let known, !known.isTemporaryID, known != id {
          throw Difference("file: the ID of \(handle) was \(known) and is \(id)")
        }
      }
      identities.ids[handle] = id
    }
  }

  /// A context that holds every object, and has not looked since the last save.
  private func compareWatcher() throws {
    try watcher.context.mergeChanges()
    for handle in watcher.objects.keys where !stored.isLive(handle) { watcher.forget(handle) }
    try Comparison(view: watcher, graph: stored, isStored: true).all()
    if watcher.context.hasChanges { throw Difference("watcher: hasChanges is true, but nothing was changed") }
  }

  // MARK: Saves that fail

  /// Rules of one object come before those of many, and all of them in one error.
  private func expectRefusal(_ wrong: [Violation]) throws {
    let broken = Set(wrong.filter { $0.reason != .notUnique }.map(\.text))
    do {
      try main.context.save()
    } catch let error as ContextError {
      let code: ContextError.Code = broken.isEmpty ? .notUnique : .validation
      if error.code != code {
        throw Difference("context: a save that breaks \(wrong.map(\.text)) threw \(error)")
      }
      if broken.isEmpty {
        if error.conflicts.isEmpty || !error.conflicts.allSatisfy(\.isConstraint) {
          throw Difference("context: a save that is not unique told no conflicts of uniqueness: \(error)")
        }
      } else {
        let found = Set(
          try error.failures.map { failure in
            let object = main.context.registeredObject(for: failure.objectID)
            let handle = try object.flatMap { try main.peek($0) }
            return handle.map { "\($0).\(failure.property ?? "itself")" } ?? "\(failure)"
          })
        if found != broken {
          throw Difference(
            "context: failures of a save: expected \(broken.sorted()), found \(found.sorted())")
        }
      }
      return try checkMain()
    }
    throw Difference("context: a save went through that breaks \(wrong.map(\.text))")
  }

  /// Mends what is broken, as one event.
  private func repair() throws {
    let before = current
    for _ in 0..<5 {
      let wrong = current.violations()
      if wrong.isEmpty { break }
      for violation in wrong {
        let old = current
        let operations = mending(violation)
        for operation in operations {
          note("", operation)
          try main.perform(operation)
          current.apply(operation)
        }
        mark(from: old, to: current, operations)
        forgetMissing(since: old)
      }
    }
    endEvent(before)
  }

  private func mending(_ violation: Violation) -> [Operation] {
    let handle = violation.handle
    let kind = current.kind(handle)
    if violation.reason == .denied {
      guard let place = kind.links.firstIndex(where: { $0.name == violation.property }),
        let back = kind.links[place].back
      else { return [] }
      let name = GraphModel.kinds[kind.links[place].kind].links[back].name
      return current.destinations(handle, place).map { .point($0, name, nil) }
    }
    if violation.reason == .notUnique {
      return [.set(handle, violation.property, .text("\(violation.property) of \(handle)"))]
    }
    if let field = kind.fields.first(where: { $0.name == violation.property }) {
      return [.set(handle, field.name, value(field, mayBeNull: false))]
    }
    guard let link = kind.links.first(where: { $0.name == violation.property }) else { return [] }
    if let destination = random.element(current.handles(of: link.kind)) {
      return [.point(handle, link.name, destination)]
    }
    return current.deletion(of: handle, base: stored) ?? []
  }
}
