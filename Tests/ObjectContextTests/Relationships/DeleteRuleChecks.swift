import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit

extension ContextCheck {
  static let deleteRules: [ContextCheck] =
    nullifyRules + cascadeRules + denyRules + unidirectionalRules + deletionsElsewhere

  private static let nullifyRules: [ContextCheck] = [
    ContextCheck(
      "nullify empties the other ends at once and in the store, and leaves the objects "
        + "(NSNullifyDeleteRule)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let people = try Fixtures.people("a", "b", "c", in: context)
      let firm = try Fixtures.make("Company", ["name": "x"], in: context)
      let tag = try Fixtures.make("Tag", ["name": "t"], in: context)
      try firm.add(people[0], people[1], to: "employees")
      try firm.add(people[0], people[1], to: "board")
      try tag.add(people[0], people[2], to: "people")
      try people[0].setObject(people[1], forKey: "spouse")
      try people[0].add(people[1], people[2], to: "friends")
      try people[0].add(people[1], people[2], to: "reports")
      try context.save()
      try context.delete(people[0])
      func check(_ people: [ManagedObject], _ firm: ManagedObject, _ tag: ManagedObject, _ when: String)
        throws
      {
        try expect(Fixtures.line(firm, "employees") == "b", "a one-to-many \(when)")
        try expect(Fixtures.line(firm, "board") == "b", "a many-to-many \(when)")
        try expect(Fixtures.line(tag, "people") == "c", "an ordered many-to-many \(when)")
        try expect(people[0].object("spouse") == nil, "a one-to-one \(when)")
        try expect(people.allSatisfy { try $0.objects("friends").isEmpty }, "a self-inverse one \(when)")
        try expect(people.allSatisfy { try $0.object("manager") == nil }, "to-ones \(when)")
      }
      try check(Array(people[1...]), firm, tag, "before the save")
      try context.save()
      try check(Array(people[1...]), firm, tag, "after the save")
      let (ids, firmID, tagID) = (people[1...].map(\.objectID), firm.objectID, tag.objectID)
      let again = try await scenario.reopened() ?? scenario
      let fresh = again.newContext()
      let copies = try fresh.objects(with: ids)
      try check(copies, try fresh.object(with: firmID), try fresh.object(with: tagID), "after reopening")
      try fresh.delete(fresh.object(with: firmID))
      try expect(copies.allSatisfy { try $0.object("employer") == nil }, "from the other end")
      try fresh.save()
      try expect(fresh.count(for: FetchRequest("Person")) == 2, "the people stay")
    },
    ContextCheck(
      "a deleted object is in no relationship that is read after, though the save is yet to come (nullify)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let first = scenario.newContext()
      let people = try Fixtures.people("a", "b", "c", in: first)
      let tag = try Fixtures.make("Tag", ["name": "t"], in: first)
      let firm = try Fixtures.make("Company", ["name": "x"], in: first)
      for person in people {
        try person.add(tag, to: "tags")
        try person.add(firm, to: "boards")
        try person.setObject(firm, forKey: "employer")
        try person.setObject(people[0], forKey: "manager")
      }
      try people[1].add(people[0], people[2], to: "friends")
      try first.save()
      let context = scenario.newContext()
      let copies = try context.objects(with: people.map(\.objectID))
      try context.delete(context.object(with: tag.objectID))
      try context.delete(copies[0])
      try expect(copies[1].objects("tags").isEmpty, "a many-to-many of a deleted tag")
      let ownFirm = try context.object(with: firm.objectID)
      try expect(Fixtures.line(ownFirm, "board") == "b c", "a many-to-many of a deleted person")
      try expect(Fixtures.line(ownFirm, "employees") == "b c", "a one-to-many")
      try expect(Fixtures.line(copies[1], "friends") == "c", "a self-inverse one")
      try expect(copies[2].object("manager") == nil, "a to-one")
      context.rollback()
      try expect(Fixtures.line(ownFirm, "board") == "a b c", "a rollback brings it back")
      try expect(
        Fixtures.line(copies[1], "tags") == "t" && Fixtures.line(copies[1], "friends") == "a c", "everywhere")
    },
    ContextCheck("no action does nothing at the other end (NSNoActionDeleteRule)") { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let nodes = try (Int64(0)..<3).map { try Fixtures.make("Node", ["number": .integer($0)], in: context) }
      try nodes[0].setObject(nodes[1], forKey: "loose")
      try nodes[1].setObject(nodes[2], forKey: "loose")
      try context.save()
      try context.delete(nodes[0])
      try expect(!nodes[1].hasChanges && !nodes[1].isDeleted, "untouched")
      try context.save()
      try expect(nodes[1].version == 1 && nodes[1].object("loose") === nodes[2], "as it was")
      let (id, goneID) = (nodes[1].objectID, nodes[2].objectID)
      try context.delete(nodes[2])
      try context.save()
      let fresh = scenario.newContext()
      let copy = try fresh.existingObject(with: id)
      try expect(copy.get("number", as: Int.self) == 1, "whoever led to it is left")
      if let end = try copy.object("loose") {
        try expect(end.objectID == goneID, "its destination, if any, was deleted")
        try expect(end.value(forKey: "number") == .null && end.isDeleted, "what is gone")
      }
      try copy.setObject(nil, forKey: "loose")
      try fresh.save()
    },
    ContextCheck(
      "a list that a deletion empties is judged as any other: none is enough where it is optional "
        + "(minCount)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let people = try Fixtures.people("a", "b", "c", "d", in: context)
      let firm = try Fixtures.make("Company", ["name": "x"], in: context)
      try firm.add(contentsOf: people, to: "board")
      let error = try expectContextError(.validation, "four") { try context.save() }
      try expect(error.failures.count == 1 && Fixtures.has(error, firm, "board", .most(3)), "too many")
      try context.delete(people[3])
      try context.save()
      try expect(Fixtures.line(firm, "board") == "a b c", "three after a deletion")
      for person in people[..<3] { try context.delete(person) }
      try context.save()
      try expect(firm.objects("board").isEmpty && !context.hasChanges, "none")
    },
  ]

  private static let cascadeRules: [ContextCheck] = [
    ContextCheck(
      "cascade deletes destinations of to-ones and to-manys, and theirs, all at once (NSCascadeDeleteRule)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let first = scenario.newContext()
      let people = try Fixtures.people("a", "b", in: first)
      let titles = ["1", "2", "3", "4"]
      let tasks = try titles.map { try Fixtures.make("Task", ["title": .string($0)], in: first) }
      for (task, owner) in zip(tasks, [0, 0, 1, 1]) { try task.setObject(people[owner], forKey: "owner") }
      try tasks[1].setObject(tasks[2], forKey: "next")
      try people[0].setObject(first.insert("Desk"), forKey: "desk")
      try people[1].setObject(first.insert("Desk"), forKey: "desk")
      try first.save()
      let context = scenario.newContext()
      let copies = try context.objects(with: tasks.map(\.objectID))
      let ada = try context.object(with: people[0].objectID)
      try context.delete(ada)
      try expect(copies.map(\.isDeleted) == [true, true, true, false], "its tasks and the next of one")
      try expect(context.deletedObjects.count == 5, "with the person and the desk")
      let bea = try context.object(with: people[1].objectID)
      try expect(Fixtures.line(bea, "tasks", "title") == "4" && bea.object("desk") != nil, "the other's stay")
      try context.save()
      try expect(Fixtures.names(context.fetch(FetchRequest("Task")), "title") == ["4"], "stored")
      try expect(context.count(for: FetchRequest("Desk")) == 1, "stored desks")
      try context.delete(bea.object("desk") ?? bea)
      try expect(bea.object("desk") == nil && !bea.isDeleted, "not against the rule's direction")
      try context.save()
    },
    ContextCheck(
      "a cascade goes as deep as there are objects, and around any circle once (NSCascadeDeleteRule)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let first = scenario.newContext()
      func ring(_ count: Int, closed: Bool) throws -> [ManagedObject] {
        let nodes = try (0..<count).map { _ in try first.insert("Node") }
        for (node, next) in zip(nodes, nodes.dropFirst()) { try node.setObject(next, forKey: "next") }
        if closed { try nodes[count - 1].setObject(nodes[0], forKey: "next") }
        return nodes
      }
      let chain = try ring(300, closed: false)
      let circle = try ring(7, closed: true)
      let alone = try ring(1, closed: true)
      let rest = try ring(1, closed: false)
      try first.save()
      let context = scenario.newContext()
      for (nodes, start) in [(chain, 150), (circle, 3), (alone, 0)] {
        try context.delete(context.object(with: nodes[start].objectID))
        try expect(context.deletedObjects.count == nodes.count, "all \(nodes.count) of them")
        try expect(Set(context.deletedObjects.map(\.objectID)) == Set(nodes.map(\.objectID)), "these")
        try context.save()
      }
      try expect(context.fetchObjectIDs(FetchRequest("Node")) == rest.map(\.objectID), "nothing else")
    },
    ContextCheck(
      "a cascade follows the relationships as they are now, saved or not (NSCascadeDeleteRule)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let people = try Fixtures.people("a", "b", in: context)
      let tasks = try ["kept", "lost"].map { try Fixtures.make("Task", ["title": .string($0)], in: context) }
      try people[0].add(contentsOf: tasks, to: "tasks")
      try context.save()
      try tasks[0].setObject(people[1], forKey: "owner")
      try tasks[1].set("note", "changed before")
      let new = try Fixtures.make("Task", ["title": "new"], in: context)
      try new.setObject(people[0], forKey: "owner")
      try context.delete(people[0])
      try expect(!tasks[0].isDeleted && tasks[1].isDeleted, "who has it now")
      try expect(!new.isInserted && context.insertedObjects.isEmpty, "a new one just goes away")
      try context.save()
      let fresh = scenario.newContext()
      try expect(Fixtures.names(fresh.fetch(FetchRequest("Task")), "title") == ["kept"], "stored")
      let owner = try fresh.object(with: people[1].objectID)
      try expect(Fixtures.line(owner, "tasks", "title") == "kept", "with its owner")
    },
    ContextCheck("a rollback brings back all that a deletion took along (rollback)") { factory in
      let context = try await ContextScenario(factory).newContext()
      let ada = try Fixtures.people("a", in: context)[0]
      let desk = try Fixtures.make("Desk", ["number": 1], in: context)
      let firm = try Fixtures.make("Company", ["name": "x"], in: context)
      let task = try Fixtures.make("Task", ["title": "t"], in: context)
      try ada.setObject(desk, forKey: "desk")
      try ada.setObject(firm, forKey: "employer")
      try task.setObject(ada, forKey: "owner")
      try context.save()
      try context.delete(ada)
      try expect(desk.isDeleted && task.isDeleted && context.hasChanges, "deleted")
      context.rollback()
      try expect(!ada.isDeleted && !desk.isDeleted && !task.isDeleted && !context.hasChanges, "back")
      try expect(desk.object("owner") === ada && task.object("owner") === ada, "joined again")
      try expect(Fixtures.line(firm, "employees") == "a" && ada.object("desk") === desk, "at both ends")
    },
  ]
}
