import ObjectModel
import StoreContract

/// Which store has which entity.
struct StoreAssignment: Sendable {
  private(set) var stores: [any IncrementalStore] = []
  /// By entity; those of temporary IDs where no store has the entity.
  private(set) var storeEntities: [StoreEntity]
  /// By entity: the place among the stores.
  private var places: [Int?]
  private let temporary: [StoreEntity]

  init(_ model: ManagedObjectModel, _ temporary: [StoreEntity]) {
    storeEntities = temporary
    self.temporary = temporary
    places = Array(repeating: nil, count: model.entities.count)
  }

  /// The entities of a configuration with all that inherit from the same roots, since a family
  /// shares a table.
  static func entities(of configuration: String?, in model: ManagedObjectModel) throws(ContextError)
    -> [EntityDescription]
  {
    guard let configuration, configuration != "Default" || model.declaration.configurations["Default"] != nil
    else {
      return model.entities
    }
    guard let names = model.declaration.configurations[configuration] else {
      throw ContextError(.unknownKey, "the model has no configuration \(configuration)")
    }
    let roots = Set(names.compactMap { model.entity(named: $0)?.root })
    let entities = model.entities.filter { roots.contains($0.root) }
    let own = Set(entities)
    for entity in entities {
      for relationship in entity.relationships
      where !relationship.isTransient && !own.contains(relationship.destination) {
        throw ContextError(
          .configuration,
          "\(entity.name).\(relationship.name) has a destination outside the configuration"
            + " \(configuration), and relationships cannot cross stores: put \(relationship.destination.name)"
            + " into it too, or use a fetched property")
      }
    }
    return entities
  }

  func check(_ entities: [EntityDescription]) throws(ContextError) {
    guard let taken = entities.first(where: { places[$0.index] != nil }) else { return }
    throw ContextError(
      .configuration,
      "a store of this coordinator has the entity \(taken.name) already; name configurations without common"
        + " entities, "
        + "or use a container of its own")
  }

  mutating func add(_ store: any IncrementalStore, _ entities: [EntityDescription]) throws(ContextError) {
    try check(entities)
    if stores.contains(where: { $0.identifier == store.identifier }) {
      throw ContextError(
        .configuration, "two stores have the identifier \(store.identifier); give each one of its own")
    }
    stores.append(store)
    let own = store.storeEntities
    for entity in entities {
      places[entity.index] = stores.count - 1
      storeEntities[entity.index] = own[entity.index]
    }
    onlyStore = stores.count == 1 && !places.contains(nil) ? store : nil
  }

  mutating func remove(_ store: any IncrementalStore) throws(ContextError) {
    guard let place = stores.firstIndex(where: { $0 === store }) else {
      throw ContextError(.noStore, "the store does not belong to this coordinator")
    }
    stores.remove(at: place)
    for (index, own) in places.enumerated() {
      guard let own, own >= place else { continue }
      places[index] = own == place ? nil : own - 1
      if own == place { storeEntities[index] = temporary[index] }
    }
    onlyStore = stores.count == 1 && !places.contains(nil) ? stores[0] : nil
  }

  /// Puts a store in the place of another, for the same entities.
  mutating func replace(_ store: any IncrementalStore, by other: any IncrementalStore) throws(ContextError) {
    guard let place = stores.firstIndex(where: { $0 === store }) else {
      throw ContextError(.noStore, "the store does not belong to this coordinator")
    }
    stores[place] = other
    for (index, own) in places.enumerated() where own == place {
      storeEntities[index] = other.storeEntities[index]
    }
    if onlyStore != nil { onlyStore = other }
  }

  func entities(of store: any IncrementalStore) throws(ContextError) -> [EntityDescription] {
    guard let place = stores.firstIndex(where: { $0 === store }) else {
      throw ContextError(.noStore, "the store does not belong to this coordinator")
    }
    return storeEntities.filter { places[$0.entity.index] == place }.map(\.entity)
  }

  /// The store that has every entity.
  private(set) var onlyStore: (any IncrementalStore)?

  func store(of entity: EntityDescription) -> (any IncrementalStore)? {
    places[entity.index].map { stores[$0] }
  }
}
