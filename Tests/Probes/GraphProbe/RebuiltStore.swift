import Strongroom

/// A store made of a history, beside the one that has the history.
struct RebuiltStore {
  private let replay: HistoryReplay
  private let description: PersistentStoreDescription
  private let model: ManagedObjectModel
  /// By the object in the store with the history, the same in this one.
  private var ids: [ManagedObjectID: ManagedObjectID] = [:]

  /// - Parameters:
  ///   - replay: What the history says.
  ///   - model: The model of both stores.
  ///   - url: A file that does not exist.
  /// - Throws: What opening and saving throw.
  init(_ replay: HistoryReplay, _ model: ManagedObjectModel, at url: URL) async throws {
    self.replay = replay
    self.model = model
    var description = PersistentStoreDescription(url: url, vault: InMemoryVault())
    description.durability = .normal
    description.tracksHistory = false
    self.description = description
    let container = PersistentContainer(managedObjectModel: model, description: description)
    try await container.loadPersistentStores()
    let context = container.newContext()
    defer { withExtendedLifetime(context) { try? container.close() } }
    try fill(context)
  }

  private mutating func fill(_ context: ManagedObjectContext) throws {
    var objects: [ManagedObjectID: ManagedObject] = [:]
    for (id, thing) in replay.things {
      let object = try context.insert(thing.entity.name)
      for (name, value) in thing.attributes { try object.setValue(value, forKey: name) }
      objects[id] = object
    }
    for (id, thing) in replay.things {
      for (name, destination) in thing.toOnes {
        try objects[id]?.setObject(objects[destination], forKey: name)
      }
    }
    // Orders last, since links that are set at their other end come behind those that are there.
    for isOrdered in [false, true] {
      for (id, thing) in replay.things {
        for (name, links) in thing.toManys
        where thing.entity.relationship(named: name)?.isOrdered == isOrdered {
          try objects[id]?.setObjects(links.compactMap { objects[$0] }, forKey: name)
        }
      }
    }
    try context.save()
    ids = objects.mapValues(\.objectID)
  }

  /// Compares all objects, values, links and orders with those that a context fetches.
  func compare(with original: ManagedObjectContext) async throws {
    let container = PersistentContainer(managedObjectModel: model, description: description)
    try await container.loadPersistentStores()
    let context = container.newContext()
    defer { withExtendedLifetime((original, context)) { try? container.close() } }
    let (originals, rebuilt) = (try Self.all(original, model), try Self.all(context, model))
    for (id, object) in originals {
      guard let own = ids[id], let other = rebuilt[own] else {
        throw Difference(history: "it lacks \(object)")
      }
      try compare(object, other)
    }
    if let extra = ids.keys.first(where: { originals[$0] == nil }) {
      throw Difference(history: "it has \(extra), which the store has not")
    }
    if rebuilt.count != originals.count {
      throw Difference(history: "it makes \(rebuilt.count) objects of \(originals.count)")
    }
  }

  private static func all(
    _ context: ManagedObjectContext, _ model: ManagedObjectModel
  ) throws -> [ManagedObjectID: ManagedObject] {
    var found: [ManagedObjectID: ManagedObject] = [:]
    for root in model.entities where root.superentity == nil {
      for object in try context.fetch(FetchRequest(root.name)) { found[object.objectID] = object }
    }
    return found
  }

  private func compare(_ object: ManagedObject, _ other: ManagedObject) throws {
    func expect<T: Equatable>(_ name: String, _ stored: T, _ rebuilt: T) throws {
      if stored == rebuilt { return }
      throw Difference(
        history: "\(object.objectID).\(name) is \(stored) in the store, and \(rebuilt) by the history")
    }
    try expect("entity", object.entity.name, other.entity.name)
    for attribute in object.entity.attributes where !attribute.declaration.isTransient {
      try expect(
        attribute.name, object.value(forKey: attribute.name), other.value(forKey: attribute.name))
    }
    for relationship in object.entity.relationships {
      let name = relationship.name
      if !relationship.isToMany {
        try expect(name, object.object(name).flatMap { ids[$0.objectID] }, other.object(name)?.objectID)
        continue
      }
      let stored = try object.objects(name).compactMap { ids[$0.objectID] }
      let rebuilt = try other.objects(name).map(\.objectID)
      if relationship.isOrdered {
        try expect(name, stored, rebuilt)
      } else {
        try expect(name, Set(stored), Set(rebuilt))
      }
    }
  }
}
