import Foundation
import Locks
import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit

extension ContextCheck {
  static let movedStores: [ContextCheck] = [
    ContextCheck(
      "a migration takes subentities, long bytes, thousands of objects and metadata along (migrate)"
    ) {
      factory in
      var bytes = Attribute("picture", .binary)
      bytes.allowsExternalBinaryDataStorage = true
      let picture = bytes
      let model = try ManagedObjectModel {
        Entity("Shape") {
          Attribute("number", .integer32)
          picture
          Relationship("next", to: "Shape", inverse: "previous")
          Relationship("previous", to: "Shape", inverse: "next")
          Relationship("around", toMany: "Shape", ordered: true)
        }
        Entity("Circle", parent: "Shape") { Attribute("radius", .double) }
        Entity("Ring", parent: "Circle") { Attribute("width", .double) }
      }
      let scenario = try await ContextScenario(factory, model)
      let context = scenario.newContext()
      let kinds = ["Shape", "Circle", "Ring"]
      let shapes = try (0..<2500).map { number in
        let shape = try context.insert(kinds[number % 3])
        try shape.set("number", number)
        if number % 500 == 0 { try shape.set("picture", Data(repeating: UInt8(number / 500), count: 70_000)) }
        if number % 3 > 0 { try shape.set("radius", Double(number) / 2) }
        if number % 3 > 1 { try shape.set("width", Double(number)) }
        return shape
      }
      for (shape, next) in zip(shapes, shapes.dropFirst()) { try shape.setObject(next, forKey: "next") }
      for number in stride(from: 0, to: 2400, by: 100) {
        try shapes[number].setObjects([shapes[number + 7], shapes[number + 3]], forKey: "around")
      }
      try context.save()
      try shapes[4].set("radius", 99.0)
      try context.save()
      var metadata = SaveChangesRequest()
      metadata.metadata = scenario.store.metadata.merging(["colour": "blue"]) { $1 }
      try scenario.coordinator.save(metadata)
      let before = try lines(scenario.newContext())
      try expect(before.count == 2500 && Set(before).count == 2500, "something of everything")
      let description = PersistentStoreDescription(type: InMemoryStore.storeType)
      let new = try await scenario.coordinator.migratePersistentStore(scenario.store, to: description)
      let after = try lines(scenario.newContext())
      for (old, new) in zip(before, after) {
        try expect(old == new, "\(old.prefix(80)) became \(new.prefix(80))")
      }
      try expect(after.count == before.count, "all of them")
      try expect(new.metadata["colour"] == "blue", "the metadata")
    },
    ContextCheck("batches wait while their store is moved, and none is left behind (migratePersistentStore)")
    {
      factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      for number in 0..<3000 { _ = try Fixtures.person(context, "first \(number)") }
      try context.save()
      let coordinator = scenario.coordinator
      let isMoved = Locked(false)
      let inserted = Locked(0)
      let ended = DispatchSemaphore(value: 0)
      Thread.detachNewThread {
        for _ in 0..<2000 where !isMoved.withLock({ $0 }) {
          // What begins before the move and ends after it may be refused.
          let result = try? ManagedObjectContext(coordinator).batchInsert(
            into: "Person", dictionaries: [["name": .string("more")]])
          if let result { inserted.withLock { $0 += result.count } }
          usleep(500)
        }
        ended.signal()
      }
      while inserted.withLock({ $0 }) == 0 { usleep(1000) }
      _ = try await coordinator.migratePersistentStore(
        scenario.store, to: PersistentStoreDescription(type: InMemoryStore.storeType))
      isMoved.withLock { $0 = true }
      await withCheckedContinuation { done in
        DispatchQueue.global().async {
          ended.wait()
          done.resume()
        }
      }
      let wanted = 3000 + inserted.withLock { $0 }
      let found = try scenario.newContext().count(for: FetchRequest("Person"))
      try expect(found == wanted, "\(found) are there of \(wanted)")
    },
    ContextCheck("stores keep their order when one is moved (persistentStores)") { factory in
      let model = try ManagedObjectModel(
        ModelDeclaration(
          entities: ["A", "B", "C"].map { name in
            Entity(name) { Attribute("name", .string) }
          }, configurations: ["a": ["A"], "b": ["B"], "c": ["C"]]))
      let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
      let first = try await factory.makeStore(model)
      try coordinator.addPersistentStore(first, configuration: "a")
      let description = PersistentStoreDescription(type: InMemoryStore.storeType)
      for name in ["b", "c"] {
        let store = InMemoryStore(model: model, description: description)
        try await store.loadMetadata()
        try coordinator.addPersistentStore(store, configuration: name)
      }
      let others = coordinator.persistentStores.dropFirst().map { $0.identifier }
      let new = try await coordinator.migratePersistentStore(first, to: description)
      try expect(
        coordinator.persistentStores.map { $0.identifier } == [new.identifier] + others, "in its place")
      try expect(coordinator.persistentStore === new, "still the first")
      let context = ManagedObjectContext(coordinator)
      let objects = try ["A", "B", "C"].map { try context.insert($0) }
      try context.save()
      let ids = objects.map(\.objectID.storeIdentifier)
      try expect(ids == coordinator.persistentStores.map { $0.identifier }, "each with its entity")
    },
    ContextCheck("a store that is read only is read, and refuses every save (isReadOnly)") { _ in
      let model = try ContextScenario.model()
      var description = PersistentStoreDescription(type: InMemoryStore.storeType)
      description.isReadOnly = true
      let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
      try await coordinator.addPersistentStore(with: description)
      let context = ManagedObjectContext(coordinator)
      let person = try Fixtures.person(context, "Ada")
      try expect(context.fetch(FetchRequest("Person")) == [person], "unsaved objects")
      do {
        try context.save()
        try expect(false, "a save must be refused")
      } catch let error as StoreError {
        try expect(error.code == .readOnly, "got \(error.code)")
      }
      try expect(context.hasChanges && person.isInserted, "the change is still here")
      context.rollback()
      try context.save()
      try expect(context.count(for: FetchRequest("Person")) == 0, "nothing was saved")
    },
    ContextCheck("the viewContext ends its events by itself, once its code is done (viewContext)") { _ in
      let container = PersistentContainer(
        name: "ContextScenario", managedObjectModel: try ContextScenario.model(),
        persistentStoreDescription: PersistentStoreDescription(type: InMemoryStore.storeType))
      try await container.loadPersistentStores()
      let told = try await MainActor.run { () throws -> AsyncStream<ContextChanges> in
        let context = container.viewContext
        context.undoManager = UndoManager()
        let told = context.didChangeObjects()
        _ = try Fixtures.person(context, "Ada")
        _ = try Fixtures.person(context, "Bea")
        return told
      }
      let first = try await Fixtures.first(1, of: told)[0]
      try expect(first.inserted.count == 2, "what one turn did is one event")
      try await MainActor.run { _ = try Fixtures.person(container.viewContext, "Cid") }
      _ = try await Fixtures.first(1, of: told)
      try await MainActor.run {
        let context = container.viewContext
        try context.undo()
        try expect(context.insertedObjects.count == 2, "and one group to undo")
        try context.undo()
        try expect(context.insertedObjects.isEmpty, "each")
      }
      try container.close()
    },
    ContextCheck("a child's fetch brings what is stored, not what its parent had and dropped (parent)") {
      factory in
      let scenario = try await ContextScenario(factory)
      let parent = scenario.newContext()
      let ada = try Fixtures.person(parent, "stored")
      try parent.save()
      try ada.set("name", "unsaved")
      let child = ManagedObjectContext(parent: parent)
      let grandchild = ManagedObjectContext(parent: child)
      let copies = try [child, grandchild].map { try $0.existingObject(with: ada.objectID) }
      for copy in copies { try expect(Fixtures.text(copy) == "unsaved", "the parent's change") }
      parent.rollback()
      let everybody = FetchRequest("Person")
      try expect(Fixtures.names(child.fetch(everybody)) == ["stored"], "as the parent is")
      try expect(Fixtures.names(grandchild.fetch(everybody)) == ["stored"], "two contexts below")
    },
    ContextCheck("asking whether values differ reads no bytes (hasPersistentChangedValues)") { factory in
      var bytes = Attribute("picture", .binary)
      bytes.allowsExternalBinaryDataStorage = true
      let picture = bytes
      let model = try ManagedObjectModel { Entity("Card") { picture } }
      let store = FailingStore(try await factory.makeStore(model))
      let coordinator = PersistentStoreCoordinator(managedObjectModel: model)
      try coordinator.addPersistentStore(store)
      let maker = ManagedObjectContext(coordinator)
      let made = try maker.insert("Card")
      try made.set("picture", Data(repeating: 1, count: 100_000))
      try maker.save()
      let context = ManagedObjectContext(coordinator)
      let card = try context.fetch(FetchRequest("Card"))[0]
      try card.set("picture", Data(repeating: 2, count: 100_000))
      let before = store.calls.value
      try expect(card.hasPersistentChangedValues, "another value")
      try expect(store.calls.value == before, "the store was asked")
    },
  ]

  /// Every object's values and what it leads to, by numbers.
  private static func lines(_ context: ManagedObjectContext) throws -> [String] {
    let all = try context.fetch(FetchRequest("Shape", sortDescriptors: [FetchSortDescriptor("number")]))
    return try all.map { shape in
      let values = try shape.entity.attributes.map { "\(try shape.value(forKey: $0.name))" }
      let around = try shape.objects("around").map { try Fixtures.number($0, "number") ?? -1 }
      let ones = try ["next", "previous"].map { name in
        try shape.object(name).flatMap { try Fixtures.number($0, "number") } ?? -1
      }
      return "\(shape.entity.name) v\(try shape.version) \(ones) \(around) \(values)"
    }
  }
}
