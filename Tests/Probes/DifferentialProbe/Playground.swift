import Foundation
import SeededRandom
import Strongroom

/// One set of objects in two stores: a real one, which answers in SQL, and one in memory.
final class Playground {
  let folder: URL
  let model: ManagedObjectModel
  let store: any IncrementalStore
  let memory: InMemoryStore

  init(_ model: ManagedObjectModel, _ kind: StoreKind, seed: UInt64, count: Int) async throws {
    self.model = model
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "differential-\(UUID().uuidString)")
    let real = PersistentContainer(managedObjectModel: model, description: try kind.description(folder))
    let other = PersistentContainer(
      managedObjectModel: model, description: PersistentStoreDescription(type: InMemoryStore.storeType))
    for container in [real, other] {
      try await container.loadPersistentStores()
      var random = Random(seed: seed)
      try Self.fill(container.newContext(), kind, count, &random)
    }
    guard let memory = try other.persistentStoreCoordinator.persistentStore as? InMemoryStore else {
      throw CocoaError(.featureUnsupported)
    }
    store = try real.persistentStoreCoordinator.persistentStore
    self.memory = memory
  }

  deinit {
    try? store.close()
    try? FileManager.default.removeItem(at: folder)
  }

  private static func fill(
    _ context: ManagedObjectContext, _ kind: StoreKind, _ count: Int, _ random: inout Random
  ) throws {
    let model = context.persistentStoreCoordinator.managedObjectModel
    // A fifth as many of each other root.
    var objects: [EntityDescription: [ManagedObject]] = [:]
    for root in model.entities where root.superentity == nil {
      for index in 0..<(root.name == "Item" ? count : max(count / 5, 2)) {
        let entity = index % 4 == 3 ? random.element(root.hierarchy)! : root
        let object = try context.insert(entity.name)
        for attribute in entity.attributes where !attribute.isTransient && !random.chance(5) {
          try object.setValue(kind.storable(Values.value(attribute, &random)), forKey: attribute.name)
        }
        objects[root, default: []].append(object)
      }
    }
    for root in model.entities where root.superentity == nil {
      for object in objects[root] ?? [] {
        for relationship in object.entity.relationships {
          let targets = (objects[relationship.destination.root] ?? []).filter {
            $0.entity.isKind(of: relationship.destination)
          }
          if targets.isEmpty { continue }
          if !relationship.isToMany {
            if !random.chance(3) { try object.setObject(random.element(targets)!, forKey: relationship.name) }
          } else if relationship.isOrdered || relationship.inverse?.isToMany != false {
            for place in Set((0..<random.below(4)).map { _ in random.below(targets.count) }).sorted(by: >) {
              try object.add(targets[place], to: relationship.name)
            }
          }
        }
      }
    }
    try context.save()
  }
}
