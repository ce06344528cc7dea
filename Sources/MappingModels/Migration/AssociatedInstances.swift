import ObjectContext
import StoreContract

/// Which objects one entity mapping made of which, by ID, so that only unsaved objects are retained.
struct AssociatedInstances {
  /// The pairs of one object, linked in their order.
  private struct Chain {
    let first: Int
    var last: Int
  }

  /// An object that was made: itself until it is saved.
  enum Destination {
    case unsaved(ManagedObject)
    case stored(ManagedObjectID)
  }

  private var pairs: [(source: ManagedObjectID, destination: ManagedObjectID)] = []
  private var bySource: [ManagedObjectID: Chain] = [:]
  private var byDestination: [ManagedObjectID: Chain] = [:]
  /// The next pair of the same object, for the few objects that have several.
  private var nextOfSource: [Int: Int] = [:]
  private var nextOfDestination: [Int: Int] = [:]
  /// The objects of pairs whose IDs are temporary.
  private var unsaved: [Int: ManagedObject] = [:]

  mutating func append(_ source: ManagedObjectID, _ destination: ManagedObject) {
    let place = pairs.count
    let id = destination.objectID
    pairs.append((source, id))
    if id.isTemporaryID { unsaved[place] = destination }
    Self.link(place, &bySource[source], &nextOfSource)
    Self.link(place, &byDestination[id], &nextOfDestination)
  }

  private static func link(_ place: Int, _ chain: inout Chain?, _ next: inout [Int: Int]) {
    if let last = chain?.last { next[last] = place }
    chain = Chain(first: chain?.first ?? place, last: place)
  }

  /// Releases the objects that have permanent IDs now.
  mutating func settle() {
    for (place, object) in unsaved where !object.objectID.isTemporaryID {
      let former = pairs[place].destination
      pairs[place].destination = object.objectID
      if let chain = byDestination.removeValue(forKey: former) { byDestination[object.objectID] = chain }
      unsaved[place] = nil
    }
  }

  /// Releases the objects that were deleted before they were saved.
  mutating func dropUnsaved() { unsaved = [:] }

  /// Each object that was made with the first object of which it was made, in the order in which
  /// they were made.
  var destinations: [(source: ManagedObjectID, destination: ManagedObjectID)] {
    pairs.indices.lazy.filter {
      let destination = pairs[$0].destination
      return byDestination[destination]?.first == $0 && !destination.isTemporaryID
    }.map { pairs[$0] }
  }

  func destinations(of source: ManagedObjectID) -> [Destination] {
    Self.places(bySource[source], nextOfSource).compactMap { place in
      if let object = unsaved[place] { return .unsaved(object) }
      let id = pairs[place].destination
      return id.isTemporaryID ? nil : .stored(id)
    }
  }

  func sources(of destination: ManagedObjectID) -> [ManagedObjectID] {
    Self.places(byDestination[destination], nextOfDestination).map { pairs[$0].source }
  }

  private static func places(_ chain: Chain?, _ next: [Int: Int]) -> [Int] {
    var places: [Int] = []
    var place = chain?.first
    while let one = place {
      places.append(one)
      place = next[one]
    }
    return places
  }
}
