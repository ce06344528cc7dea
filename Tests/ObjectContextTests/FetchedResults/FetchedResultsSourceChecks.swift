import ObjectContext
import ObjectModel
import ObjectQuery
import Observation
import StoreContract
import StoreTestKit

extension ContextCheck {
  static let sourcesOfLists: [ContextCheck] = [
    ContextCheck("what another context saved is reported once it is merged (NSFetchedResultsController)") {
      factory in
      let list = try await ShownList(factory, names: "abc")
      let people = list.controller.fetchedObjects
      list.context.automaticallyMergesChangesFromParent = true
      let other = list.scenario.newContext()
      try other.existingObject(with: people[0].objectID).set("age", 30)
      try other.delete(try other.existingObject(with: people[1].objectID))
      _ = try Fixtures.person(other, "z")
      try list.expectChanges()
      try other.save()
      try expect(list.calls == 0, "not before it is merged")
      try list.expectChanges("-b@0.1", "+z@0.2", "~a@0.0")
      try expect(Fixtures.number(list.controller.fetchedObjects[0]) == 30, "with the new value")
      try other.existingObject(with: people[0].objectID).set("age", 130)
      try other.save()
      try list.expectChanges("-a@0.0")
      try other.existingObject(with: people[0].objectID).set("age", 31)
      try other.save()
      try list.expectChanges("+a@0.0")
    },
    ContextCheck("an unregistered object enters the list once another context's save makes it match") {
      factory in
      let list = try await ShownList(factory, names: "ac")
      list.context.automaticallyMergesChangesFromParent = true
      let other = list.scenario.newContext()
      let stranger = try Fixtures.person(other, "b", age: 120)
      try other.save()
      try list.expectChanges()
      try stranger.set("age", 20)
      try other.save()
      try list.expectChanges("+b@0.1")
    },
    ContextCheck("what a child saved into the context is reported like the context's own changes") {
      factory in
      let list = try await ShownList(factory, names: "abc")
      let people = list.controller.fetchedObjects
      let child = ManagedObjectContext(parent: list.context)
      try child.existingObject(with: people[2].objectID).set("name", "0")
      try child.delete(try child.existingObject(with: people[1].objectID))
      _ = try Fixtures.person(child, "z")
      list.context.processPendingChanges()
      try expect(list.calls == 0, "not before the child saves")
      try child.save()
      try list.expectChanges("-b@0.1", "+z@0.2", "c@0.2>0.0")
    },
    ContextCheck("rolling back and undoing are reported like any change") { factory in
      let list = try await ShownList(factory, names: "abc")
      let people = list.controller.fetchedObjects
      list.context.undoManager = UndoManager()
      try people[0].set("name", "x")
      try list.context.delete(people[1])
      try list.expectChanges("-b@0.1", "a@0.0>0.1")
      try list.context.undo()
      try list.expectChanges("+b@0.1", "a@0.1>0.0")
      try list.context.redo()
      try list.expectChanges("-b@0.1", "a@0.0>0.1")
      _ = try Fixtures.person(list.context, "z")
      try list.expectChanges("+z@0.2")
      list.context.rollback()
      try list.expectChanges("-z@0.2", "+b@0.1", "a@0.1>0.0")
      try expect(list.names == ["a", "b", "c"], "as it was")
    },
    ContextCheck("several controllers of one context each report their own list") { factory in
      let list = try await ShownList(factory, names: "abc")
      let calls = Fixtures.Count()
      let companies = try FetchedResultsController(
        FetchRequest("Company", sortDescriptors: [FetchSortDescriptor("name")]), in: list.context)
      try companies.performFetch()
      companies.onChange = { _ in calls.add() }
      let firm = try Fixtures.company(list.context, "Firm")
      try list.expectChanges()
      try expect(calls.value == 1 && companies.fetchedObjects == [firm], "the firms'")
      try list.controller.fetchedObjects[0].set("age", 30)
      try list.expectChanges("~a@0.0")
      try expect(calls.value == 1, "not the people's")
    },
    ContextCheck("a condition over relationships follows changes of the destinations") { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let firm = try Fixtures.company(context, "Firm")
      let people = try ["a", "b"].map { try Fixtures.person(context, $0) }
      try firm.add(people[0], to: "employees")
      try context.save()
      let request = FetchRequest(
        "Person", where: .compare("employer.name", .equal, "New firm"),
        sortDescriptors: [FetchSortDescriptor("name")])
      let controller = try FetchedResultsController(request, in: context)
      try controller.performFetch()
      try firm.set("name", "New firm")
      context.processPendingChanges()
      try expect(controller.fetchedObjects == [people[0]], "the firm has another name")
      try firm.add(people[1], to: "employees")
      context.processPendingChanges()
      try expect(controller.fetchedObjects == people, "the firm has another employee")
      try context.delete(firm)
      context.processPendingChanges()
      try expect(controller.fetchedObjects.isEmpty, "the firm was deleted")
    },
    ContextCheck("snapshots come in a stream, and are of use on other isolations") { factory in
      let list = try await ShownList(factory, names: "ab", section: "motto")
      let first = list.controller.snapshot
      let stream = list.controller.changes()
      let new = try Fixtures.person(list.context, "c")
      try new.set("motto", "M")
      try list.context.save()
      try list.controller.fetchedObjects[0].set("name", "changed")
      try list.context.save()
      var last = first
      while last.objectIDs.count < 3 || last.objectIDs.contains(where: \.isTemporaryID) {
        last = try await Fixtures.first(1, of: stream)[0]
      }
      try expect(last.sections.map { $0.objectIDs.count } == [2, 1], "by section")
      try expect(last.sections[1].name == "M", "with their names")
      let coordinator = list.scenario.coordinator
      let names = try await Task.detached { [last] in
        let context = ManagedObjectContext(coordinator)
        return try Fixtures.names(context.objects(with: last.objectIDs))
      }.value
      try expect(names == ["changed", "b", "c"], "their objects elsewhere, got \(names)")
      try expect(first.objectIDs.count == 2, "an older one stays as it was")
    },
    ContextCheck("observers of a controller's objects are notified of a change (Observation)") { factory in
      let list = try await ShownList(factory, names: "ab")
      let heard = Fixtures.Count()
      func observe() {
        withObservationTracking {
          _ = list.controller.fetchedObjects
        } onChange: {
          heard.add()
        }
      }
      observe()
      _ = try Fixtures.company(list.context, "Firm")
      list.context.processPendingChanges()
      try expect(heard.value == 0, "nothing of the list changed")
      _ = try Fixtures.person(list.context, "c")
      list.context.processPendingChanges()
      try expect(heard.value == 1, "an insertion")
      observe()
      try list.controller.fetchedObjects[0].set("age", 30)
      list.context.processPendingChanges()
      try expect(heard.value == 2, "an update")
    },
    ContextCheck("over any sequence of events the reported changes turn the old list into the new one") {
      factory in
      try await Self.follow(factory, seed: 1, limit: nil)
    },
    ContextCheck("so they do where a limit cuts the list") { factory in
      try await Self.follow(factory, seed: 2, limit: 5)
    },
  ]

  /// Random events here and elsewhere; after each, the changes told make the list that a fetch
  /// brings.
  private static func follow(_ factory: any StoreFactory, seed: UInt64, limit: Int?) async throws {
    let list = try await ShownList(factory, names: "", section: "motto", sort: "age", limit: limit)
    let other = list.scenario.newContext()
    for context in [list.context, other] {
      context.automaticallyMergesChangesFromParent = true
      context.mergePolicy = .mergeByPropertyObjectTrump
    }
    var dice = Fixtures.Dice(seed: seed)
    for _ in 0..<120 {
      for _ in 0...dice.below(4) { try changeSomebody(list.context, &dice) }
      if dice.chance(6) {
        try list.context.save()
        for _ in 0...dice.below(3) { try changeSomebody(other, &dice) }
        try other.save()
      }
      if dice.chance(15) { list.context.rollback() }
      list.context.processPendingChanges()
      try list.agree()
    }
    try expect(list.calls > 50, "a lot was told")
  }

  /// Inserts, deletes or changes a person: the section, the order or whether the condition holds.
  private static func changeSomebody(_ context: ManagedObjectContext, _ dice: inout Fixtures.Dice) throws {
    let people = try context.fetch(FetchRequest("Person", sortDescriptors: [FetchSortDescriptor("name")]))
    guard let person = dice.element(people), !dice.chance(people.count < 12 ? 2 : 5) else {
      let new = try Fixtures.person(context, "p\(dice.below(1_000_000))", age: dice.below(130))
      return try new.set("motto", ["A", "M", "Z"][dice.below(3)])
    }
    switch dice.below(4) {
    case 0: try context.delete(person)
    case 1: try person.set("motto", ["A", "B", "M", "Z"][dice.below(4)])
    case 2: try person.set("age", dice.below(130))
    default: try person.set("name", "q\(dice.below(1_000_000))")
    }
  }
}
