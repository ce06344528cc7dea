import ObjectModel
import SeededRandom
import StoreContract

/// The save that fills a store at random.
struct HarbourFilling {
  private let store: any IncrementalStore
  private var random: Random
  private var references: [String: [Int64]] = [:]
  private let builder = NodeBuilder()
  private(set) var save = SaveChangesRequest()
  private var pending: [(id: ManagedObjectID, values: [String: AttributeValue])] = []
  private var count = 0

  init(_ store: any IncrementalStore, _ seed: UInt64) {
    (self.store, random) = (store, Random(seed: seed))
    save.metadata = ["theme": "harbour", "empty": "", "é": "\u{1F6A2}'\""]
  }

  mutating func add(_ number: Int, _ entity: EntityDescription) throws {
    // Every third number is left out, as of objects that were deleted.
    let ids = try store.obtainPermanentIDs(for: Array(repeating: entity, count: number * 3 / 2))
    for (place, id) in ids.enumerated() where place % 3 != 2 {
      var values: [String: AttributeValue] = [:]
      for attribute in entity.attributes where !attribute.isTransient {
        values[attribute.name] = Harbour.value(attribute.type, &random)
      }
      count += 1
      if entity.property(named: "code") != nil { values["code"] = .string("code \(count)") }
      for each in sequence(first: entity, next: \.superentity) {
        references[each.name, default: []].append(id.reference)
      }
      pending.append((id, values))
    }
  }

  /// Sets relationships, and makes the nodes.
  mutating func link() throws {
    var crews: [Int64: [Int64]] = [:]
    let people = references["Person"] ?? []
    var ships = references["Ship"] ?? []
    for (id, given) in pending {
      var values = given
      if id.entity.isKind(of: "Vessel"), !random.chance(4), let captain = random.element(people) {
        values["captain"] = .reference(captain)
        crews[captain, default: []].append(id.reference)
      }
      if id.entity.name == "Person", let mentor = random.element(people) {
        values["mentor"] = .reference(mentor)
      }
      if id.entity.name == "Anchor", let ship = ships.popLast() {
        values["ship"] = .reference(ship)
        let place = pending.firstIndex { $0.id.entity.isKind(of: "Ship") && $0.id.reference == ship }
        // Both ends of a one-to-one are stored.
        if let place { pending[place].values["anchor"] = .reference(id.reference) }
      }
      if let place = pending.firstIndex(where: { $0.id == id }) { pending[place].values.merge(values) { $1 } }
    }
    for (id, values) in pending {
      builder.begin(fieldCount: id.entity.fieldCount)
      for field in id.entity.storedFields { try builder.set(field, values[field.name] ?? .null) }
      save.inserted.append(builder.finish(id.storeEntity, reference: id.reference, version: 1))
    }
    try joinTables(crews)
  }

  private mutating func joinTables(_ crews: [Int64: [Int64]]) throws {
    let entities = store.storeEntities.map(\.entity)
    for relationship in entities.flatMap(\.relationships)
    where relationship.hasJoinTable && relationship.joinTableOwner === relationship {
      if save.relationshipChanges.contains(where: { $0.relationship === relationship }) { continue }
      var changes = RelationshipChanges(relationship: relationship)
      if relationship.name == "vessels", relationship.entity.name == "Person" {
        for (captain, vessels) in crews {
          let order = vessels.sorted { ($0 * 7919) % 101 < ($1 * 7919) % 101 }
          changes.added += order.map { .init(source: captain, destination: $0) }
          changes.orders.append((captain, order))
        }
      } else {
        link(&changes, relationship)
      }
      save.relationshipChanges.append(changes)
    }
  }

  private mutating func link(_ changes: inout RelationshipChanges, _ relationship: RelationshipDescription) {
    var byDestination: [Int64: [Int64]] = [:]
    let isReflexive = relationship.inverse === relationship
    for source in references[relationship.entity.name] ?? [] {
      let destinations = random.some(6, of: references[relationship.destination.name] ?? [])
      changes.added += destinations.map { .init(source: source, destination: $0) }
      if isReflexive { changes.added += destinations.map { .init(source: $0, destination: source) } }
      if relationship.isOrdered { changes.orders.append((source, destinations)) }
      for destination in destinations { byDestination[destination, default: []].append(source) }
    }
    guard let inverse = relationship.inverse, !isReflexive, inverse.isOrdered else { return }
    for (destination, sources) in byDestination {
      changes.inverseOrders.append((destination, sources.reversed()))
    }
  }
}

extension EntityDescription {
  fileprivate func isKind(of name: String) -> Bool {
    sequence(first: self, next: \.superentity).contains { $0.name == name }
  }
}
