import Strongroom

/// Importing what is there already, with the same unique values.
extension Walk {
  /// Another context inserts objects with the unique values of stored ones, links them in any
  /// order, and saves: they become the stored ones, with what was set and linked.
  func importAgain() async throws {
    guard current.violations().isEmpty, !current.hasGhosts else { return }
    if !touched.isEmpty {
      note("save")
      try await saveAndCompare()
    }
    guard let (operations, rivals) = imports() else { return }
    var side = stored
    for operation in operations { side.apply(operation) }
    if side.violations().contains(where: { $0.reason != .notUnique }) { return }
    let merged = GraphMerge(side, rivals).result
    guard merged.violations().isEmpty, !merged.hasGhosts else { return }
    let sibling = View("sibling", container.newContext(), identities)
    sibling.context.mergePolicy = .mergeByPropertyObjectTrump
    if random.chance(3) { sibling.context.undoManager = UndoManager() }
    let ends = Dictionary(uniqueKeysWithValues: rivals.map { ($0.new, $0.stored) })
    for operation in operations {
      note("sibling, again: ", operation)
      try sibling.perform(operation)
      if case .insert(let handle, _) = operation, let end = ends[handle] {
        note("sibling: \(handle) is \(end)")
        try sibling.object(handle).set(GraphModel.handle, end)
      }
    }
    try await save(sibling, merged)
    let imported = View("the importing context", sibling.context, identities)
    try Comparison(view: imported, graph: merged).all()
    let changed = merged.changes(since: stored)
    current = merged
    stored = merged
    everStored.formUnion(stored.live)
    try Comparison(view: main, graph: current).all()
    for handle in changed { try Comparison(view: main, graph: current).object(handle) }
    try await saved()
  }

  /// New objects for some of the stored ones, and links among them and to others.
  private func imports() -> (operations: [Operation], rivals: [(new: Int, stored: Int)])? {
    func unique(_ handle: Int) -> (Field, Value)? {
      stored.kind(handle).fields.lazy.filter(\.isUnique).map { ($0, self.stored.value(handle, $0.name)) }
        .first {
          $0.1 != .null
        }
    }
    let known = random.some(8, of: stored.live.filter { unique($0) != nil })
    if known.isEmpty { return nil }
    var operations: [Operation] = []
    var rivals: [(new: Int, stored: Int)] = []
    var side = stored
    func perform(_ operation: Operation) {
      operations.append(operation)
      side.apply(operation)
    }
    for handle in known {
      guard let (field, value) = unique(handle) else { continue }
      let (new, kind) = (newHandle(), stored.kind(handle))
      perform(.insert(new, kind.name))
      perform(.set(new, field.name, value))
      for field in kind.fields.dropFirst() where !field.isUnique {
        if !field.isOptional && field.initial == .null || random.chance(5) {
          perform(.set(new, field.name, self.value(field, mayBeNull: false)))
        }
      }
      rivals.append((new, handle))
      if random.chance(2) { for _ in 0..<2 { link(rivals.map(\.new), side, perform) } }
    }
    for _ in 0..<3 * rivals.count { link(rivals.map(\.new), side, perform) }
    for (new, _) in rivals {
      for link in side.kind(new).links where !link.isOptional && side.destinations(new, link.name).isEmpty {
        if let destination = random.element(side.handles(of: link.kind)) {
          perform(.point(new, link.name, destination))
        }
      }
    }
    return (operations, rivals)
  }

  /// Links one of the new objects, mostly with another.
  private func link(_ new: [Int], _ side: Graph, _ perform: (Operation) -> Void) {
    guard let handle = random.element(new), let link = random.element(side.kind(handle).links) else { return }
    let family = GraphModel.kinds[link.kind].family
    let pool = (random.chance(5) ? side.live : new).filter { destination in
      side.things[destination].map { family.contains($0.kind) } ?? false
    }
    guard let destination = random.element(pool) else { return }
    if !link.isToMany { return perform(.point(handle, link.name, destination)) }
    if link.isOrdered, random.chance(3) {
      let places = side.destinations(handle, link.name).count { $0 != destination } + 1
      return perform(.place(handle, link.name, destination, at: random.below(places)))
    }
    perform(.add(handle, link.name, [destination]))
  }
}
