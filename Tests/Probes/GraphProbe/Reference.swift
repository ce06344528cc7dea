import Foundation

/// What an attribute holds.
enum Value: Sendable, Hashable {
  case null
  case flag(Bool)
  case whole(Int64)
  case real(Double)
  case moment(Double)
  case text(String)
  case bytes(Data)
  case identifier(UUID)
  case address(URL)
  case exact(Decimal)
}

/// One object: its values and the handles it leads to, by the places of its kind's fields and
/// links.
///
/// Links without an order are kept ascending, so that equal sets are equal lists; a to-one is a
/// list of one or none.
struct Thing: Equatable {
  let kind: Int
  var values: [Value]
  var links: [[Int]]
  /// Deleted, while links with the rule deny still lead to others, which forbids the next save.
  var isGhost = false
}

/// The whole graph, as it should be: dictionaries and lists of handles.
///
/// Copies share what they have in common.
struct Graph: Equatable {
  private(set) var things: [Int: Thing] = [:]

  /// The handles of all objects, ascending.
  var live: [Int] {
    var result: [Int] = []
    result.reserveCapacity(things.count)
    for (handle, thing) in things where !thing.isGhost { result.append(handle) }
    return result.sorted()
  }

  var hasGhosts: Bool { things.values.contains(where: \.isGhost) }

  func isLive(_ handle: Int) -> Bool { things[handle].map { !$0.isGhost } ?? false }

  func kind(_ handle: Int) -> Kind { GraphModel.kinds[things[handle]?.kind ?? 0] }

  /// The objects of a kind and of those that inherit from it.
  func handles(of kind: Int) -> [Int] {
    let family = GraphModel.kinds[kind].family
    return things.filter { !$0.value.isGhost && family.contains($0.value.kind) }.map(\.key).sorted()
  }

  func destinations(_ handle: Int, _ link: Int) -> [Int] { things[handle]?.links[link] ?? [] }

  func destinations(_ handle: Int, _ name: String) -> [Int] { destinations(handle, place(handle, name)) }

  func value(_ handle: Int, _ name: String) -> Value {
    let thing = things[handle]
    let place = kind(handle).fields.firstIndex { $0.name == name } ?? 0
    return thing?.values[place] ?? .null
  }

  private func place(_ handle: Int, _ name: String) -> Int {
    kind(handle).links.firstIndex { $0.name == name } ?? 0
  }

  // MARK: Changes

  /// Makes one change.
  mutating func apply(_ operation: Operation) {
    switch operation {
    case .insert(let handle, let kind): insert(handle, kind)
    case .set(let handle, let name, let value):
      let place = kind(handle).fields.firstIndex { $0.name == name } ?? 0
      things[handle]?.values[place] = value
    case .point(let handle, let name, let destination):
      let link = place(handle, name)
      if let destination {
        join(handle, link, destination)
      } else {
        for old in destinations(handle, link) { part(handle, link, old) }
      }
    case .add(let handle, let name, let others):
      for other in others { join(handle, place(handle, name), other) }
    case .remove(let handle, let name, let destination): part(handle, place(handle, name), destination)
    case .assign(let handle, let name, let wanted): assign(handle, place(handle, name), wanted)
    case .place(let handle, let name, let destination, let index):
      let link = place(handle, name)
      join(handle, link, destination)
      things[handle]?.links[link].removeAll { $0 == destination }
      things[handle]?.links[link].insert(destination, at: index)
    case .move(let handle, let name, let offsets, let destination):
      let link = place(handle, name)
      let order = destinations(handle, link)
      let rest = order.indices.filter { !offsets.contains($0) }
      things[handle]?.links[link] =
        rest.filter { $0 < destination }.map { order[$0] } + offsets.map { order[$0] }
        + rest.filter { $0 >= destination }.map { order[$0] }
    case .replace(let handle, let name, let index, let destination):
      replace(handle, place(handle, name), index, destination)
    case .take(let handle, let name, let index):
      let link = place(handle, name)
      part(handle, link, destinations(handle, link)[index])
    case .delete(let handle): delete(handle)
    }
  }

  private mutating func insert(_ handle: Int, _ name: String) {
    guard let index = GraphModel.kinds.firstIndex(where: { $0.name == name }) else { return }
    let kind = GraphModel.kinds[index]
    var values = kind.fields.map(\.initial)
    values[0] = .whole(Int64(handle))
    things[handle] = Thing(kind: index, values: values, links: kind.links.map { _ in [] })
  }

  /// Leads from one object to another, and back where there is an inverse.
  ///
  /// A to-one forgets what it led to before.
  private mutating func join(_ handle: Int, _ index: Int, _ destination: Int) {
    if destinations(handle, index).contains(destination) { return }
    let link = kind(handle).links[index]
    if !link.isToMany, let old = destinations(handle, index).first { part(handle, index, old) }
    guard let back = link.back else { return attach(handle, index, destination) }
    if !kind(destination).links[back].isToMany, let old = destinations(destination, back).first {
      part(destination, back, old)
    }
    attach(handle, index, destination)
    if !(link.isOwnInverse && handle == destination) { attach(destination, back, handle) }
  }

  /// At the end of an order.
  private mutating func attach(_ handle: Int, _ index: Int, _ destination: Int) {
    let link = kind(handle).links[index]
    guard link.isToMany, !link.isOrdered else {
      things[handle]?.links[index].append(destination)
      return
    }
    let place =
      destinations(handle, index).firstIndex { $0 > destination } ?? destinations(handle, index).count
    things[handle]?.links[index].insert(destination, at: place)
  }

  /// Takes both ends of one link away.
  private mutating func part(_ handle: Int, _ index: Int, _ destination: Int) {
    let link = kind(handle).links[index]
    things[handle]?.links[index].removeAll { $0 == destination }
    if let back = link.back { things[destination]?.links[back].removeAll { $0 == handle } }
    lay(handle)
    lay(destination)
  }

  /// A deleted object that leads nowhere is nothing.
  private mutating func lay(_ handle: Int) {
    if let thing = things[handle], thing.isGhost, thing.links.allSatisfy(\.isEmpty) { things[handle] = nil }
  }

  private mutating func assign(_ handle: Int, _ index: Int, _ wanted: [Int]) {
    for old in destinations(handle, index) where !wanted.contains(old) { part(handle, index, old) }
    for destination in wanted { join(handle, index, destination) }
    if kind(handle).links[index].isOrdered { things[handle]?.links[index] = wanted.once }
  }

  /// What is in it already goes from its old place to the new one.
  private mutating func replace(_ handle: Int, _ index: Int, _ place: Int, _ destination: Int) {
    var order = destinations(handle, index)
    let old = order[place]
    if old == destination { return }
    let other = order.firstIndex(of: destination)
    order[place] = destination
    if let other { order.remove(at: other) }
    part(handle, index, old)
    join(handle, index, destination)
    things[handle]?.links[index] = order
  }

  /// Follows the rules at once; denials are for the save.
  private mutating func delete(_ handle: Int) {
    var waiting = [handle]
    var gone: Set<Int> = []
    defer { empty(to: gone) }
    while let next = waiting.popLast() {
      guard isLive(next) else { continue }
      things[next]?.isGhost = true
      gone.insert(next)
      for (index, link) in kind(next).links.enumerated() where link.rule != .deny {
        if link.rule == .cascade { waiting += destinations(next, index) }
        for destination in destinations(next, index) { part(next, index, destination) }
      }
      lay(next)
    }
  }

  /// To-ones without an inverse lead to nothing that is deleted.
  private mutating func empty(to gone: Set<Int>) {
    for (handle, thing) in things where !thing.isGhost {
      for (index, link) in GraphModel.kinds[thing.kind].links.enumerated()
      where link.back == nil && !link.isToMany {
        if let destination = thing.links[index].first, gone.contains(destination) {
          things[handle]?.links[index] = []
        }
      }
    }
  }

  // MARK: Copies

  /// The handles whose objects differ, ascending.
  func changes(since old: Graph) -> [Int] {
    var result: [Int] = []
    for (handle, thing) in things where old.things[handle] != thing { result.append(handle) }
    for handle in old.things.keys where things[handle] == nil { result.append(handle) }
    return result.sorted()
  }

  /// Has an object as another graph has it, or not at all.
  mutating func take(_ handle: Int, from other: Graph) { things[handle] = other.things[handle] }

  /// Has an object's values as another graph has them.
  mutating func takeValues(_ handle: Int, from other: Graph) {
    guard let values = other.things[handle]?.values else { return }
    things[handle]?.values = values
  }
}

extension Array where Element: Hashable {
  /// Each element once, where it comes first.
  var once: [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}
