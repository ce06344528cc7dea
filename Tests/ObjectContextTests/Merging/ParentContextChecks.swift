import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit

extension ContextCheck {
  static let parentContexts: [ContextCheck] = [
    ContextCheck("a child sees its parent's unsaved changes, and conditions are about them (parent)") {
      factory in
      let scenario = try await ContextScenario(factory)
      let parent = scenario.newContext()
      let old = try (0..<3).map { try Fixtures.person(parent, "old \($0)", age: 20) }
      let stored = try Fixtures.company(parent, "Old firm")
      try parent.save()
      let firm = try Fixtures.company(parent, "New firm")
      let new = try Fixtures.person(parent, "new", age: 50)
      try new.setObject(firm, forKey: "employer")
      try old[0].set("age", 40)
      try old[0].setObject(stored, forKey: "employer")
      try parent.delete(old[2])
      let child = ManagedObjectContext(parent: parent)
      try expect(child.parent === parent && parent.parent == nil, "the family")
      let byName = [FetchSortDescriptor("name")]
      func found(_ format: String, limit: Int? = nil) throws -> [String] {
        let condition = try FetchPredicate(format: format)
        let request = FetchRequest("Person", where: condition, sortDescriptors: byName, fetchLimit: limit)
        try expect(child.count(for: request) == child.fetch(request).count, "counted as fetched")
        return try Fixtures.names(child.fetch(request))
      }
      try expect(found("TRUEPREDICATE") == ["new", "old 0", "old 1"], "all of them")
      try expect(found("age > 30") == ["new", "old 0"], "new values")
      try expect(found("age > 10", limit: 2) == ["new", "old 0"], "a limit")
      try expect(found("employer.name == 'New firm'") == ["new"], "through a new to-one")
      try expect(found("employer.name BEGINSWITH 'Old'") == ["old 0"], "through a changed to-one")
      let copy = try child.existingObject(with: new.objectID)
      try expect(copy !== new && copy.objectID.isTemporaryID, "by a temporary ID of the parent's")
      try expect(copy.object("employer").flatMap { try Fixtures.text($0) } == "New firm", "a to-one")
      try old[0].setObject(firm, forKey: "employer")
      let sibling = ManagedObjectContext(parent: parent)
      let other = try sibling.existingObject(with: old[0].objectID)
      try withExtendedLifetime(sibling) {
        try expect(other.object("employer")?.objectID == firm.objectID, "its ID as the parent has it")
      }
      try old[0].setObject(stored, forKey: "employer")
      let mirror = try child.existingObject(with: firm.objectID)
      try expect(mirror.objects("employees").map { $0 } == [copy], "a to-many")
      try expect(!child.hasChanges, "looking changes nothing")
    },
    ContextCheck("a child's save goes to its parent only, and the parent's save into the store") { factory in
      let scenario = try await ContextScenario(factory)
      let parent = scenario.newContext()
      let old = try Fixtures.person(parent, "Old")
      try parent.save()
      let child = ManagedObjectContext(parent: parent)
      let copy = try child.existingObject(with: old.objectID)
      try copy.set("name", "Changed")
      let born = try Fixtures.person(child, "Born")
      try born.setObject(copy, forKey: "manager")
      func stored() throws -> [String] {
        let fresh = scenario.newContext()
        return try Fixtures.names(fresh.fetch(FetchRequest("Person"))).sorted()
      }
      try expect(Fixtures.text(old) == "Old" && !parent.hasChanges, "nothing in the parent before")
      try child.save()
      try expect(!child.hasChanges && !copy.isUpdated && !born.isInserted, "nothing left in the child")
      try expect(Fixtures.text(old) == "Changed" && old.isUpdated, "a change, in the parent")
      try expect(parent.insertedObjects.count == 1, "the new object, in the parent")
      let grown = parent.insertedObjects[0]
      try expect(
        Fixtures.text(grown) == "Born" && grown.object("manager") === old, "with its values and links")
      try expect(old.objects("reports").map { $0 } == [grown], "and their inverse")
      try expect(stored() == ["Old"], "nothing in the store yet")
      try parent.save()
      try expect(stored() == ["Born", "Changed"], "in the store")
    },
    ContextCheck("temporary IDs of a child's objects become permanent when the parent saves") { factory in
      let scenario = try await ContextScenario(factory)
      let parent = scenario.newContext()
      let child = ManagedObjectContext(parent: parent)
      let people = try (0..<3).map { try Fixtures.person(child, "p\($0)") }
      try people[0].setObject(people[1], forKey: "spouse")
      try people[0].add(people[2], to: "friends")
      try child.save()
      let before = people.map(\.objectID)
      try expect(before.allSatisfy(\.isTemporaryID), "temporary until they are stored")
      let grown = try before.map { try parent.existingObject(with: $0) }
      try parent.save()
      let found = try child.fetch(FetchRequest("Person", sortDescriptors: [FetchSortDescriptor("name")]))
      try expect(found == people, "the same objects under their new IDs")
      try expect(people.map(\.objectID) == grown.map(\.objectID), "the parent's IDs")
      try expect(people.allSatisfy { !$0.objectID.isTemporaryID }, "permanent")
      try expect(people[0].object("spouse") === people[1], "a to-one still leads there")
      try expect(people[0].objects("friends").map { $0 } == [people[2]], "a to-many too")
      try people[0].set("name", "again")
      try child.save()
      try parent.save()
      let fresh = scenario.newContext()
      let stored = try fresh.existingObject(with: people[0].objectID)
      try expect(Fixtures.text(stored) == "again" && stored.version == 2, "and they go on from there")
    },
    ContextCheck("what a child rolls back never reaches its parent") { factory in
      let scenario = try await ContextScenario(factory)
      let parent = scenario.newContext()
      let old = try Fixtures.person(parent, "Old")
      try parent.save()
      try old.set("motto", "unsaved")
      let child = ManagedObjectContext(parent: parent)
      let copy = try child.existingObject(with: old.objectID)
      try copy.set("name", "Changed")
      try copy.set("motto", "changed")
      _ = try Fixtures.person(child, "New")
      child.rollback()
      try expect(
        Fixtures.text(copy) == "Old" && Fixtures.text(copy, "motto") == "unsaved", "as the parent has it")
      try child.save()
      try expect(Fixtures.text(old) == "Old" && parent.insertedObjects.isEmpty, "nothing came")
      try expect(parent.count(for: FetchRequest("Person")) == 1, "no new object")
      try expect(Fixtures.text(old, "motto") == "unsaved" && old.isUpdated, "the parent's change stands")
    },
    ContextCheck("a child's deletions, with what cascades, are the parent's after its save") { factory in
      let scenario = try await ContextScenario(factory)
      let parent = scenario.newContext()
      let person = try Fixtures.person(parent, "Old")
      let tasks = try (0..<2).map { try Fixtures.task("t\($0)", of: person, in: parent) }
      try parent.save()
      let unsaved = try Fixtures.person(parent, "Unsaved")
      let child = ManagedObjectContext(parent: parent)
      try child.delete(try child.existingObject(with: person.objectID))
      try child.delete(try child.existingObject(with: unsaved.objectID))
      try expect(!person.isDeleted && parent.insertedObjects == [unsaved], "not before")
      try expect(child.count(for: FetchRequest("Task")) == 0, "deleted in the child at once")
      try child.save()
      try expect(person.isDeleted && tasks.allSatisfy(\.isDeleted), "deleted in the parent")
      try expect(parent.insertedObjects.isEmpty, "a new object just goes away")
      try expect(scenario.newContext().count(for: FetchRequest("Task")) == 2, "still stored")
      try parent.save()
      try expect(scenario.newContext().count(for: FetchRequest("Task")) == 0, "deleted")
      try expect(scenario.newContext().count(for: FetchRequest("Person")) == 0, "with its owner")
    },
    ContextCheck("a child's save is checked, and refused with nothing in the parent") { factory in
      let scenario = try await ContextScenario(factory)
      let parent = scenario.newContext()
      let child = ManagedObjectContext(parent: parent)
      _ = try Fixtures.person(child, "Good")
      let bad = try Fixtures.person(child, "Bad", age: 500)
      try expectContextError(.validation, "too old") { try child.save() }
      try expect(!parent.hasChanges && child.insertedObjects.count == 2, "nothing went")
      try bad.set("age", 50)
      try child.save()
      try expect(parent.insertedObjects.count == 2, "both went")
    },
    ContextCheck("orders and links that a child makes reach the store through two parents") { factory in
      let scenario = try await ContextScenario(factory)
      let top = scenario.newContext()
      let middle = ManagedObjectContext(parent: top)
      let bottom = ManagedObjectContext(parent: middle)
      let owner = try Fixtures.person(top, "Owner")
      let copy = try bottom.existingObject(with: owner.objectID)
      let tasks = try ["a", "b", "c"].map { try Fixtures.task($0, of: copy, in: bottom) }
      try copy.setObjects([tasks[2], tasks[0], tasks[1]], forKey: "tasks")
      try copy.set("age", 60)
      let tag = try Fixtures.tag(middle, "t")
      try copy.add(try bottom.existingObject(with: tag.objectID), to: "tags")
      try bottom.save()
      try expect(top.count(for: FetchRequest("Task")) == 0 && !tasks[0].isInserted, "one generation up")
      let half = try middle.existingObject(with: owner.objectID)
      try expect(Fixtures.names(half.objects("tasks"), "title") == ["c", "a", "b"], "in the middle")
      try middle.save()
      try expect(Fixtures.names(owner.objects("tasks"), "title") == ["c", "a", "b"], "at the top")
      try expect(scenario.newContext().count(for: FetchRequest("Person")) == 0, "nothing stored yet")
      try top.save()
      let fresh = scenario.newContext()
      let stored = try fresh.existingObject(with: owner.objectID)
      try expect(Fixtures.names(stored.objects("tasks"), "title") == ["c", "a", "b"], "the order")
      try expect(Fixtures.number(stored) == 60, "the value")
      try expect(Fixtures.names(stored.objects("tags")) == ["t"], "the link")
    },
    ContextCheck("children of one parent see each other's changes once those were saved into it") { factory in
      let scenario = try await ContextScenario(factory)
      let parent = scenario.newContext()
      let person = try Fixtures.person(parent, "Ada")
      try parent.save()
      let (one, two) = (ManagedObjectContext(parent: parent), ManagedObjectContext(parent: parent))
      two.automaticallyMergesChangesFromParent = true
      let first = try one.existingObject(with: person.objectID)
      let second = try two.existingObject(with: person.objectID)
      try first.set("name", "Grace")
      _ = try Fixtures.person(one, "New")
      try expect(two.count(for: FetchRequest("Person")) == 1, "not before")
      try one.save()
      two.processPendingChanges()
      try expect(Fixtures.text(second) == "Grace", "a change of the sibling's")
      try expect(two.count(for: FetchRequest("Person")) == 2, "an object of the sibling's")
      try second.set("age", 30)
      try two.save()
      try expect(
        Fixtures.text(person) == "Grace" && Fixtures.number(person) == 30, "both changes in the parent")
      try parent.save()
      let fresh = scenario.newContext()
      let stored = try fresh.existingObject(with: person.objectID)
      try expect(Fixtures.text(stored) == "Grace" && Fixtures.number(stored) == 30, "and in the store")
    },
    ContextCheck("a child's object refreshed from its parent keeps its own changes on top") { factory in
      let scenario = try await ContextScenario(factory)
      let (parent, other) = (scenario.newContext(), scenario.newContext())
      let child = ManagedObjectContext(parent: parent)
      parent.automaticallyMergesChangesFromParent = true
      let person = try Fixtures.person(other, "Ada")
      try other.save()
      let copy = try child.existingObject(with: person.objectID)
      try copy.set("age", 30)
      try person.set("name", "Grace")
      try other.save()
      try parent.mergeChanges()
      try child.refresh(copy, mergeChanges: true)
      try expect(Fixtures.text(copy) == "Grace" && Fixtures.number(copy) == 30, "under its own change")
      try child.save()
      try parent.save()
      let fresh = scenario.newContext()
      let stored = try fresh.existingObject(with: person.objectID)
      try expect(Fixtures.text(stored) == "Grace" && Fixtures.number(stored) == 30, "no conflict in the end")
    },
  ]
}
