import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit

extension ContextCheck {
  static let undoneObjects: [ContextCheck] = [
    ContextCheck("undoing an insertion takes the object away, redoing brings it back with its values") {
      factory in
      let desk = try Desk(try await ContextScenario(factory))
      let context = desk.context
      let before = try desk.state(context)
      let new = try Fixtures.person(context, "New", age: 40)
      try new.setObject(desk.ada, forKey: "spouse")
      let task = try Fixtures.task("t", of: new, in: context)
      try task.set("note", "n")
      context.processPendingChanges()
      let after = try desk.state(context)
      for _ in 0..<2 {
        try context.undo()
        try expect(desk.state(context) == before, "as before")
        try expect(context.insertedObjects.isEmpty, "nothing new")
        try expect(context.count(for: FetchRequest("Task")) == 0, "no task")
        try context.redo()
        try expect(desk.state(context) == after, "as after")
        try expect(context.insertedObjects.count == 2, "both are new")
      }
      try context.save()
      try expect(desk.state(desk.scenario.newContext()) == after, "as stored")
    },
    ContextCheck("undoing a deletion undoes its cascade and its nullified links too (delete rules)") {
      factory in
      let desk = try Desk(try await ContextScenario(factory))
      let (context, ada) = (desk.context, desk.ada)
      let firm = try Fixtures.company(context, "Firm")
      let report = try Fixtures.person(context, "Report")
      let chair = try context.insert("Desk")
      let tag = try Fixtures.tag(context, "t")
      try ada.setObject(firm, forKey: "employer")
      try ada.setObject(chair, forKey: "desk")
      try ada.add(report, to: "reports")
      try ada.add(report, to: "friends")
      try ada.add(tag, to: "tags")
      let tasks = try ["a", "b", "c"].map { try Fixtures.task($0, of: ada, in: context) }
      try ada.setObjects([tasks[1], tasks[2], tasks[0]], forKey: "tasks")
      try tasks[0].setObject(tasks[2], forKey: "next")
      try context.save()
      context.undoManager?.removeAllActions()
      let before = try desk.state(context)
      try context.delete(ada)
      context.processPendingChanges()
      let after = try desk.state(context)
      for _ in 0..<2 {
        try expect(ada.isDeleted && chair.isDeleted && tasks.allSatisfy(\.isDeleted), "all are deleted")
        try expect(report.object("manager") == nil && firm.objects("employees").isEmpty, "links are cut")
        try context.undo()
        try expect(!ada.isDeleted && !chair.isDeleted && !tasks[1].isDeleted, "none is deleted")
        try expect(desk.state(context) == before, "all links are back, in their order")
        try expect(chair.object("owner") === ada && tag.objects("people").contains(ada), "both ways")
        try expect(tasks[0].object("next") === tasks[2], "among the cascaded too")
        try context.redo()
        try expect(desk.state(context) == after, "deleted again")
      }
      try context.undo()
      try context.save()
      try expect(desk.state(desk.scenario.newContext()) == before, "nothing was deleted in the store")
    },
    ContextCheck(
      "a deletion that was undone, done again and then saved is undone as a whole, as is an"
        + " insertion that turned into a fault"
    ) { factory in
      let desk = try Desk(try await ContextScenario(factory))
      let (context, ada) = (desk.context, desk.ada)
      let friend = try Fixtures.person(context, "Friend")
      let (tag, second) = (try Fixtures.tag(context, "t"), try Fixtures.tag(context, "u"))
      try ada.set("motto", "m")
      try ada.add(friend, to: "friends")
      try ada.add(tag, to: "tags")
      try ada.add(tag, to: "favourites")
      try ada.setObjects(["b", "a"].map { try Fixtures.task($0, of: ada, in: context) }, forKey: "tasks")
      try context.save()
      let before = try desk.state(context)
      func undo() throws {
        try context.undo()
        try expect(desk.state(context) == before, "all is back")
        try expect(
          Fixtures.line(ada, "friends") == "Friend" && friend.objects("friends").contains(ada), "both ends")
        try expect(ada.objects("favourites").contains(tag), "also without an inverse")
      }
      try context.delete(ada)
      context.processPendingChanges()
      try undo()
      try context.redo()
      try context.save()
      try undo()
      try context.save()
      try expect(desk.state(desk.scenario.newContext()) == before, "as stored")
      context.refreshAllObjects()
      context.undoManager?.removeAllActions()
      let new = try Fixtures.person(context, "New")
      try new.set("motto", "n")
      try new.add(tag, to: "favourites")
      context.processPendingChanges()
      let after = try desk.state(context)
      try context.save()
      context.refreshAllObjects()
      try context.undo()
      try context.save()
      try expect(desk.state(context) == before, "the new one was deleted")
      try context.redo()
      try context.save()
      for reader in [context, desk.scenario.newContext()] {
        try expect(desk.state(reader) == after, "the new one is back")
      }
      // A fault of which links were changed, while others of its batch were read.
      let other = desk.scenario.newContext()
      other.undoManager = UndoManager()
      let copies = try other.objects(with: [tag.objectID, second.objectID])
      try copies[0].add(other.object(with: new.objectID), to: "people")
      _ = try Fixtures.text(copies[1])
      other.processPendingChanges()
      let linked = try desk.state(other)
      try other.delete(copies[0])
      try other.save()
      try other.undo()
      try expect(desk.state(other) == linked && other.insertedObjects.count == 1, "a fault is back")
    },
    ContextCheck("undoing a change of a relationship puts both of its ends back (inverses)") { factory in
      let desk = try Desk(try await ContextScenario(factory))
      let (context, ada) = (desk.context, desk.ada)
      let people = try (0..<3).map { try Fixtures.person(context, "p\($0)") }
      for (number, person) in people.enumerated() { try person.set("motto", "\(number)") }
      try ada.set("motto", "ada")
      let firms = try ["F", "G"].map { try Fixtures.company(context, $0) }
      let tags = try ["s", "t", "u"].map { try Fixtures.tag(context, $0) }
      let tasks = try ["a", "b", "c"].map { try Fixtures.task($0, of: ada, in: context) }
      try ada.setObject(firms[0], forKey: "employer")
      try ada.setObject(people[0], forKey: "spouse")
      try people[1].setObject(people[2], forKey: "spouse")
      try ada.add(people[0], people[1], to: "friends")
      try ada.add(tags[0], tags[1], to: "tags")
      try context.save()
      context.undoManager?.removeAllActions()
      let changes: [(String, () throws -> Void)] = [
        ("a to-one", { try ada.setObject(firms[1], forKey: "employer") }),
        ("a to-one to nowhere", { try ada.setObject(nil, forKey: "employer") }),
        ("a one-to-one that takes from others", { try ada.setObject(people[1], forKey: "spouse") }),
        ("a to-many", { try firms[0].add(people[0], people[1], to: "employees") }),
        ("a to-many's removal", { try firms[0].remove(ada, from: "employees") }),
        ("a many-to-many", { try ada.setObjects([tags[2]], forKey: "tags") }),
        ("a many-to-many of its own kind", { try ada.setObjects([people[2]], forKey: "friends") }),
        ("an order", { try ada.setObjects([tasks[2], tasks[0], tasks[1]], forKey: "tasks") }),
        ("a place in an order", { try ada.insert(tasks[2], into: "tasks", at: 0) }),
        ("a move to the middle", { try ada.insert(tasks[0], into: "tasks", at: 1) }),
        ("a removal in the middle", { try ada.remove(at: 1, from: "tasks") }),
        ("a to-many's other end", { try people[0].setObject(ada, forKey: "manager") }),
      ]
      for (name, change) in changes {
        let before = try desk.state(context)
        try change()
        context.processPendingChanges()
        let after = try desk.state(context)
        try expect(after != before, "\(name) is a change")
        try context.undo()
        try expect(desk.state(context) == before, "\(name), undone")
        try context.redo()
        try expect(desk.state(context) == after, "\(name), redone")
        try context.undo()
        try expect(desk.state(context) == before, "\(name), undone again")
      }
      try context.save()
      try expect(desk.state(desk.scenario.newContext()) == desk.state(context), "as stored")
    },
    ContextCheck("undo after a save is a change that the next save stores (undo survives saves)") { factory in
      let desk = try Desk(try await ContextScenario(factory))
      let (context, ada) = (desk.context, desk.ada)
      try ada.set("name", "B")
      try context.save()
      try expect(desk.manager.canUndo, "the save forgets nothing")
      try context.undo()
      try expect(Fixtures.text(ada) == "Ada" && ada.isUpdated, "a change")
      let fresh = desk.scenario.newContext()
      let stored = try fresh.existingObject(with: ada.objectID)
      try expect(Fixtures.text(stored) == "B", "not stored yet")
      try context.save()
      try fresh.refresh(stored, mergeChanges: false)
      try expect(Fixtures.text(stored) == "Ada" && stored.version == 3, "stored")
      try context.redo()
      try context.save()
      try fresh.refresh(stored, mergeChanges: false)
      try expect(Fixtures.text(stored) == "B" && stored.version == 4, "redone")
    },
    ContextCheck("undoing a saved insertion deletes the object with the next save (undo survives saves)") {
      factory in
      let desk = try Desk(try await ContextScenario(factory))
      let context = desk.context
      let before = try desk.state(context)
      let new = try Fixtures.person(context, "New")
      try new.add(desk.ada, to: "friends")
      try context.save()
      try context.undo()
      try expect(desk.state(context) == before && new.isDeleted, "to be deleted")
      try expect(desk.scenario.newContext().count(for: FetchRequest("Person")) == 2, "not yet")
      try context.save()
      try expect(desk.state(desk.scenario.newContext()) == before, "deleted")
    },
    ContextCheck("undoing a saved deletion brings the object back under its ID, with values and links") {
      factory in
      let desk = try Desk(try await ContextScenario(factory))
      let (context, ada) = (desk.context, desk.ada)
      let firm = try Fixtures.company(context, "Firm")
      let friend = try Fixtures.person(context, "Friend")
      try ada.set("age", 40)
      try ada.setObject(firm, forKey: "employer")
      try ada.setObject(friend, forKey: "spouse")
      try ada.add(friend, to: "friends")
      try friend.add(ada, to: "reports")
      let tasks = try ["a", "b", "c"].map { try Fixtures.task($0, of: ada, in: context) }
      try ada.setObjects([tasks[1], tasks[2], tasks[0]], forKey: "tasks")
      try context.save()
      context.undoManager?.removeAllActions()
      let before = try desk.state(context)
      let ids = ([ada] + tasks).map(\.objectID)
      try context.delete(ada)
      try context.save()
      let without = try desk.state(desk.scenario.newContext())
      try context.undo()
      try expect(desk.state(context) == before, "back in the context")
      try expect(desk.state(desk.scenario.newContext()) == without, "not in the store yet")
      try context.save()
      let fresh = desk.scenario.newContext()
      try expect(desk.state(fresh) == before, "back in the store")
      for id in ids { try expect(fresh.existingObject(with: id).objectID == id, "under its ID") }
      let back = try context.existingObject(with: ids[0])
      try back.set("age", 41)
      try context.save()
      fresh.refreshAllObjects()
      try expect(Fixtures.number(fresh.existingObject(with: ids[0])) == 41, "and it goes on")
    },
    ContextCheck("any row of events can be undone and redone step by step, over saves too") { factory in
      let desk = try Desk(try await ContextScenario(factory))
      let context = desk.context
      try desk.ada.set("motto", "keeper")
      var dice = Fixtures.Dice(seed: 7)
      let firms = try ["F", "G"].map { try Fixtures.company(context, $0) }
      let tags = try ["s", "t"].map { try Fixtures.tag(context, $0) }
      try context.save()
      desk.manager.removeAllActions()
      var states = [try desk.state(context)]
      for event in 1...60 {
        try desk.ada.set("age", event)
        for change in 0..<dice.below(4) {
          try Self.changeAnything(context, firms, tags, "\(event).\(change)", &dice)
        }
        context.processPendingChanges()
        states.append(try desk.state(context))
        if dice.chance(5) { try context.save() }
      }
      for _ in 0..<2 {
        for place in (0..<60).reversed() {
          try context.undo()
          try expect(desk.state(context) == states[place], "undone to \(place)")
        }
        try expect(!desk.manager.canUndo, "to the beginning")
        for place in 1...60 {
          try context.redo()
          try expect(desk.state(context) == states[place], "redone to \(place)")
        }
        try expect(!desk.manager.canRedo, "to the end")
      }
      for _ in 0..<25 { try context.undo() }
      try context.save()
      try expect(desk.state(desk.scenario.newContext()) == states[35], "as stored")
      for _ in 0..<25 { try context.redo() }
      try context.save()
      try expect(desk.state(desk.scenario.newContext()) == states[60], "as stored again")
    },
  ]

  /// One change of a random kind to random people other than the keeper.
  private static func changeAnything(
    _ context: ManagedObjectContext, _ firms: [ManagedObject], _ tags: [ManagedObject], _ name: String,
    _ dice: inout Fixtures.Dice
  ) throws {
    let others = FetchRequest(
      "Person", where: .compare("motto", .notEqual, "keeper"), sortDescriptors: [FetchSortDescriptor("motto")]
    )
    let people = try context.fetch(others)
    guard let person = dice.element(people), let other = dice.element(people), !dice.chance(4) else {
      try Fixtures.person(context, "p \(name)").set("motto", name)
      return
    }
    switch dice.below(9) {
    case 0: try context.delete(person)
    case 1: try person.set("name", "n \(name)")
    case 2: try person.setObject(dice.chance(3) ? nil : dice.element(firms), forKey: "employer")
    case 3: if person !== other { try person.setObject(other, forKey: "spouse") }
    case 4: if person !== other { try person.add(other, to: "friends") }
    case 5: try person.remove(other, from: "friends")
    case 6: try Fixtures.task("t \(name)", of: person, in: context)
    case 7: try person.setObjects(person.objects("tasks").reversed(), forKey: "tasks")
    default: try person.setObjects(dice.chance(2) ? tags : [], forKey: "tags")
    }
  }
}
