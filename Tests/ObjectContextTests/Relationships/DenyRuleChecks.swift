import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit

extension ContextCheck {
  static let denyRules: [ContextCheck] = [
    ContextCheck(
      "deny refuses the save while anything is left, and loses nothing (NSDenyDeleteRule)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let people = try Fixtures.people("owes", "owed", in: context)
      let loan = try Fixtures.make("Loan", ["amount": 5], in: context)
      let task = try Fixtures.make("Task", ["title": "t"], in: context)
      try loan.setObject(people[0], forKey: "borrower")
      try task.setObject(people[0], forKey: "owner")
      try context.save()
      try context.delete(people[0])
      try expect(task.isDeleted && !loan.isDeleted, "the other rules are followed meanwhile")
      let error = try expectContextError(.validation, "a loan is left") { try context.save() }
      try expect(error.failures.count == 1, "one rule")
      try expect(Fixtures.has(error, people[0], "loans", .denied), "which")
      try expect(people[0].isDeleted && task.isDeleted && context.hasChanges, "still to be deleted")
      let fresh = scenario.newContext()
      try expect(fresh.count(for: FetchRequest("Person")) == 2, "nothing was deleted")
      try expect(fresh.count(for: FetchRequest("Task")) == 1, "nor along with it")
      context.rollback()
      try expect(!people[0].isDeleted && loan.object("borrower") === people[0], "as before")
      try expect(Fixtures.line(people[0], "tasks", "title") == "t", "with all it has")
    },
    ContextCheck(
      "deny lets pass what is deleted in the same save, whichever came first (NSDenyDeleteRule)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      for personFirst in [true, false] {
        let ada = try Fixtures.people("Ada", in: context)[0]
        let loans = try (Int64(0)..<2).map {
          try Fixtures.make("Loan", ["amount": .integer($0)], in: context)
        }
        try ada.add(contentsOf: loans, to: "loans")
        try context.save()
        if personFirst { try context.delete(ada) }
        try context.delete(loans[0])
        try expectContextError(.validation, "one is left") {
          if !ada.isDeleted { try context.delete(ada) }
          try context.save()
        }
        try context.delete(loans[1])
        try context.save()
        let fresh = scenario.newContext()
        try expect(fresh.count(for: FetchRequest("Person")) == 0, "the person was deleted")
        try expect(fresh.count(for: FetchRequest("Loan")) == 0, "the loans were deleted")
      }
    },
    ContextCheck(
      "deny counts links as they are now: those to be saved, not those taken away (NSDenyDeleteRule)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let people = try Fixtures.people("a", "b", in: context)
      let loan = try Fixtures.make("Loan", ["amount": 5], in: context)
      try context.save()
      try loan.setObject(people[0], forKey: "borrower")
      try context.delete(people[0])
      let error = try expectContextError(.validation, "a link not saved yet") { try context.save() }
      try expect(Fixtures.has(error, people[0], "loans", .denied), "counts")
      try loan.setObject(people[1], forKey: "borrower")
      try context.save()
      try expect(people[1].objects("loans").map { $0 } == [loan], "moved before the deletion was saved")
    },
  ]

  static let deletionsElsewhere: [ContextCheck] = [
    ContextCheck("one deletion follows all its rules in one save (delete rules)") { factory in
      let scenario = try await ContextScenario(factory)
      let first = scenario.newContext()
      let people = try Fixtures.people("a", "b", in: first)
      for person in people {
        try person.setObject(Fixtures.make("Company", ["name": "x"], in: first), forKey: "employer")
        try person.setObject(first.insert("Desk"), forKey: "desk")
        try person.setObject(first.insert("Address"), forKey: "home")
        try person.add(Fixtures.make("Task", ["title": "t"], in: first), to: "tasks")
        try person.add(first.insert("Tag"), to: "tags")
        try person.add(first.insert("Tag"), to: "favourites")
      }
      try people[0].setObject(people[1], forKey: "manager")
      try people[1].add(people[0], to: "friends")
      try first.save()
      let context = scenario.newContext()
      try context.delete(context.object(with: people[0].objectID))
      try context.save()
      let again = try await scenario.reopened() ?? scenario
      let fresh = again.newContext()
      let counts = ["Person": 1, "Company": 2, "Desk": 1, "Address": 2, "Task": 1, "Tag": 4]
      for (entity, count) in counts {
        try expect(fresh.count(for: FetchRequest(entity)) == count, "\(count) of \(entity)")
      }
      let bea = try fresh.fetch(FetchRequest("Person"))[0]
      try expect(bea.objects("reports").isEmpty && bea.objects("friends").isEmpty, "no one left to know")
      try expect(bea.objects("tasks").count == 1 && bea.objects("favourites").count == 1, "its own stay")
    },
    ContextCheck(
      "what was deleted elsewhere cannot be linked to: the save is a conflict (dangling references)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      for (name, entity) in linksToOthers {
        let first = scenario.newContext()
        let (source, destination) = try pair(entity, in: first)
        try first.save()
        let (here, there) = (scenario.newContext(), scenario.newContext())
        let own = try here.existingObject(with: source.objectID)
        try link(own, name, to: here.existingObject(with: destination.objectID))
        try there.delete(there.existingObject(with: destination.objectID))
        try there.save()
        try expectContextError(.conflict, name) { try here.save() }
        try expect(here.hasChanges && own.isUpdated, "the change is still here: \(name)")
        here.rollback()
        try expectNoDanglingLinks(of: source.objectID, name, in: scenario)
      }
    },
    ContextCheck(
      "a deletion that precedes another context's new reference leaves no dangling one (dangling references)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      for (name, entity) in linksToOthers {
        let first = scenario.newContext()
        let (source, destination) = try pair(entity, in: first)
        try first.save()
        let (here, there) = (scenario.newContext(), scenario.newContext())
        try here.delete(here.existingObject(with: destination.objectID))
        let theirs = try there.existingObject(with: source.objectID)
        try link(theirs, name, to: there.existingObject(with: destination.objectID))
        try there.save()
        do {
          try here.save()
        } catch let error as ContextError where error.code == .conflict {
          // Refusing is as good as taking the link away.
        }
        try expectNoDanglingLinks(of: source.objectID, name, in: scenario)
      }
    },
    ContextCheck("what this context has deleted cannot be linked to (dangling references)") { factory in
      let scenario = try await ContextScenario(factory)
      for (name, entity) in linksToOthers {
        let context = scenario.newContext()
        let (source, destination) = try pair(entity, in: context)
        try context.save()
        try context.delete(destination)
        var isRefused = false
        do {
          try link(source, name, to: destination)
          try context.save()
        } catch {
          isRefused = true
        }
        try expect(isRefused, "\(name) was linked to what is deleted")
        context.rollback()
        try expectNoDanglingLinks(of: source.objectID, name, in: scenario)
      }
    },
    ContextCheck(
      "only a context's own objects can be deleted in it, and twice is once (delete(_:))"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let (context, other) = (scenario.newContext(), scenario.newContext())
      let ada = try Fixtures.people("Ada", in: context)[0]
      try context.save()
      let copy = try other.existingObject(with: ada.objectID)
      try expectContextError(.objectOfAnotherContext, "another context's") { try context.delete(copy) }
      try expect(!copy.isDeleted && !context.hasChanges, "nothing happened")
      try context.delete(ada)
      try context.delete(ada)
      try expect(context.deletedObjects == [ada], "once")
      try context.save()
      try expect(other.existingObject(with: copy.objectID) === copy, "still read in the other context")
      other.refreshAllObjects()
      try other.delete(copy)
      try expect(copy.isDeleted && !other.hasChanges, "a fault whose row was deleted is deleted already")
    },
  ]

  /// Relationships of a person, with where they lead.
  private static let linksToOthers = [
    ("manager", "Person"), ("employer", "Company"), ("desk", "Desk"), ("tags", "Tag"),
    ("favourites", "Tag"), ("friends", "Person"),
  ]

  /// A person, and an object to be linked to.
  private static func pair(
    _ entity: String, in context: ManagedObjectContext
  ) throws -> (ManagedObject, ManagedObject) {
    let destination = try Fixtures.make(entity, entity == "Company" ? ["name": "x"] : [:], in: context)
    return (try Fixtures.people("Ada", in: context)[0], destination)
  }

  private static func link(_ source: ManagedObject, _ name: String, to destination: ManagedObject) throws {
    if source.entity.relationship(named: name)?.isToMany == true {
      try source.add(destination, to: name)
    } else {
      try source.setObject(destination, forKey: name)
    }
  }

  private static func expectNoDanglingLinks(
    of id: ManagedObjectID, _ name: String, in scenario: ContextScenario
  ) throws {
    let fresh = scenario.newContext()
    let source = try fresh.existingObject(with: id)
    let isToMany = source.entity.relationship(named: name)?.isToMany == true
    let ends = try isToMany ? Array(source.objects(name)) : [source.object(name)].compactMap { $0 }
    for end in ends {
      try expect((try? fresh.existingObject(with: end.objectID)) != nil, "\(name) leads to what is gone")
    }
  }
}

extension Fixtures {
  /// Whether an error tells that an object breaks a rule.
  static func has(
    _ error: ContextError, _ object: ManagedObject, _ property: String?, _ rule: ValidationRule
  ) -> Bool {
    error.failures.contains {
      $0.objectID == object.objectID && $0.property == property && $0.rule == rule
    }
  }
}
