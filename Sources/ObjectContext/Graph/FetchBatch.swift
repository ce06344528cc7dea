import ObjectModel
import StoreContract

/// The objects that came in together, so that a fault among them fires for all: one statement a
/// batch, not one an object.
final class FetchBatch {
  let entity: EntityDescription
  let references: [Int64]
  /// Real entities by place, where the entity has subentities and they are known.
  let entityIndices: [Int32]
  /// What was fired for objects that are not registered (yet), and what relationships lead to.
  ///
  /// All of it is dropped when the context saves or refreshes, since it would be out of date.
  private var generation: Int
  private var nodes: [IncrementalStoreNode?] = []
  /// What was asked for, and is not in the store.
  private var missing: Set<Int64> = []
  /// Rows of which only some fields were read, and those fields.
  private var partial: (nodes: [IncrementalStoreNode], fields: Set<Int>)?
  private var toOnes: [Int: FetchBatch] = [:]
  private var toManys: [Int: (destinations: RelationshipDestinations, batch: FetchBatch)] = [:]
  /// The rows that lead to the batch's objects by a to-one without an inverse, by what they lead
  /// to.
  private var holders: [ObjectIdentifier: [Int64: [IncrementalStoreNode]]] = [:]
  /// Where a reference stands first.
  private lazy var places = Dictionary(
    references.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { first, _ in first })

  init(_ entity: EntityDescription, _ references: [Int64], entityIndices: [Int32] = [], generation: Int) {
    self.entity = entity
    self.references = references
    self.entityIndices = entityIndices
    self.generation = generation
  }

  convenience init(
    _ relationship: RelationshipDescription, _ destinations: RelationshipDestinations, generation: Int
  ) {
    self.init(
      relationship.destination, destinations.references, entityIndices: destinations.entityIndices,
      generation: generation)
  }

  /// Whether no reference can stand there twice.
  var isAscending: Bool {
    for place in references.indices.dropFirst() where references[place - 1] >= references[place] {
      return false
    }
    return true
  }

  /// Where a reference stands; `hint` is tried first.
  func place(_ reference: Int64, hint: Int?) -> Int? {
    if let hint, hint < references.count, references[hint] == reference { return hint }
    return places[reference]
  }

  /// Adds a row, for objects that are deallocated and registered again.
  func keep(_ node: IncrementalStoreNode, at place: Int) {
    if nodes.isEmpty { nodes = Array(repeating: nil, count: references.count) }
    nodes[place] = node
  }

  func recordMissing(_ reference: Int64) { missing.insert(reference) }

  /// Whether the store had no row for an object when it was asked.
  func isMissing(_ reference: Int64, generation: Int) -> Bool {
    check(generation)
    return missing.contains(reference)
  }

  /// Keeps rows of which only some fields were read, in the order of the references.
  func keepPartial(_ nodes: [IncrementalStoreNode], fields: Set<Int>) { partial = (nodes, fields) }

  /// Whether rows were read of which only some fields are known.
  func isPartial(generation: Int) -> Bool {
    check(generation)
    return partial != nil
  }

  /// The row of an object if the field was among those read.
  func partialNode(_ reference: Int64, field: Int, generation: Int) -> IncrementalStoreNode? {
    check(generation)
    guard let partial, partial.fields.contains(field), let place = places[reference] else { return nil }
    return partial.nodes[place]
  }

  /// The version of an object's row when parts of it were read.
  func partialVersion(_ reference: Int64, generation: Int) -> Int64? {
    check(generation)
    guard let partial else { return nil }
    return places[reference].map { partial.nodes[$0].version }
  }

  /// The row of an object.
  func node(_ reference: Int64, hint: Int? = nil, generation: Int) -> IncrementalStoreNode? {
    check(generation)
    if nodes.isEmpty { return nil }
    return place(reference, hint: hint).flatMap { nodes[$0] }
  }

  func node(at place: Int, generation: Int) -> IncrementalStoreNode? {
    check(generation)
    return nodes.isEmpty ? nil : nodes[place]
  }

  func toOneBatch(_ index: Int, generation: Int, make: () -> FetchBatch?) -> FetchBatch? {
    check(generation)
    if let known = toOnes[index] { return known }
    toOnes[index] = make()
    return toOnes[index]
  }

  /// What a to-many of one of the batch's objects leads to, with the place of the first destination
  /// in the batch of all; loaded for the whole batch at the first question.
  func destinations(
    _ relationship: RelationshipDescription, of reference: Int64, generation: Int,
    load: ([Int64]) throws -> RelationshipDestinations
  ) throws -> (ArraySlice<Int64>, FetchBatch)? {
    check(generation)
    guard let place = places[reference] else { return nil }
    if let known = toManys[relationship.index] {
      return (known.destinations.destinations(at: place), known.batch)
    }
    let destinations = try load(references)
    let batch = FetchBatch(relationship, destinations, generation: generation)
    toManys[relationship.index] = (destinations, batch)
    return (destinations.destinations(at: place), batch)
  }

  /// Keeps the rows of all objects, in their order.
  func keep(_ all: [IncrementalStoreNode?]) { nodes = all }

  /// The batch of what a to-many of all objects leads to, if it was asked for already.
  func knownDestinations(_ relationship: RelationshipDescription, generation: Int) -> FetchBatch? {
    check(generation)
    return toManys[relationship.index]?.batch
  }

  /// Takes in what a to-many of all objects leads to.
  func keep(
    _ relationship: RelationshipDescription, _ destinations: RelationshipDestinations, _ batch: FetchBatch,
    generation: Int
  ) {
    check(generation)
    toManys[relationship.index] = (destinations, batch)
  }

  /// The rows that lead to an object by a to-one without an inverse; loaded for the whole batch at
  /// the first question.
  func holders(
    of reference: Int64, _ toOne: RelationshipDescription, generation: Int,
    load: ([Int64]) throws -> [IncrementalStoreNode]
  ) rethrows -> [IncrementalStoreNode] {
    check(generation)
    if let known = holders[ObjectIdentifier(toOne)] { return known[reference] ?? [] }
    let loaded = Dictionary(grouping: try load(references)) { $0.reference(toOne.field) ?? 0 }
    holders[ObjectIdentifier(toOne)] = loaded
    return loaded[reference] ?? []
  }

  private func check(_ current: Int) {
    if current == generation { return }
    generation = current
    nodes = []
    missing = []
    partial = nil
    toOnes = [:]
    toManys = [:]
    holders = [:]
  }
}
