import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit

extension ContextCheck {
  static let savingOrders: [ContextCheck] = [
    ContextCheck(
      "parents, children and links may be inserted and deleted in any order within a save (save)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      for order in permutations(["Company", "Person", "Tag", "Task"]) {
        let context = scenario.newContext()
        var made: [String: ManagedObject] = [:]
        for entity in order { made[entity] = try context.insert(entity) }
        guard let firm = made["Company"], let ada = made["Person"], let tag = made["Tag"],
          let task = made["Task"]
        else { throw StoreCheckFailure(description: "an order without all entities") }
        for entity in order {
          switch entity {
          case "Company": try firm.set("name", "x")
          case "Person": try ada.setObject(firm, forKey: "employer")
          case "Tag": try tag.add(ada, to: "people")
          default: try ada.insert(task, into: "tasks", at: 0)
          }
        }
        try task.set("title", "t")
        try context.save()
        let fresh = scenario.newContext()
        let copy = try fresh.existingObject(with: ada.objectID)
        try expect(copy.object("employer")?.objectID == firm.objectID, "\(order): the parent")
        try expect(copy.objects("tasks").map(\.objectID) == [task.objectID], "\(order): the child")
        try expect(copy.objects("tags").map(\.objectID) == [tag.objectID], "\(order): the link")
        for object in order.compactMap({ made[$0] }) { try context.delete(object) }
        try context.save()
        for entity in order {
          try expect(context.count(for: FetchRequest(entity)) == 0, "\(order): every \(entity) is gone")
        }
      }
    },
    ContextCheck(
      "objects that refer to each other in circles are saved and deleted together (save)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let people = try Fixtures.people("a", "b", "c", in: context)
      for (place, person) in people.enumerated() {
        try person.setObject(people[(place + 1) % 3], forKey: "manager")
        try person.add(contentsOf: people, to: "friends")
      }
      try people[0].setObject(people[2], forKey: "spouse")
      try context.save()
      let ids = people.map(\.objectID)
      let again = try await scenario.reopened() ?? scenario
      let fresh = again.newContext()
      let copies = try fresh.objects(with: ids)
      try expect(copies.map { try Fixtures.line($0, "reports") } == ["c", "a", "b"], "a ring")
      try expect(copies.allSatisfy { try Fixtures.line($0, "friends") == "a b c" }, "everyone's friend")
      try expect(copies[0].object("spouse") === copies[2] && copies[1].object("spouse") == nil, "a pair")
      for copy in copies { try fresh.delete(copy) }
      try fresh.save()
      try expect(fresh.count(for: FetchRequest("Person")) == 0, "all deleted")
    },
    ContextCheck("new, changed and deleted objects hand over to each other within a save (save)") { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let old = try Fixtures.people("old", in: context)[0]
      let tasks = try ["1", "2", "3"].map { try Fixtures.make("Task", ["title": .string($0)], in: context) }
      let desk = try Fixtures.make("Desk", ["number": 1], in: context)
      let tags = try ["x", "y"].map { try Fixtures.make("Tag", ["name": .string($0)], in: context) }
      try old.add(contentsOf: tasks, to: "tasks")
      try old.setObject(desk, forKey: "desk")
      try old.add(tags[0], to: "tags")
      try context.save()
      let new = try Fixtures.people("new", in: context)[0]
      try new.setObjects([tasks[2], tasks[0]], forKey: "tasks")
      try new.setObject(desk, forKey: "desk")
      try new.add(tags[1], to: "tags")
      try new.insert(Fixtures.make("Task", ["title": "4"], in: context), into: "tasks", at: 1)
      try tags[0].set("rank", 7)
      try context.delete(old)
      try expect(
        !desk.isDeleted && tasks.map(\.isDeleted) == [false, true, false], "what was not handed over")
      try context.save()
      let (id, ids) = (new.objectID, [desk, tags[0], tags[1]].map(\.objectID))
      let again = try await scenario.reopened() ?? scenario
      let fresh = again.newContext()
      let copy = try fresh.object(with: id)
      let others = try fresh.objects(with: ids)
      try expect(Fixtures.line(copy, "tasks", "title") == "3 4 1", "children with their order")
      try expect(copy.object("desk") === others[0] && others[0].object("owner") === copy, "the partner")
      try expect(others[1].objects("people").isEmpty && Fixtures.line(others[2], "people") == "new", "links")
      try expect(others[1].get("rank", as: Int.self) == 7, "a value")
      try expect(fresh.count(for: FetchRequest("Task")) == 3, "no more tasks than these")
    },
    ContextCheck(
      "a unique key that a deletion or a change sets free can be used in the same save (uniqueness "
        + "constraints)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let tags = try ["x", "y"].map { try Fixtures.make("Tag", ["name": .string($0)], in: context) }
      try context.save()
      try context.delete(tags[0])
      try tags[1].set("name", "z")
      let heirs = try ["x", "y"].map { try Fixtures.make("Tag", ["name": .string($0)], in: context) }
      try context.save()
      try expect(heirs[0].objectID != tags[0].objectID && heirs[1].objectID != tags[1].objectID, "others")
      try expect(!context.hasChanges && heirs[0].version == 1 && tags[1].version == 2, "saved")
      let fresh = scenario.newContext()
      let found = try fresh.fetch(FetchRequest("Tag", sortDescriptors: [FetchSortDescriptor("name")]))
      try expect(found.map(\.objectID) == [heirs[0], heirs[1], tags[1]].map(\.objectID), "stored")
    },
    ContextCheck(
      "a thousand objects with links are saved in one go, and change and go in one go (save)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let firm = try Fixtures.make("Company", ["name": "x"], in: context)
      let tag = try Fixtures.make("Tag", ["name": "t"], in: context)
      var people: [ManagedObject] = []
      for place in 0..<1000 {
        let person = try Fixtures.make("Person", ["age": .integer(Int64(place % 100))], in: context)
        try person.setObject(firm, forKey: "employer")
        try person.setObject(people.last, forKey: "manager")
        if place % 10 == 0 { try tag.insert(person, into: "people", at: 0) }
        people.append(person)
      }
      try context.save()
      let fresh = scenario.newContext()
      let copy = try fresh.object(with: tag.objectID)
      let tagged = people.indices.reversed().filter { $0 % 10 == 0 }.map { people[$0].objectID }
      try expect(copy.objects("people").map(\.objectID) == tagged, "in order")
      let staff = try fresh.object(with: firm.objectID).objects("employees")
      try expect(staff.count == 1000, "employees")
      for (place, person) in staff.enumerated() {
        if place % 2 == 0 { try person.set("age", 100) } else { try fresh.delete(person) }
      }
      try fresh.save()
      let last = scenario.newContext()
      try expect(
        last.count(for: FetchRequest("Person", where: .compare("age", .equal, 100))) == 500, "changed")
      try expect(last.count(for: FetchRequest("Person")) == 500, "deleted")
      try expect(last.object(with: firm.objectID).objects("employees").count == 500, "and unlinked")
    },
  ]

  /// Every order of some names.
  private static func permutations(_ names: [String]) -> [[String]] {
    if names.isEmpty { return [[]] }
    return names.indices.flatMap { place in
      var rest = names
      let first = rest.remove(at: place)
      return permutations(rest).map { [first] + $0 }
    }
  }
}
