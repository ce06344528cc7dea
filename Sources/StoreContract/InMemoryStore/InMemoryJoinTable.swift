/// The join table of a relationship and its inverse, in memory; both directions are ordered.
struct InMemoryJoinTable: Sendable {
  private(set) var destinations: [Int64: [Int64]] = [:]
  private(set) var sources: [Int64: [Int64]] = [:]

  mutating func add(_ link: RelationshipChanges.JoinTableRow) {
    if has(link) { return }
    destinations[link.source, default: []].append(link.destination)
    sources[link.destination, default: []].append(link.source)
  }

  /// Looks in the shorter of the two lists.
  private func has(_ link: RelationshipChanges.JoinTableRow) -> Bool {
    guard let ends = destinations[link.source], let starts = sources[link.destination] else { return false }
    return starts.count < ends.count ? starts.contains(link.source) : ends.contains(link.destination)
  }

  mutating func remove(_ link: RelationshipChanges.JoinTableRow) {
    destinations[link.source]?.removeAll { $0 == link.destination }
    sources[link.destination]?.removeAll { $0 == link.source }
  }

  mutating func removeAll(source: Int64) {
    for destination in destinations.removeValue(forKey: source) ?? [] {
      sources[destination]?.removeAll { $0 == source }
    }
  }

  mutating func removeAll(destination: Int64) {
    for source in sources.removeValue(forKey: destination) ?? [] {
      destinations[source]?.removeAll { $0 == destination }
    }
  }

  mutating func order(source: Int64, destinations ordered: [Int64]) {
    destinations[source] = Self.order(destinations[source] ?? [], by: ordered)
  }

  mutating func order(destination: Int64, sources ordered: [Int64]) {
    sources[destination] = Self.order(sources[destination] ?? [], by: ordered)
  }

  /// The present destinations in a new order; those that the new order does not contain come last.
  private static func order(_ present: [Int64], by wanted: [Int64]) -> [Int64] {
    let (there, known) = (Set(present), Set(wanted))
    return wanted.filter(there.contains) + present.filter { !known.contains($0) }
  }
}
