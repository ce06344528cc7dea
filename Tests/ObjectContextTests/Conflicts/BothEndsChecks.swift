import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit

/// A save writes both ends of a link, whatever a context knew of the other end.
extension ContextCheck {
  static let bothEnds: [ContextCheck] = [
    ContextCheck("an object that is stored again and its changed spouse lead to each other") { factory in
      for policy in [MergePolicy.mergeByPropertyObjectTrump, .overwrite] {
        let scenario = try await ContextScenario(factory)
        let (here, people) = try couple(scenario)
        here.mergePolicy = policy
        for person in people { try person.set("age", 40) }
        let there = scenario.newContext()
        try there.delete(try there.existingObject(with: people[0].objectID))
        try there.save()
        try here.save()
        let ids = people.map(\.objectID)
        try ToOneConflict.agree(here, ids, "here, \(policy)")
        try ToOneConflict.agree(scenario.newContext(), ids, "stored, \(policy)")
        try expect(people[0].object("spouse") === people[1], "linked, \(policy)")
      }
    },
    ContextCheck("the spouse of an object to delete is released though its changes were refreshed") {
      factory in
      let scenario = try await ContextScenario(factory)
      let (here, people) = try couple(scenario)
      try here.delete(people[0])
      try here.refresh(people[1], mergeChanges: false)
      try expect(people[1].object("spouse") == nil, "here")
      try here.save()
      try ToOneConflict.agree(scenario.newContext(), people.map(\.objectID), "stored")
    },
    ContextCheck("a refresh leaves an object the new objects that lead to it") { factory in
      let scenario = try await ContextScenario(factory)
      let here = scenario.newContext()
      let person = try Fixtures.person(here, "owner")
      try here.save()
      let task = try Fixtures.task("new", of: person, in: here)
      try person.set("age", 50)
      try here.refresh(person, mergeChanges: false)
      try expect(Array(person.objects("tasks")) == [task], "the task stays")
      try expect(person.value(forKey: "age") == .integer(18), "the age is the stored one")
      try here.save()
      let fresh = scenario.newContext()
      let tasks = try fresh.existingObject(with: person.objectID).objects("tasks").map(\.objectID)
      try expect(tasks == [task.objectID], "stored")
    },
    ContextCheck("a refreshed change is not undone at the other end (undo)") { factory in
      let scenario = try await ContextScenario(factory)
      let (here, people) = try couple(scenario)
      let single = try Fixtures.person(here, "single")
      try here.save()
      here.undoManager = UndoManager()
      try people[0].setObject(single, forKey: "spouse")
      here.processPendingChanges()
      try here.refresh(single, mergeChanges: false)
      here.processPendingChanges()
      let ids = (people + [single]).map(\.objectID)
      try ToOneConflict.agree(here, ids, "refreshed")
      try here.undo()
      try ToOneConflict.agree(here, ids, "undone")
      try here.save()
      try ToOneConflict.agree(scenario.newContext(), ids, "stored")
    },
    ContextCheck("a desk stays without an owner where a conflict spares it of the owner's deletion") {
      factory in
      let scenario = try await ContextScenario(factory)
      let (here, there) = (scenario.newContext(), scenario.newContext())
      here.mergePolicy = .rollback
      let owner = try Fixtures.person(here, "owner")
      let desk = try here.insert("Desk")
      try owner.setObject(desk, forKey: "desk")
      try here.save()
      try here.delete(owner)
      try there.existingObject(with: desk.objectID).set("number", 7)
      try there.save()
      try here.save()
      try expect(desk.object("owner") == nil && !desk.isDeleted, "here")
      let fresh = scenario.newContext()
      try expect(fresh.existingObject(with: desk.objectID).object("owner") == nil, "stored")
      try expect(fresh.count(for: FetchRequest("Person")) == 0, "the owner is deleted")
    },
  ]

  /// Two saved people who are each other's spouse.
  private static func couple(_ scenario: ContextScenario) throws -> (ManagedObjectContext, [ManagedObject]) {
    let here = scenario.newContext()
    let people = try ["a", "b"].map { try Fixtures.person(here, $0) }
    try people[0].setObject(people[1], forKey: "spouse")
    try here.save()
    return (here, people)
  }
}
