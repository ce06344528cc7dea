import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit

extension ContextCheck {
  static let fetching: [ContextCheck] = [
    ContextCheck("IDs are those that a fetch would bring, unsaved changes counted (objectIDResultType)") {
      factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let people = try Fixtures.people("a", "b", "c", in: context)
      try context.save()
      try context.delete(people[0])
      try people[1].set("name", "x")
      let new = try Fixtures.person(context, "d")
      var request = FetchRequest(
        "Person", where: .compare("name", .notEqual, "b"), sortDescriptors: [FetchSortDescriptor("name")])
      try expect(
        context.fetchObjectIDs(request) == [people[2], new, people[1]].map(\.objectID), "all changes")
      try expect(
        context.fetchObjectIDs(request) == context.fetch(request).map(\.objectID), "what a fetch brings")
      try expect(context.count(for: request) == 3, "as many as a count tells")
      request.fetchLimit = 2
      try expect(context.fetchObjectIDs(request) == [people[2], new].map(\.objectID), "a limit")
      let child = ManagedObjectContext(parent: context)
      try expect(
        child.fetchObjectIDs(request) == [people[2], new].map(\.objectID), "a child sees its parent's")
      try child.delete(try child.object(with: new.objectID))
      try expect(child.fetchObjectIDs(request) == [people[2], people[1]].map(\.objectID), "and its own")
      request.includesPendingChanges = false
      try expect(context.fetchObjectIDs(request) == [people[0], people[2]].map(\.objectID), "what is stored")
      try context.save()
      try expect(context.fetchObjectIDs(FetchRequest("Person")).allSatisfy { !$0.isTemporaryID }, "saved")
    },
    ContextCheck("a limit of 0 is none (fetchLimit)") { factory in
      let context = try await ContextScenario(factory).newContext()
      let people = try Fixtures.people("a", "b", "c", in: context)
      for isSaved in [false, true] {
        if isSaved { try context.save() }
        var request = FetchRequest("Person", sortDescriptors: [FetchSortDescriptor("name")], fetchLimit: 0)
        try expect(context.fetch(request) == people, "objects")
        try expect(
          context.count(for: request) == 3 && context.fetchObjectIDs(request).count == 3, "count and IDs")
        let live = try FetchedResultsController(request, in: context)
        try live.performFetch()
        try expect(live.fetchedObjects == people, "live results")
        request.fetchOffset = 1
        try expect(context.fetch(request) == Array(people.dropFirst()), "an offset")
        request.fetchLimit = 1
        try expect(context.fetch(request) == [people[1]], "a page")
      }
      var rows = FetchRequest("Person", sortDescriptors: [FetchSortDescriptor("name")], fetchLimit: 0)
      rows.propertiesToFetch = [ExpressionDescription("name")]
      try expect(context.fetchDictionaries(rows).count == 3, "dictionaries")
      rows.returnsDistinctResults = true
      try expect(context.fetchDictionaries(rows).count == 3, "distinct ones")
    },
    ContextCheck("a context that merges tells of the objects others inserted (NSInsertedObjectsKey)") {
      factory in
      let scenario = try await ContextScenario(factory)
      let (context, other) = (scenario.newContext(), scenario.newContext())
      context.automaticallyMergesChangesFromParent = true
      let told = context.didChangeObjects()
      let people = try Fixtures.people("a", "b", in: other)
      try other.save()
      context.processPendingChanges()
      let inserted = try await Fixtures.first(1, of: told)[0]
      try expect(Set(inserted.inserted) == Set(people.map(\.objectID)), "the insertions")
      try expect(inserted.updated.isEmpty && inserted.refreshed.isEmpty, "and nothing else")
      try expect(context.registeredObjectCount == 0, "no object is made for it")
      let third = scenario.newContext()
      let heard = third.didChangeObjects()
      var saves = other.didSaveObjects().makeAsyncIterator()
      let last = try Fixtures.person(other, "c")
      try other.delete(people[0])
      try other.save()
      guard let changes = await saves.next() else { return try expect(false, "a save is reported") }
      try third.mergeChanges(from: changes)
      let merged = try await Fixtures.first(1, of: heard)[0]
      try expect(merged.inserted == [last.objectID], "what is merged by hand")
    },
  ]
}
