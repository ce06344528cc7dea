/// A rule that one object breaks.
struct Violation: Hashable {
  enum Reason { case required, denied, notUnique }

  let handle: Int
  let property: String
  let reason: Reason

  var text: String { "\(handle).\(property)" }
}

extension Graph {
  /// Every rule that is broken: what forbids a save.
  func violations() -> [Violation] {
    var result: [Violation] = []
    var owners: [Value: Int] = [:]
    for (handle, thing) in things {
      let kind = GraphModel.kinds[thing.kind]
      if thing.isGhost {
        for (index, link) in kind.links.enumerated() where link.rule == .deny {
          let stands = thing.links[index].contains(where: isLive)
          if stands { result.append(Violation(handle: handle, property: link.name, reason: .denied)) }
        }
        continue
      }
      for (index, field) in kind.fields.enumerated() {
        let value = thing.values[index]
        if value == .null {
          if field.isOptional { continue }
          result.append(Violation(handle: handle, property: field.name, reason: .required))
        } else if field.isUnique, owners.updateValue(handle, forKey: value) != nil {
          result.append(Violation(handle: handle, property: field.name, reason: .notUnique))
        }
      }
      for (index, link) in kind.links.enumerated() where !link.isOptional && thing.links[index].isEmpty {
        result.append(Violation(handle: handle, property: link.name, reason: .required))
      }
    }
    return result.count > 1 ? result.sorted { ($0.handle, $0.property) < ($1.handle, $1.property) } : result
  }

  /// What is wrong with the graph itself: a link to what is not there, twice, or not back.
  ///
  /// Nil when all is well.
  func fault() -> String? {
    for (handle, thing) in things {
      for (index, link) in GraphModel.kinds[thing.kind].links.enumerated() {
        let destinations = thing.links[index]
        let name = "\(handle).\(link.name)"
        if Set(destinations).count != destinations.count || !link.isToMany && destinations.count > 1 {
          return "\(name) is \(destinations)"
        }
        if link.isToMany, !link.isOrdered, destinations != destinations.sorted() {
          return "\(name) is not ascending"
        }
        for destination in destinations {
          guard let other = things[destination], GraphModel.kinds[link.kind].family.contains(other.kind)
          else {
            return "\(name) leads to \(destination), which is not there"
          }
          if let back = link.back, !other.links[back].contains(handle) {
            return "\(name) leads to \(destination), which does not lead back"
          }
        }
      }
    }
    return nil
  }

  /// What deletes an object.
  ///
  /// Lists without an inverse show what is deleted until it is saved, so the program takes it out
  /// first. Nil where an object that `base` does not have would go while a denial stands, of which
  /// no save would hear.
  func deletion(of handle: Int, base: Graph) -> [Operation]? {
    var after = self
    after.apply(.delete(handle))
    let gone = Set(live.filter { !after.isLive($0) })
    for handle in gone where after.things[handle] != nil && !base.isLive(handle) { return nil }
    var operations: [Operation] = []
    for handle in live where !gone.contains(handle) {
      for (index, link) in kind(handle).links.enumerated() where link.back == nil && link.isToMany {
        for destination in destinations(handle, index) where gone.contains(destination) {
          operations.append(.remove(handle, link.name, destination))
        }
      }
    }
    return operations + [.delete(handle)]
  }

  /// The handles that an object's links without an inverse lead to.
  func oneWayDestinations(_ handle: Int) -> [Int] {
    guard let thing = things[handle] else { return [] }
    return GraphModel.kinds[thing.kind].links.enumerated().flatMap { index, link in
      link.back == nil ? thing.links[index] : []
    }
  }
}
