import ObjectModel
import StoreContract

/// The objects that were fetched together: a fault among them fires for all of them.
///
/// This takes one statement for each batch instead of one for each object.
final class FetchBatch {
  let entity: EntityDescription
  let references: [Int64]
  /// The actual entity of each object by its index, where the entity has subentities and the
  /// objects' entities are known.
  let entityIndices: [Int32]
  /// The change tracker's generation for which the cached rows and destinations are valid.
  ///
  /// All of them are dropped when the generation changes, since they may be out of date.
  private var generation: Int
  private var nodes: [IncrementalStoreNode?] = []
  /// The reference numbers for which the store had no row.
  private var missing: Set<Int64> = []
  /// Partially read rows, and the fields that were read.
  private var partial: (nodes: [IncrementalStoreNode], fields: Set<Int>)?
  // By relationship: those of two subentities can have the same index.
  private var toOnes: [ObjectIdentifier: FetchBatch] = [:]
  private var toManys: [ObjectIdentifier: (destinations: RelationshipDestinations, batch: FetchBatch)] = [:]
  /// The rows that refer to the batch's objects by a to-one without an inverse, by the
  /// relationship and the object they refer to.
  private var holders: [ObjectIdentifier: [Int64: [IncrementalStoreNode]]] = [:]
  /// The first index of each reference.
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

  /// Whether the references ascend, so that none of them occurs twice.
  var isAscending: Bool {
    for place in references.indices.dropFirst() where references[place - 1] >= references[place] {
      return false
    }
    return true
  }

  /// The index of a reference; `hint` is tried first.
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

  /// Whether the store had no row for an object.
  func isMissing(_ reference: Int64, generation: Int) -> Bool {
    check(generation)
    return missing.contains(reference)
  }

  /// Stores partially read rows, in the order of the references.
  func keepPartial(_ nodes: [IncrementalStoreNode], fields: Set<Int>) { partial = (nodes, fields) }

  /// Whether the batch has partially read rows.
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

  /// The version of an object's row if some of its fields were read.
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

  func toOneBatch(_ toOne: RelationshipDescription, generation: Int, make: () -> FetchBatch?) -> FetchBatch? {
    check(generation)
    if let known = toOnes[ObjectIdentifier(toOne)] { return known }
    let new = make()
    toOnes[ObjectIdentifier(toOne)] = new
    return new
  }

  /// The destinations of a to-many of one object, as a slice of the batch of all destinations.
  ///
  /// The first call loads the destinations of all objects of this batch.
  func destinations(
    _ relationship: RelationshipDescription, of reference: Int64, generation: Int,
    load: ([Int64]) throws -> RelationshipDestinations
  ) throws -> (ArraySlice<Int64>, FetchBatch)? {
    check(generation)
    guard let place = places[reference] else { return nil }
    if let known = toManys[ObjectIdentifier(relationship)] {
      return (known.destinations.destinations(at: place), known.batch)
    }
    let destinations = try load(references)
    let batch = FetchBatch(relationship, destinations, generation: generation)
    toManys[ObjectIdentifier(relationship)] = (destinations, batch)
    return (destinations.destinations(at: place), batch)
  }

  /// Stores the rows of all objects, in the order of the references.
  func keep(_ all: [IncrementalStoreNode?]) { nodes = all }

  /// The batch of the destinations of a to-many of all objects, if it was loaded already.
  func knownDestinations(_ relationship: RelationshipDescription, generation: Int) -> FetchBatch? {
    check(generation)
    return toManys[ObjectIdentifier(relationship)]?.batch
  }

  /// Stores the destinations of a to-many of all objects.
  func keep(
    _ relationship: RelationshipDescription, _ destinations: RelationshipDestinations, _ batch: FetchBatch,
    generation: Int
  ) {
    check(generation)
    toManys[ObjectIdentifier(relationship)] = (destinations, batch)
  }

  /// The rows that refer to an object by a to-one without an inverse.
  ///
  /// The first call loads the rows for all objects of the batch.
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
