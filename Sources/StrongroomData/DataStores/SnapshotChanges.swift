import ObjectContext
import ObjectModel
import StoreContract

/// The rows and snapshots of a save: those of the models that are saved, and of those at the other ends of
/// their relationships.
struct SnapshotChanges<Base: DataStore> {
  typealias Row = CustomStore<Base>.Row

  private struct Place: Hashable {
    let root: Int
    let reference: Int64
  }

  private let store: CustomStore<Base>
  private var nodes: [Place: IncrementalStoreNode] = [:]
  /// To-manys that change, whole, by the index of the relationship.
  private var lists: [Place: [Int: [Int64]]] = [:]
  private var affected: [Place] = []
  private var gone: Set<Place> = []

  var inserted: [Row] = []
  private(set) var updated: [Row] = []
  private(set) var deleted: [Base.Snapshot] = []

  /// - Throws: `StoreError.conflict` for models that are other or no longer there; what loading them throws.
  init(_ store: CustomStore<Base>, _ save: SaveChangesRequest) throws {
    self.store = store
    try check(save)
    for id in save.deleted.map(\.objectID) { gone.insert(Self.place(id)) }
    for node in save.inserted + save.updated.map(\.node) { nodes[Self.place(node.objectID)] = node }
    for node in save.inserted {
      lists[Self.place(node.objectID)] = Dictionary(
        uniqueKeysWithValues: node.entity.relationships.filter(\.isToMany).map { ($0.index, []) })
    }
    // Only now: one may be put into the to-many of another new one that comes later.
    for node in save.inserted { try move(node, from: nil) }
    for change in save.updated { try move(change.node, from: known(Self.place(change.node.objectID))?.node) }
    for lock in save.deleted { try remove(lock.objectID) }
    for changes in save.relationshipChanges { try apply(changes) }
    try makeSnapshots(save)
  }

  private static func place(_ id: ManagedObjectID) -> Place {
    Place(root: id.entity.root.index, reference: id.reference)
  }

  private func known(_ place: Place) -> Row? { store.rows[place.root]?[place.reference] }

  private func check(_ save: SaveChangesRequest) throws {
    let wanted =
      save.updated.map { LockedObject(objectID: $0.node.objectID, version: $0.node.version - 1) }
      + save.deleted
      + save.locked
    let ids = wanted.map(\.objectID) + save.existing
    for (_, own) in Dictionary(grouping: ids, by: { $0.entity.root.index }) {
      try store.load(own.map(\.reference), of: own[0].entity.root)
    }
    let stale = wanted.filter { known(Self.place($0.objectID))?.node.version != $0.version }.map(\.objectID)
    guard stale.isEmpty else {
      throw StoreError.stale(stale)
    }
    let new = Set(save.inserted.map { Self.place($0.objectID) })
    let missing = save.existing.filter { known(Self.place($0)) == nil && !new.contains(Self.place($0)) }
    if !missing.isEmpty { throw StoreError.missingDestinations(missing) }
  }

  // MARK: The other ends

  /// Takes a model out of the to-manys that its to-ones led to, and puts it into those they lead to.
  private mutating func move(_ node: IncrementalStoreNode, from old: IncrementalStoreNode?) throws {
    for relationship in node.entity.relationships where !relationship.isToMany {
      guard let inverse = relationship.inverse, inverse.isToMany else { continue }
      let (before, after) = (old?.reference(relationship.field), node.reference(relationship.field))
      if before == after { continue }
      if let before { try change(inverse, of: before) { $0.removeAll { $0 == node.reference } } }
      if let after {
        try change(inverse, of: after) { if !$0.contains(node.reference) { $0.append(node.reference) } }
      }
    }
  }

  private mutating func remove(_ id: ManagedObjectID) throws {
    guard let row = known(Self.place(id)) else { return }
    for relationship in id.entity.relationships {
      guard let inverse = relationship.inverse, inverse.isToMany else { continue }
      let destinations =
        relationship.isToMany
        ? row.toManys[relationship.index] ?? [] : row.node.reference(relationship.field).map { [$0] } ?? []
      for destination in destinations {
        try change(inverse, of: destination) { $0.removeAll { $0 == id.reference } }
      }
    }
  }

  private mutating func apply(_ changes: RelationshipChanges) throws {
    let owner = changes.relationship
    for row in changes.removed {
      try change(owner, of: row.source) { $0.removeAll { $0 == row.destination } }
      if let inverse = owner.inverse {
        try change(inverse, of: row.destination) { $0.removeAll { $0 == row.source } }
      }
    }
    for row in changes.added {
      try change(owner, of: row.source) { if !$0.contains(row.destination) { $0.append(row.destination) } }
      if let inverse = owner.inverse {
        try change(inverse, of: row.destination) { if !$0.contains(row.source) { $0.append(row.source) } }
      }
    }
    for (source, destinations) in changes.orders { try change(owner, of: source) { $0 = destinations } }
    guard let inverse = owner.inverse else { return }
    for (source, destinations) in changes.inverseOrders {
      try change(inverse, of: source) { $0 = destinations }
    }
  }

  private mutating func change(
    _ relationship: RelationshipDescription, of reference: Int64, _ body: (inout [Int64]) -> Void
  ) throws {
    let place = Place(root: relationship.entity.root.index, reference: reference)
    if gone.contains(place) { return }
    if lists[place]?[relationship.index] == nil {
      try store.load([reference], of: relationship.entity)
      // The store has nothing of this relationship here: the other end says it.
      guard let known = known(place)?.toManys[relationship.index] else { return }
      lists[place, default: [:]][relationship.index] = known
    }
    if nodes[place] == nil, let node = known(place)?.node {
      nodes[place] = node
      affected.append(place)
    }
    body(&lists[place, default: [:]][relationship.index, default: []])
  }

  // MARK: Snapshots

  private mutating func makeSnapshots(_ save: SaveChangesRequest) throws {
    var datas: [PersistentIdentifier: any BackingData] = [:]
    func made(_ place: Place) throws -> (row: PlainRow, data: any BackingData)? {
      guard let node = nodes[place] else { return nil }
      let toManys = (known(place)?.toManys ?? [:]).merging(lists[place] ?? [:]) { $1 }
      let data = try SavedModel(store, node, toManys) { [self] in nodes[Place(root: $0, reference: $1)] }
        .backingData()
      if let identifier = data.persistentModelID { datas[identifier] = data }
      return (PlainRow(node: node, toManys: toManys), data)
    }
    let new = try save.inserted.compactMap { try made(Self.place($0.objectID)) }
    let changed = try save.updated.compactMap { try made(Self.place($0.node.objectID)) }
    let others = try affected.compactMap { try made($0) }
    func row(_ made: (row: PlainRow, data: any BackingData)) -> Row {
      Row(
        node: made.row.node, toManys: made.row.toManys,
        snapshot: Base.Snapshot(from: made.data, relatedBackingDatas: &datas))
    }
    inserted = new.map(row)
    updated = (changed + others).map(row)
    deleted = save.deleted.compactMap { known(Self.place($0.objectID))?.snapshot }
  }

  private struct PlainRow {
    let node: IncrementalStoreNode
    let toManys: [Int: [Int64]]
  }
}
