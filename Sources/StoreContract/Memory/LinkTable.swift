/// The links of one relationship pair in memory, both ends in order.
struct LinkTable: Sendable {
  private(set) var targets: [Int64: [Int64]] = [:]
  private(set) var sources: [Int64: [Int64]] = [:]

  mutating func add(_ link: LinkChanges.Link) {
    guard targets[link.source]?.contains(link.target) != true else { return }
    targets[link.source, default: []].append(link.target)
    sources[link.target, default: []].append(link.source)
  }

  mutating func remove(_ link: LinkChanges.Link) {
    targets[link.source]?.removeAll { $0 == link.target }
    sources[link.target]?.removeAll { $0 == link.source }
  }

  mutating func removeAll(source: Int64) {
    for target in targets.removeValue(forKey: source) ?? [] { sources[target]?.removeAll { $0 == source } }
  }

  mutating func removeAll(target: Int64) {
    for source in sources.removeValue(forKey: target) ?? [] { targets[source]?.removeAll { $0 == target } }
  }

  mutating func order(source: Int64, targets ordered: [Int64]) {
    targets[source] = Self.order(targets[source] ?? [], by: ordered)
  }

  mutating func order(target: Int64, sources ordered: [Int64]) {
    sources[target] = Self.order(sources[target] ?? [], by: ordered)
  }

  /// What is there in a new order; what that does not know of comes last.
  private static func order(_ present: [Int64], by wanted: [Int64]) -> [Int64] {
    let (there, known) = (Set(present), Set(wanted))
    return wanted.filter(there.contains) + present.filter { !known.contains($0) }
  }
}
