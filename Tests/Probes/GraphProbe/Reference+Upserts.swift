/// New objects that become stored ones with the same unique value, by the objects' trump: what was
/// set in a new one stays, and its links come to those of the stored one.
struct GraphMerge {
  /// With the new objects.
  private let side: Graph
  private let rivals: [(new: Int, stored: Int)]
  private let ends: [Int: Int]
  private(set) var result: Graph

  /// - `rivals`: The new objects and what they become, in the order of insertion.
  init(_ side: Graph, _ rivals: [(new: Int, stored: Int)]) {
    self.side = side
    self.rivals = rivals
    ends = Dictionary(uniqueKeysWithValues: rivals.map { ($0.new, $0.stored) })
    result = side
    takeOff()
    renameOneWay()
    let before = result
    // To-ones of others that led to new objects, then those of the new ones.
    for isOther in [true, false] { for (new, stored) in rivals { link(new, stored, isOther) } }
    setValues()
    arrange(before)
    for (new, _) in rivals { result.take(new, from: Graph()) }
  }

  private func end(_ handle: Int) -> Int { ends[handle] ?? handle }

  private func ends(_ handles: [Int]) -> [Int] { handles.map(end).once }

  private mutating func takeOff() {
    for (new, _) in rivals {
      for link in side.kind(new).links {
        for destination in side.destinations(new, link.name) {
          result.apply(link.isToMany ? .remove(new, link.name, destination) : .point(new, link.name, nil))
        }
      }
    }
  }

  /// The objects that stay, with each of their links that leads to new ones.
  private func others(_ isSuited: (Link) -> Bool) -> [(Int, Link, [Int])] {
    side.live.filter { ends[$0] == nil }.flatMap { handle in
      side.kind(handle).links.filter(isSuited).compactMap { link in
        let destinations = side.destinations(handle, link.name)
        return destinations.contains { ends[$0] != nil } ? (handle, link, destinations) : nil
      }
    }
  }

  private mutating func renameOneWay() {
    for (handle, link, destinations) in others({ $0.back == nil }) {
      let new = ends(destinations)
      result.apply(link.isToMany ? .assign(handle, link.name, new) : .point(handle, link.name, new.first))
    }
  }

  private mutating func link(_ new: Int, _ stored: Int, _ isOther: Bool) {
    for link in side.kind(new).links {
      let isBackToOne = link.back.map { !GraphModel.kinds[link.kind].links[$0].isToMany } ?? false
      for destination in side.destinations(new, link.name) {
        if isOther != (isBackToOne && ends[destination] == nil) { continue }
        // It is the value of the other end, which is new too.
        if isBackToOne, link.isToMany, !isOther { continue }
        result.apply(
          link.isToMany
            ? .add(stored, link.name, [end(destination)]) : .point(stored, link.name, end(destination)))
      }
    }
  }

  private mutating func setValues() {
    for (new, stored) in rivals {
      for field in side.kind(new).fields.dropFirst() where side.value(new, field.name) != field.initial {
        result.apply(.set(stored, field.name, side.value(new, field.name)))
      }
    }
  }

  private mutating func arrange(_ before: Graph) {
    var known: [Int: [String: [Int]]] = [:]
    for (handle, link, destinations) in others({ $0.isOrdered && $0.back != nil }) {
      let order = ends(destinations)
      known[handle, default: [:]][link.name] = order
      arrange(handle, link, order, over: order)
    }
    for (new, stored) in rivals {
      for link in side.kind(new).links where link.isOrdered && !side.destinations(new, link.name).isEmpty {
        let lower = known[stored]?[link.name] ?? before.destinations(stored, link.name)
        arrange(stored, link, ends(side.destinations(new, link.name)), over: lower)
      }
    }
  }

  /// What both orders have stands in the places of the lower one, in the order of the upper one;
  /// what only the upper one has comes behind the one before it there.
  private mutating func arrange(_ handle: Int, _ link: Link, _ wanted: [Int], over present: [Int]) {
    let there = result.destinations(handle, link.name)
    let (upper, lower) = (wanted.filter(there.contains), present.filter(there.contains))
    var both = upper.filter(lower.contains)
    let first = both.first
    var order = lower.map { upper.contains($0) ? both.removeFirst() : $0 }
    for (place, destination) in upper.enumerated() where !lower.contains(destination) {
      if upper[..<place].contains(where: lower.contains), let at = order.firstIndex(of: upper[place - 1]) {
        order.insert(destination, at: at + 1)
      } else if let first, let at = order.firstIndex(of: first) {
        order.insert(destination, at: at)
      } else {
        order.append(destination)
      }
    }
    result.apply(.assign(handle, link.name, order + there.filter { !order.contains($0) }))
  }
}
