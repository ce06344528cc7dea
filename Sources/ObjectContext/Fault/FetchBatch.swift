import ObjectModel
import StoreContract

/// The objects that came in together, so that a fault among them fires for all: one statement a batch, not one an
/// object.
final class FetchBatch {
  let entity: Entity
  let references: [Int64]
  /// Real entities by reference, where the entity has subentities and they are known.
  var entityIndices: [Int64: Int32] = [:]
  /// What was fired for objects that are not registered (yet), and what relationships lead to. All of it is dropped
  /// when the context saves or refreshes, since it would be out of date.
  private var generation = 0
  private var nodes: [Int64: IncrementalStoreNode] = [:]
  private var toOnes: [Int: FetchBatch] = [:]
  private var toManys: [Int: (targets: RelationshipTargets, batch: FetchBatch)] = [:]
  private lazy var positions = Dictionary(
    references.enumerated().map { ($0.element, $0.offset) }, uniquingKeysWith: { first, _ in first })

  init(_ entity: Entity, _ references: [Int64], generation: Int) {
    self.entity = entity
    self.references = references
    self.generation = generation
  }

  /// Keeps a row for objects that are let go of and asked for again.
  func keep(_ node: IncrementalStoreNode) { nodes[node.reference] = node }

  func node(_ reference: Int64, generation: Int) -> IncrementalStoreNode? {
    check(generation)
    return nodes[reference]
  }

  func toOneBatch(_ slot: Int, generation: Int, make: () -> FetchBatch?) -> FetchBatch? {
    check(generation)
    if let known = toOnes[slot] { return known }
    toOnes[slot] = make()
    return toOnes[slot]
  }

  /// What a to-many of one of the batch's objects leads to; loaded for the whole batch at the first question.
  func targets(
    _ relationship: Relationship, of reference: Int64, generation: Int,
    load: ([Int64]) throws -> RelationshipTargets
  ) throws -> (ArraySlice<Int64>, FetchBatch)? {
    check(generation)
    guard let position = positions[reference] else { return nil }
    if let known = toManys[relationship.slot] { return (known.targets.targets(at: position), known.batch) }
    let targets = try load(references)
    let batch = FetchBatch(relationship.destination, targets.references, generation: generation)
    if !targets.entityIndices.isEmpty {
      for (reference, entity) in zip(targets.references, targets.entityIndices) {
        batch.entityIndices[reference] = entity
      }
    }
    toManys[relationship.slot] = (targets, batch)
    return (targets.targets(at: position), batch)
  }

  private func check(_ current: Int) {
    if current == generation { return }
    generation = current
    nodes = [:]
    toOnes = [:]
    toManys = [:]
  }
}
