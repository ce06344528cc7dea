import Foundation

/// Choosing what to change. All choices come from the reference, in an order that the seed alone
/// decides.
extension Walk {
  /// What is to be done, and what the graph is then.
  struct Choice {
    var operations: [Operation]
    var after: Graph
  }

  private static let most = 60

  /// Something to change in a graph; nil when what was thought of would not do.
  ///
  /// - `base`: What lies beneath: the file, or the parent's graph.
  /// - `avoided`: Objects to be left alone.
  func choose(in graph: Graph, base: Graph, avoiding avoided: Set<Int> = []) -> Choice? {
    let live = avoided.isEmpty ? graph.live : graph.live.filter { !avoided.contains($0) }
    guard let operations = operations(in: graph, base, live) else { return nil }
    var after = graph
    for operation in operations { after.apply(operation) }
    // What changes nothing is for now and then, since it cannot be known whether that can be
    // undone; and so are broken rules, or no save would go through.
    if after == graph, !random.chance(10) { return nil }
    if after.violations().count > graph.violations().count, !random.chance(6) { return nil }
    return Choice(operations: operations, after: after)
  }

  private func operations(in graph: Graph, _ base: Graph, _ live: [Int]) -> [Operation]? {
    let isFull = live.count >= Self.most
    if live.count < 12 || !isFull && random.chance(live.count < 40 ? 3 : 14) {
      return insertion(in: graph, live)
    }
    func one(with isSuited: (Link) -> Bool) -> (Int, Link)? {
      let able = live.filter { graph.kind($0).links.contains(where: isSuited) }
      guard let handle = random.element(able) else { return nil }
      return random.element(graph.kind(handle).links.filter(isSuited)).map { (handle, $0) }
    }
    switch random.below(100) {
    case 0..<(isFull ? 10 : 4):
      return random.element(live).flatMap { graph.deletion(of: $0, base: base) }
    case 10..<35: return random.element(live).flatMap { setting($0, graph.kind($0)) }
    case 35..<55:
      guard let (handle, link) = one(with: { !$0.isToMany }) else { return nil }
      return [.point(handle, link.name, random.chance(4) ? nil : destination(link, live, graph))]
    case 55..<75: return one(with: \.isToMany).flatMap { changeMany($0, $1, live, graph) }
    default:
      // Of two orders the longer, so that there are some in which to move.
      guard var (handle, link) = one(with: \.isOrdered), let (other, another) = one(with: \.isOrdered) else {
        return nil
      }
      if graph.destinations(other, another.name).count > graph.destinations(handle, link.name).count {
        (handle, link) = (other, another)
      }
      return changeOrder(handle, link, live, graph)
    }
  }

  private func destination(_ link: Link, _ live: [Int], _ graph: Graph) -> Int? {
    let family = GraphModel.kinds[link.kind].family
    return random.element(live.filter { graph.things[$0].map { family.contains($0.kind) } ?? false })
  }

  /// A new object, mostly with what it must have.
  private func insertion(in graph: Graph, _ live: [Int]) -> [Operation]? {
    let pool = GraphModel.kinds.flatMap { kind in Array(repeating: kind, count: kind.weight) }
    guard let kind = random.element(pool) else { return nil }
    let handle = newHandle()
    var operations: [Operation] = [.insert(handle, kind.name)]
    for field in kind.fields.dropFirst() where !field.isOptional && field.initial == .null || random.chance(3)
    {
      operations.append(.set(handle, field.name, value(field, mayBeNull: false)))
    }
    for link in kind.links where !link.isToMany && (!link.isOptional || random.chance(4)) {
      if let destination = destination(link, live, graph) {
        operations.append(.point(handle, link.name, destination))
      }
    }
    return operations
  }

  /// Sets a field: to anything, to nothing, or back to what is stored.
  private func setting(_ handle: Int, _ kind: Kind) -> [Operation]? {
    guard let field = random.element(Array(kind.fields.dropFirst())) else { return nil }
    if random.chance(6), stored.isLive(handle) {
      return [.set(handle, field.name, stored.value(handle, field.name))]
    }
    return [.set(handle, field.name, value(field, mayBeNull: true))]
  }

  private func changeMany(_ handle: Int, _ link: Link, _ live: [Int], _ graph: Graph) -> [Operation]? {
    let present = graph.destinations(handle, link.name)
    let family = GraphModel.kinds[link.kind].family
    let all = live.filter { graph.things[$0].map { family.contains($0.kind) } ?? false }
    let reachable = present.filter(all.contains)
    switch random.below(8) {
    case 0..<4:
      let destinations = random.some(3, of: all)
      return destinations.isEmpty ? nil : [.add(handle, link.name, destinations)]
    case 4..<7: return random.element(reachable).map { [.remove(handle, link.name, $0)] }
    default:
      // What is to be left alone stays in.
      guard reachable.count == present.count else { return nil }
      var destinations = random.some(5, of: all)
      if random.chance(3) { destinations += random.some(5, of: reachable) }
      if random.chance(4), let twice = destinations.first { destinations.append(twice) }
      return [.assign(handle, link.name, random.chance(20) ? [] : destinations)]
    }
  }

  private func changeOrder(_ handle: Int, _ link: Link, _ live: [Int], _ graph: Graph) -> [Operation]? {
    let present = graph.destinations(handle, link.name)
    guard present.allSatisfy(Set(live).contains) else { return nil }
    switch random.below(present.isEmpty ? 3 : 10) {
    case 0..<4:
      let some = random.chance(3) ? random.element(present) : nil
      guard let destination = some ?? self.destination(link, live, graph) else { return nil }
      let places = present.count { $0 != destination } + 1
      return [.place(handle, link.name, destination, at: random.below(places))]
    case 4..<7:
      let offsets = random.some(3, of: Array(present.indices)).sorted()
      return [.move(handle, link.name, from: offsets, to: random.below(present.count + 1))]
    case 7..<9:
      guard let destination = destination(link, live, graph) else { return nil }
      return [.replace(handle, link.name, at: random.below(present.count), with: destination)]
    default: return [.take(handle, link.name, at: random.below(present.count))]
    }
  }

  // MARK: Values

  /// A value of a field's type; few, so that they meet, and odd.
  func value(_ field: Field, mayBeNull: Bool) -> Value {
    if mayBeNull, random.chance(5) { return .null }
    // Those of shapes meet often.
    if field.isUnique { return .text("\(field.name) \(random.below(field.name == "code" ? 60 : 5000))") }
    return switch field.type {
    case .integer16: .whole([0, 1, -32768, 32767][random.below(4)])
    case .integer32: .whole([0, 18, -2_147_483_648, 2_147_483_647][random.below(4)])
    case .integer64: .whole([0, 1, .min, .max, (1 << 53) + 1][random.below(5)])
    case .decimal:
      .exact([0, 1, -12, Decimal(sign: .minus, exponent: -3, significand: 1025)][random.below(4)])
    case .double: .real([0, 0.1, -1e308, 2.5e-308, .infinity][random.below(5)])
    case .float: .real([0, 0.5, -2.25, 1024][random.below(4)])
    case .string:
      .text(["", "a", "ä", "A", "straße", kind == .file ? "x\u{0}y" : "x\u{1}y", "👩‍👩‍👧"][random.below(7)])
    case .boolean: .flag(random.chance(2))
    case .date: .moment([0, 0.5, -1, 1e9][random.below(4)])
    case .binary where field.isExternal:
      .bytes(Data(repeating: UInt8(random.below(3)), count: [0, 10, 100_000][random.below(3)]))
    case .binary: .bytes(Data(["", "a", "\u{0}", "long enough to be on the heap"][random.below(4)].utf8))
    case .uuid: .identifier(UUID(uuid: (UInt8(random.below(3)), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)))
    case .uri: .address(URL(fileURLWithPath: ["/a", "/b c", "/ä"][random.below(3)]))
    }
  }
}
