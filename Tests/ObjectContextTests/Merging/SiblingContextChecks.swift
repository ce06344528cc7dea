import Locks
import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit

extension ContextCheck {
  static let severalContexts: [ContextCheck] = siblings + streams + parentContexts + staleEnds + pinnedReads

  private static let siblings: [ContextCheck] = [
    ContextCheck("contexts of one coordinator do not see each other's unsaved changes") { factory in
      let scenario = try await ContextScenario(factory)
      let (one, two) = (scenario.newContext(), scenario.newContext())
      let person = try Fixtures.person(one, "Ada")
      try expect(two.count(for: FetchRequest("Person")) == 0, "an unsaved object is its context's own")
      try expectContextError(.objectOfAnotherContext, "so is a temporary ID") {
        _ = try two.object(with: person.objectID)
      }
      try one.save()
      let copy = try two.existingObject(with: person.objectID)
      try expect(copy !== person, "an object of its own in each context")
      try copy.set("name", "Grace")
      try two.delete(try Fixtures.person(two, "New"))
      try expect(Fixtures.text(person) == "Ada", "an unsaved value")
      try two.delete(copy)
      try expect(!person.isDeleted && one.count(for: FetchRequest("Person")) == 1, "an unsaved deletion")
      two.rollback()
      try expectContextError(.objectOfAnotherContext, "objects are not mixed") {
        try person.setObject(copy, forKey: "spouse")
      }
    },
    ContextCheck(
      "mergeChanges(from:) by hand brings what another context saved (mergeChangesFromContextDidSave)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let (here, there) = (scenario.newContext(), scenario.newContext())
      let firm = try Fixtures.company(here, "Firm")
      let old = try (0..<3).map { try Fixtures.person(here, "p\($0)") }
      try firm.add(contentsOf: old, to: "employees")
      try here.save()
      try expect(Fixtures.names(firm.objects("employees")).count == 3, "as read here")
      let copies = try old.map { try there.existingObject(with: $0.objectID) }
      try copies[0].set("name", "changed")
      try there.delete(copies[1])
      let new = try Fixtures.person(there, "new")
      try new.setObject(try there.existingObject(with: firm.objectID), forKey: "employer")
      let told = scenario.coordinator.didSaveObjects()
      try there.save()
      try expect(Fixtures.text(old[0]) == "p0", "a registered object stays as it was read")
      let changes = try await Fixtures.first(1, of: told)[0]
      try here.mergeChanges(from: changes)
      try expect(Fixtures.text(old[0]) == "changed", "an updated object")
      try expect(old[1].managedObjectContext == nil || old[1].isDeleted, "a deleted object")
      let employees = try Fixtures.names(firm.objects("employees")).sorted()
      try expect(employees == ["changed", "new", "p2"], "the relationship that contains them")
      try expect(!here.hasChanges, "nothing to save")
    },
    ContextCheck("a merge leaves local changes on top, and saving them is no conflict then") { factory in
      let rivals = try Rivals(try await ContextScenario(factory))
      let told = rivals.scenario.coordinator.didSaveObjects()
      try rivals.mine.set("name", "Mine")
      try rivals.theirs.set("name", "Theirs")
      try rivals.theirs.set("age", 31)
      try rivals.there.save()
      let changes = try await Fixtures.first(1, of: told)[0]
      try rivals.here.mergeChanges(from: changes)
      try expect(rivals.text == "Mine 31 m", "own changes over the new row")
      try expect(rivals.mine.isUpdated && rivals.mine.committedValues()["name"] == "Theirs", "still a change")
      try rivals.here.save()
      try rivals.agree(on: "Mine 31 m")
      try expect(rivals.mine.version == 3, "one version after theirs")
    },
    ContextCheck("a changed object deleted elsewhere stays after the merge, and its save is a conflict") {
      factory in
      let rivals = try Rivals(try await ContextScenario(factory))
      rivals.here.automaticallyMergesChangesFromParent = true
      try rivals.mine.set("name", "Mine")
      try rivals.there.delete(rivals.theirs)
      try rivals.there.save()
      try rivals.here.mergeChanges()
      try expect(rivals.mine.managedObjectContext === rivals.here && rivals.text == "Mine 30 m", "still here")
      let error = try expectContextError(.conflict, "its row was deleted") { try rivals.here.save() }
      try expect(error.conflicts.map(\.objectID) == [rivals.id], "the object")
      rivals.here.mergePolicy = .overwrite
      try rivals.here.save()
      try rivals.agree(on: "Mine 30 m")
    },
    ContextCheck("a save marks an object deleted that was deleted elsewhere and whose changes equal the row")
    {
      factory in
      let rivals = try Rivals(try await ContextScenario(factory), .mergeByPropertyObjectTrump)
      rivals.here.automaticallyMergesChangesFromParent = true
      let adults = try FetchedResultsController(
        FetchRequest(
          "Person", where: .compare("age", .greater, 18), sortDescriptors: [FetchSortDescriptor("name")]),
        in: rivals.here)
      try adults.performFetch()
      try rivals.mine.set("age", 31)
      try rivals.theirs.set("age", 31)
      try rivals.there.save()
      try rivals.here.mergeChanges()
      try expect(rivals.mine.isUpdated && adults.fetchedObjects.count == 1, "a change that equals the row")
      try rivals.there.delete(rivals.theirs)
      try rivals.there.save()
      try rivals.here.save()
      try expect(
        rivals.mine.isDeleted && !rivals.here.hasChanges, "nothing was written, and its row was deleted")
      try expect(adults.fetchedObjects.isEmpty && rivals.stored() == nil, "not among the results")
    },
    ContextCheck(
      "a context merges by itself before its next look, if asked (automaticallyMergesChangesFromParent)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let (here, aside, there) = (scenario.newContext(), scenario.newContext(), scenario.newContext())
      let person = try Fixtures.person(there, "v0")
      try there.save()
      let mine = try here.existingObject(with: person.objectID)
      let other = try aside.existingObject(with: person.objectID)
      here.automaticallyMergesChangesFromParent = true
      let looks: [(String, (ManagedObjectContext) throws -> Void)] = [
        ("processPendingChanges", { $0.processPendingChanges() }),
        ("mergeChanges", { try $0.mergeChanges() }),
        ("fetch", { _ = try $0.fetch(FetchRequest("Company")) }),
        ("save", { try $0.save() }),
      ]
      for (number, (name, look)) in looks.enumerated() {
        try expect(Fixtures.text(mine) == "v\(number)", "before \(name)")
        try person.set("name", "v\(number + 1)")
        try there.save()
        try expect(Fixtures.text(mine) == "v\(number)", "nothing changes under one's hands before \(name)")
        try look(here)
        try look(aside)
        try expect(Fixtures.text(mine) == "v\(number + 1)", "after \(name)")
        try expect(Fixtures.text(other) == "v0", "not where it is off, after \(name)")
      }
      try there.delete(person)
      try there.save()
      here.processPendingChanges()
      try expect(mine.managedObjectContext == nil || mine.isDeleted, "a deleted object")
    },
    ContextCheck("several saves that a context has not looked at yet are merged in one go") { factory in
      let scenario = try await ContextScenario(factory)
      let (here, there) = (scenario.newContext(), scenario.newContext())
      here.automaticallyMergesChangesFromParent = true
      let held = try (0..<5).map { try Fixtures.person(here, "p\($0)") }
      try here.save()
      for round in 0..<6 {
        for (index, person) in held.enumerated() where index >= round {
          let copy = try there.existingObject(with: person.objectID)
          if index == round { try there.delete(copy) } else { try copy.set("age", 30 + round) }
        }
        _ = try Fixtures.person(there, "new \(round)", age: 90)
        try there.save()
      }
      try here.mergeChanges()
      try expect(held.allSatisfy { $0.managedObjectContext == nil || $0.isDeleted }, "all were deleted")
      let names = try Fixtures.names(
        here.fetch(FetchRequest("Person", sortDescriptors: [FetchSortDescriptor("name")])))
      try expect(names == (0..<6).map { "new \($0)" }, "the new ones")
    },
  ]

  private static let streams: [ContextCheck] = [
    ContextCheck(
      "a context tells of each save before and after it (NSManagedObjectContextWillSave, DidSave)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      context.name = "desk"
      let people = try (0..<2).map { try Fixtures.person(context, "p\($0)") }
      try context.save()
      try people[0].set("age", 40)
      try context.delete(people[1])
      let new = try Fixtures.person(context, "new")
      let gone = people[1].objectID
      let (before, after, again) = (
        context.willSaveObjects(), context.didSaveObjects(), context.didSaveObjects()
      )
      try context.save()
      try context.save()
      try people[0].set("age", 41)
      try context.save()
      let will = try await Fixtures.first(2, of: before)
      try expect(will[0].inserted.count == 1 && will[0].contextName == "desk", "before")
      try expect(will[0].updated == [people[0].objectID] && will[0].deleted == [gone], "what is to be saved")
      for stream in [after, again] {
        let did = try await Fixtures.first(2, of: stream)
        try expect(did[0].inserted == [new.objectID] && !new.objectID.isTemporaryID, "the new object")
        try expect(did[0].updated == [people[0].objectID], "the changed one")
        try expect(did[0].deleted == [gone] && did[0].contextName == "desk", "the deleted one")
        try expect(did[1].updated == [people[0].objectID], "a save of nothing is not reported")
        try expect(did[1].inserted.isEmpty && did[1].deleted.isEmpty, "each save its own")
      }
    },
    ContextCheck("a refused save is announced before, and not reported after") { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let person = try Fixtures.person(context, "Ada", age: 500)
      let (before, after) = (context.willSaveObjects(), context.didSaveObjects())
      try expectContextError(.validation, "too old") { try context.save() }
      try person.set("age", 50)
      try context.save()
      _ = try await Fixtures.first(2, of: before)
      let saved = try await Fixtures.first(1, of: after)
      try expect(saved[0].inserted == [person.objectID], "the save that went through")
    },
    ContextCheck(
      "a context tells what changed at the end of an event (NSManagedObjectContextObjectsDidChange)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      var told = context.didChangeObjects()
      let person = try Fixtures.person(context, "Ada")
      let other = try Fixtures.person(context, "Grace")
      let temporary = Set([person, other].map(\.objectID))
      context.processPendingChanges()
      let inserted = try await Fixtures.first(1, of: told)[0]
      try expect(Set(inserted.inserted) == temporary && inserted.deleted.isEmpty, "insertions")
      try context.save()
      told = context.didChangeObjects()
      context.processPendingChanges()
      try person.set("age", 30)
      try person.set("age", 31)
      context.processPendingChanges()
      try context.delete(other)
      context.processPendingChanges()
      try context.refresh(person, mergeChanges: false)
      context.processPendingChanges()
      let events = try await Fixtures.first(3, of: told)
      try expect(events[0].updated == [person.objectID] && events[0].inserted.isEmpty, "an update, once")
      try expect(events[1].deleted == [other.objectID], "a deletion")
      try expect(events[2].refreshed == [person.objectID], "a refresh")
    },
    ContextCheck("a coordinator tells of the saves of all its contexts in their order") { factory in
      let scenario = try await ContextScenario(factory)
      let told = scenario.coordinator.didSaveObjects()
      var wanted: [ManagedObjectID] = []
      for number in 0..<6 {
        let context = scenario.newContext()
        context.name = "context \(number)"
        let person = try Fixtures.person(context, "p\(number)")
        try context.save()
        wanted.append(person.objectID)
      }
      let saves = try await Fixtures.first(6, of: told)
      try expect(saves.map(\.inserted) == wanted.map { [$0] }, "one after another")
      try expect(saves.map(\.contextName) == (0..<6).map { "context \($0)" }, "with their names")
    },
  ]
}
