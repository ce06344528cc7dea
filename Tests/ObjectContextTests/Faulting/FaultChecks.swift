import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit

extension ContextCheck {
  static let faults: [ContextCheck] = faultFiring + deletedFaults + retainedFaults

  private static let faultFiring: [ContextCheck] = [
    ContextCheck("a context has one object for each ID, however it is come by (uniquing)") { factory in
      let scenario = try await ContextScenario(factory)
      let first = scenario.newContext()
      let ada = try Fixtures.people("Ada", in: first)[0]
      let task = try Fixtures.make("Task", ["title": "t"], in: first)
      try task.setObject(ada, forKey: "owner")
      try first.save()
      let context = scenario.newContext()
      let fault = try context.object(with: ada.objectID)
      try expect(fault !== ada && fault.objectID == ada.objectID, "each context has its own")
      try expect(context.object(with: ada.objectID) === fault, "by ID again")
      try expect(context.existingObject(with: ada.objectID) === fault, "read")
      try expect(context.registeredObject(for: ada.objectID) === fault, "registered")
      try expect(context.fetch(FetchRequest("Person")) == [fault], "fetched")
      try expect(context.objects(with: [ada.objectID, ada.objectID]) == [fault, fault], "by many IDs")
      let copy = try context.existingObject(with: task.objectID)
      try expect(copy.object("owner") === fault, "through a to-one")
      try expect(fault.objects("tasks").first === copy, "through a to-many")
      try expect(first.fetch(FetchRequest("Person")) == [ada], "where it was made, too")
    },
    ContextCheck(
      "a fault knows its ID and state without firing, and the first value read fires it (isFault)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let first = scenario.newContext()
      let ada = try Fixtures.people("Ada", in: first)[0]
      try first.save()
      let context = scenario.newContext()
      try expect(context.registeredObject(for: ada.objectID) == nil, "not here yet")
      let fault = try context.object(with: ada.objectID)
      try expect(fault.objectID == ada.objectID && fault.entity.name == "Person", "who it is")
      try expect(!fault.hasChanges && !fault.isDeleted && !fault.isInserted, "its state")
      try expect(Set([fault]).contains(fault) && !fault.description.isEmpty, "hashed and described")
      try expect(fault.isFault, "still a fault")
      try expect(fault.get("name", as: String.self) == "Ada", "read")
      try expect(!fault.isFault && !fault.hasChanges && !context.hasChanges, "read, and not changed")
      let fresh = scenario.newContext()
      let read = try fresh.existingObject(with: ada.objectID)
      try expect(!read.isFault, "existingObject reads at once")
    },
    ContextCheck(
      "a fault reads the row of the time it fires, and an object stays with the row it has (faulting)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let first = scenario.newContext()
      let ada = try Fixtures.people("Ada", in: first)[0]
      try first.save()
      let context = scenario.newContext()
      let fault = try context.object(with: ada.objectID)
      try ada.set("age", 40)
      try first.save()
      try expect(fault.get("age", as: Int.self) == 40, "of now")
      try ada.set("age", 41)
      try first.save()
      try expect(fault.get("age", as: Int.self) == 40 && fault.version == 2, "kept")
      try context.refresh(fault, mergeChanges: false)
      try expect(fault.get("age", as: Int.self) == 41, "of now again")
    },
    ContextCheck(
      "destinations of a relationship come as faults, which fire together (relationship faults)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let first = scenario.newContext()
      let ada = try Fixtures.people("Ada", in: first)[0]
      for title in ["a", "b", "c"] {
        try Fixtures.make("Task", ["title": .string(title)], in: first).setObject(ada, forKey: "owner")
      }
      try first.save()
      let context = scenario.newContext()
      let owner = try context.existingObject(with: ada.objectID)
      let tasks = Array(try owner.objects("tasks"))
      try expect(tasks.count == 3 && tasks.allSatisfy(\.isFault), "counted without being read")
      try expect(tasks[1].get("title", as: String.self) == "b", "in order")
      try expect(!tasks.contains(where: \.isFault), "all were read with the one")
    },
    ContextCheck(
      "the to-ones of objects that were fetched together are faults that fire together (batch faulting)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let first = scenario.newContext()
      for name in ["a", "b", "c"] {
        let desk = try first.insert("Desk")
        try desk.setObject(Fixtures.people(name, in: first)[0], forKey: "owner")
      }
      try first.save()
      let context = scenario.newContext()
      let desks = try context.fetch(FetchRequest("Desk"))
      let owners = try desks.compactMap { try $0.object("owner") }
      try expect(owners.count == 3 && owners.allSatisfy(\.isFault), "not read by the look")
      try expect(Fixtures.names([owners[0]]) != [""] && !owners.contains(where: \.isFault), "read together")
    },
    ContextCheck(
      "objects(with:) answers in the order of the IDs, and fires its faults together (objects(with:))"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let first = scenario.newContext()
      let people = try Fixtures.people("a", "b", "c", "gone", in: first)
      try first.save()
      let ids = people.map(\.objectID)
      try first.delete(people[3])
      try first.save()
      let context = scenario.newContext()
      let known = try context.existingObject(with: ids[0])
      let found = try context.objects(with: [ids[2], ids[1], ids[1], ids[3], ids[0]])
      try expect(found.count == 5 && found[1] === found[2] && found[4] === known, "each at its place")
      try expect(found[0].isFault && found[1].isFault && found[3].isFault, "not asked for yet")
      try expect(found[0].get("name", as: String.self) == "c", "the first is read")
      try expect(!found[1].isFault && found[3].isFault, "with all that are there")
      try expect(Fixtures.names([found[1], found[4]]) == ["b", "a"], "each has its own row")
      try expect(found[3].value(forKey: "name") == .null && found[3].isDeleted, "the one that is not")
      try expect(context.objects(with: []).isEmpty, "none for none")
    },
  ]

  private static let deletedFaults: [ContextCheck] = [
    ContextCheck(
      "a fault whose row is gone throws where that is asked for, and changes nothing (\"could not"
        + " fulfill a fault\")"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let first = scenario.newContext()
      let people = try Fixtures.people("Ada", "Bea", in: first)
      try first.save()
      let id = people[0].objectID
      let context = scenario.newContext()
      context.shouldDeleteInaccessibleFaults = false
      let fault = try context.object(with: id)
      let bea = try context.existingObject(with: people[1].objectID)
      try first.delete(people[0])
      try first.save()
      try expectContextError(.objectNotFound, "a value") { _ = try fault.get("name", as: String.self) }
      try expectContextError(.objectNotFound, "a to-one") { _ = try fault.object("manager") }
      try expectContextError(.objectNotFound, "the version") { _ = try fault.version }
      try expectContextError(.objectNotFound, "setting") { try fault.set("age", 3) }
      try expectContextError(.objectNotFound, "merging") { try context.refresh(fault, mergeChanges: true) }
      try expectContextError(.objectNotFound, "asking for it") { _ = try context.existingObject(with: id) }
      try expect(fault.isFault && !fault.hasChanges && !fault.isDeleted, "as it was")
      try expect(!context.hasChanges, "nothing to save")
      try bea.set("age", 30)
      try context.save()
      try expect(bea.version == 2, "the others go on")
    },
    ContextCheck(
      "an object that was read before its row went keeps its values until it is refreshed (snapshots)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let first = scenario.newContext()
      let ada = try Fixtures.people("Ada", in: first)[0]
      try first.save()
      let context = scenario.newContext()
      let copy = try context.existingObject(with: ada.objectID)
      try first.delete(ada)
      try first.save()
      try expect(copy.get("name", as: String.self) == "Ada", "as it was read")
      try context.refresh(copy, mergeChanges: false)
      try expect(copy.value(forKey: "name") == .null && copy.isDeleted, "refreshed")
    },
    ContextCheck(
      "a fault whose row was deleted turns into a deleted object without values "
        + "(shouldDeleteInaccessibleFaults)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let first = scenario.newContext()
      let people = try Fixtures.people("Ada", "Bea", in: first)
      try people[0].setObject(people[1], forKey: "manager")
      try people[0].add(people[1], to: "friends")
      try first.save()
      let ids = people.map(\.objectID)
      try first.delete(people[0])
      try first.save()
      let context = scenario.newContext()
      try expect(context.shouldDeleteInaccessibleFaults, "unless the program wants to know")
      let found = try context.objects(with: ids)
      let gone = found[0]
      try expect(gone.isFault && !gone.isDeleted, "before")
      try expect(gone.get("name", as: String.self) == nil, "no text")
      try expect(gone.value(forKey: "age") == .null, "no number, not even a default")
      try expect(gone.isDeleted && !gone.isFault && !gone.hasChanges, "deleted")
      try expect(gone.object("manager") == nil, "leads nowhere")
      try expect(gone.objects("friends").isEmpty, "has no destination")
      try expect(!context.hasChanges && context.deletedObjects.isEmpty, "no save has to do with it")
      try expect(Fixtures.names([found[1]]) == ["Bea"] && !found[1].isDeleted, "its neighbour is as ever")
      try found[1].set("age", 30)
      try context.save()
      try expect(found[1].version == 2, "and saves as ever")
    },
    ContextCheck("a temporary ID names an object of its own context only (object(with:))") { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let new = try context.insert("Person")
      let other = scenario.newContext()
      try expectContextError(.objectOfAnotherContext, "another context") {
        _ = try other.object(with: new.objectID)
      }
      try expect(other.registeredObject(for: new.objectID) == nil, "not registered there")
      try expect(context.object(with: new.objectID) === new, "its own context")
    },
  ]

  private static let retainedFaults: [ContextCheck] = [
    ContextCheck(
      "unchanged objects are released with their last reference, changed ones retained (weak references)"
    ) { factory in
      let context = try await ContextScenario(factory).newContext()
      func hire() throws { _ = try Fixtures.people("a", "b", "c", in: context) }
      func change() throws {
        let people = try context.fetch(FetchRequest("Person", sortDescriptors: [FetchSortDescriptor("name")]))
        try people[0].set("age", 77)
        try context.delete(people[1])
        try withExtendedLifetime(people) {
          try expect(context.registeredObjectCount == 3, "all while in use")
        }
      }
      func look() throws {
        let people = try context.fetch(FetchRequest("Person", sortDescriptors: [FetchSortDescriptor("name")]))
        try expect(people[0].get("age", as: Int.self) == 77, "the change was not forgotten")
        try expect(people.count == 2, "nor the deletion")
      }
      try hire()
      try expect(context.registeredObjectCount == 3, "new objects are retained")
      try context.save()
      try expect(context.registeredObjectCount == 0, "saved ones are not")
      try change()
      try expect(context.registeredObjectCount == 2, "the changed and the deleted one")
      try look()
      try expect(context.registeredObjectCount == 2, "a look holds nothing")
      try context.save()
      try expect(context.registeredObjectCount == 0, "none after the save")
    },
    ContextCheck("objects that refer to each other do not hold each other (weak references)") { factory in
      let context = try await ContextScenario(factory).newContext()
      func tie() throws {
        let people = try Fixtures.people("a", "b", in: context)
        try people[0].setObject(people[1], forKey: "spouse")
        try people[0].add(people[1], to: "friends")
        try people[0].setObject(people[1], forKey: "manager")
        try context.save()
        _ = try people[1].objects("reports").map { $0 }
        try withExtendedLifetime(people) { try expect(context.registeredObjectCount == 2, "in use") }
      }
      try tie()
      try expect(context.registeredObjectCount == 0, "released with the last reference")
      func walk() throws -> Int {
        let person = try context.fetch(FetchRequest("Person", fetchLimit: 1))[0]
        _ = try person.object("spouse")?.get("name", as: String.self)
        return try person.objects("friends").count
      }
      try expect(walk() == 1 && context.registeredObjectCount == 0, "a walk leaves nothing behind")
    },
    ContextCheck("a rollback releases what only its changes retained (rollback, weak references)") {
      factory in
      let context = try await ContextScenario(factory).newContext()
      func change() throws {
        try Fixtures.people("b", in: context)[0].set("age", 40)
        try context.fetch(FetchRequest("Person", where: .compare("name", .equal, "a")))[0].set("age", 50)
      }
      _ = try Fixtures.people("a", in: context)
      try context.save()
      try change()
      try expect(context.registeredObjectCount == 2, "a new and a changed one")
      context.rollback()
      try expect(context.registeredObjectCount == 0 && !context.hasChanges, "none")
    },
  ]
}
