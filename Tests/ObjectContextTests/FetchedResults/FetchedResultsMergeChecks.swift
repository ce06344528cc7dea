import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit

extension ContextCheck {
  /// What a list has to hear of though nobody changes an object of its context.
  static let mergesOfLists: [ContextCheck] = [
    ContextCheck("rows that a fetch finds changed are shown (NSFetchedResultsController)") { factory in
      let list = try await ShownList(factory, names: "abc")
      let people = list.controller.fetchedObjects
      let other = list.scenario.newContext()
      try other.existingObject(with: people[0].objectID).set("name", "x")
      try other.existingObject(with: people[1].objectID).set("age", 120)
      try other.save()
      list.context.processPendingChanges()
      try expect(list.calls == 0, "nothing was looked at")
      _ = try list.context.fetch(FetchRequest("Person"))
      try list.expectChanges("-b@0.1", "a@0.0>0.1")
      try list.expectChanges()
    },
    ContextCheck("a reset shows what is stored, in new objects (reset)") { factory in
      let list = try await ShownList(factory, names: "ab")
      let old = list.controller.fetchedObjects
      try old[0].set("name", "unsaved")
      _ = try Fixtures.person(list.context, "new")
      list.context.processPendingChanges()
      list.context.reset()
      try expect(list.names == ["a", "b"], "as stored, got \(list.names)")
      try expect(
        list.controller.fetchedObjects.allSatisfy { $0.managedObjectContext === list.context }, "of use")
      try expect(!list.controller.fetchedObjects.contains { old.contains($0) }, "new ones")
      try list.agree()
      try list.controller.fetchedObjects[0].set("name", "c")
      _ = list.take()
      try list.expectChanges("a@0.0>0.1")
    },
    ContextCheck("pinning, and being pinned no more, shows what is stored then (setQueryGeneration)") {
      factory in
      let list = try await ShownList(factory, names: "abc")
      let other = list.scenario.newContext()
      func change(_ name: String) throws {
        let people = try other.fetch(FetchRequest("Person", sortDescriptors: [FetchSortDescriptor("name")]))
        try other.delete(people[0])
        _ = try Fixtures.person(other, name)
        try other.save()
      }
      try change("x")
      do {
        try list.context.setQueryGenerationFrom(.current)
      } catch let error as StoreError where error.code == .unsupportedRequest {
        return try expect(!PinnedOffice.mustPin(list.scenario.store), "this store has to keep moments")
      }
      func expectChanges(_ wanted: String...) throws {
        let told = list.take().filter { !$0.hasPrefix("~") }
        try expect(told == wanted, "told \(told), not \(wanted)")
        try list.agree()
      }
      try expectChanges("-a@0.0", "+x@0.2")
      try change("y")
      try list.expectChanges()
      try list.context.setQueryGenerationFrom(nil)
      try expectChanges("-b@0.0", "+y@0.2")
      try list.context.setQueryGenerationFrom(.current)
      try change("z")
      let saved = try Fixtures.person(list.context, "k")
      try list.context.save()
      list.context.processPendingChanges()
      try expect(list.names == ["k", "x", "y", "z"], "a save moves on, got \(list.names)")
      try list.agree()
      withExtendedLifetime(saved) {}
    },
    ContextCheck("a list without pending changes shows what is stored, once it is (includesPendingChanges)") {
      factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let people = try ["a", "b"].map { try Fixtures.person(context, $0) }
      try context.save()
      var request = FetchRequest(
        "Person", where: .compare("age", .less, 100), sortDescriptors: [FetchSortDescriptor("name")])
      request.includesPendingChanges = false
      let controller = try FetchedResultsController(request, in: context)
      try controller.performFetch()
      let new = try Fixtures.person(context, "c")
      try people[0].set("age", 120)
      context.processPendingChanges()
      try expect(controller.fetchedObjects == people, "nothing is stored yet")
      try context.save()
      try expect(controller.fetchedObjects == [people[1], new], "now it is")
      try context.delete(people[1])
      context.processPendingChanges()
      try expect(controller.fetchedObjects == [people[1], new], "a deletion too")
      try context.save()
      try expect(controller.fetchedObjects == [new], "once it is saved")
    },
    ContextCheck("a list of other stores shows nothing of this one (affectedStores)") { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      var request = FetchRequest("Person", sortDescriptors: [FetchSortDescriptor("name")])
      request.affectedStores = []
      let controller = try FetchedResultsController(request, in: context)
      try controller.performFetch()
      _ = try Fixtures.person(context, "a")
      context.processPendingChanges()
      try expect(controller.fetchedObjects.isEmpty && controller.failure == nil, "nothing")
      try context.save()
      try expect(controller.fetchedObjects.isEmpty, "nor once it is saved")
    },
    ContextCheck("snapshots are reported again once their objects have permanent IDs (objectIDs)") {
      factory in
      let list = try await ShownList(factory, names: "a")
      let stream = list.controller.changes()
      _ = try Fixtures.person(list.context, "b")
      list.context.processPendingChanges()
      try list.context.save()
      let told = try await Fixtures.first(2, of: stream)
      try expect(told[0].objectIDs[1].isTemporaryID, "before the save")
      try expect(told[1].objectIDs == list.controller.fetchedObjects.map(\.objectID), "after it")
      try expect(!told[1].objectIDs.contains(where: \.isTemporaryID), "by permanent IDs")
      let child = ManagedObjectContext(parent: list.context)
      let under = try FetchedResultsController(
        FetchRequest("Person", sortDescriptors: [FetchSortDescriptor("name")]), in: child)
      _ = try Fixtures.person(list.context, "c")
      try under.performFetch()
      let below = under.changes()
      try expect(under.snapshot.objectIDs[2].isTemporaryID, "the parent's temporary ID")
      try list.context.save()
      let last = try await Fixtures.first(1, of: below)[0]
      try expect(!last.objectIDs.contains(where: \.isTemporaryID), "a child's list too")
    },
  ]
}
