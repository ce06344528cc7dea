import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit

extension ContextCheck {
  /// What batches do to objects and lists that are alive.
  static let batches: [ContextCheck] = [
    ContextCheck("no to-many keeps what a batch deleted, in a changed object neither (NSBatchDeleteRequest)")
    {
      factory in
      let scenario = try await ContextScenario(factory)
      for isOwn in [true, false] {
        let (here, there) = (scenario.newContext(), scenario.newContext())
        here.undoManager = UndoManager()
        let firm = try Fixtures.company(here, "Firm")
        let people = try (0..<4).map { try Fixtures.person(here, "p\($0)", age: 30 + $0) }
        try firm.add(contentsOf: people, to: "employees")
        try people[0].add(contentsOf: people[1...], to: "friends")
        let tags = try (0..<2).map { try Fixtures.tag(here, "t\($0) \(isOwn)") }
        for tag in tags { try tag.add(contentsOf: people, to: "people") }
        try here.save()
        try expect(
          firm.objects("employees").count == 4 && tags[1].objects("people").count == 4, "read before")
        try firm.set("name", "changed")
        try people[0].set("motto", "changed")
        try here.delete(tags[1])
        let held = [people[0], people[1]]
        let request = FetchRequest("Person", where: .compare("age", .greater, 30))
        try (isOwn ? here : there).batchDelete(request)
        try here.mergeChanges()
        try expect(firm.objects("employees").map { $0 } == [people[0]], "a list of a changed object")
        try expect(people[0].objects("friends").isEmpty, "a many-to-many")
        try expect(tags[0].objects("people").map { $0 } == [people[0]], "an order of an unchanged one")
        try expect(held[1].isDeleted && Fixtures.text(held[1]) == "p1", "a member")
        try here.undo()
        try here.save()
        try expect(
          !tags[1].isDeleted && tags[1].objects("people").map { $0 } == [people[0]], "an undone deletion")
        try here.delete(people[0])
        try here.delete(firm)
        for tag in tags { try here.delete(tag) }
        try here.save()
      }
    },
    ContextCheck(
      "to-manys have what a batch inserted or moved, in a changed object too (NSBatchInsertRequest)"
    ) {
      factory in
      let scenario = try await ContextScenario(factory)
      for isOwn in [true, false] {
        let (here, there) = (scenario.newContext(), scenario.newContext())
        let firms = try ["A", "B"].map { try Fixtures.company(here, $0) }
        let ada = try Fixtures.person(here, "Ada", age: 77)
        try ada.setObject(firms[0], forKey: "employer")
        try here.save()
        try expect(firms.map { try $0.objects("employees").count } == [1, 0], "read before")
        try firms[0].set("name", "changed")
        let writer = isOwn ? here : there
        try writer.batchInsert(
          into: "Person",
          dictionaries: [
            ["name": "new", "age": isOwn ? 11 : 12, "employer": .reference(firms[0].objectID.reference)]
          ])
        try here.mergeChanges()
        try expect(firms.map { try $0.objects("employees").count } == [2, 0], "inserted")
        try writer.batchUpdate(
          FetchRequest("Person", where: .compare("age", .equal, isOwn ? 11 : 12)),
          set: ["employer": .reference(firms[1].objectID.reference)])
        try here.mergeChanges()
        try expect(firms.map { try Fixtures.names($0.objects("employees")) } == [["Ada"], ["new"]], "moved")
        try here.save()
      }
    },
    ContextCheck("a change is a conflict whatever batch was in between, also where another stored the same") {
      factory in
      let scenario = try await ContextScenario(factory)
      for (value, isInsertion) in [(31, true), (31, false), (32, true), (32, false)] {
        let (here, there, batching) = (scenario.newContext(), scenario.newContext(), scenario.newContext())
        let ada = try Fixtures.person(here, "Ada", age: 30)
        let name = "t \(value) \(isInsertion)"
        _ = try Fixtures.tag(here, name)
        try here.save()
        try ada.set("age", 31)
        try there.existingObject(with: ada.objectID).set("age", value)
        try there.save()
        if isInsertion {
          try batching.batchInsert(into: "Tag", dictionaries: [["name": .string("batch \(value)")]])
        } else {
          try batching.batchDelete(FetchRequest("Tag", where: .compare("name", .equal, .string(name))))
        }
        try expectContextError(.conflict, "\(value) \(isInsertion)") { try here.save() }
        here.mergePolicy = .mergeByPropertyObjectTrump
        try here.save()
        let stored = try scenario.newContext().existingObject(with: ada.objectID)
        try expect(stored.get("age", as: Int.self) == 31, "the program's value")
        try here.delete(ada)
        try here.save()
      }
    },
    ContextCheck("live results see what a batch of their own context did (NSFetchedResultsController)") {
      factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let firm = try Fixtures.company(context, "Firm")
      try context.save()
      let sort = [FetchSortDescriptor("employer.name"), FetchSortDescriptor("name")]
      let young = FetchPredicate.compare("age", .less, 50)
      let lists = try [
        FetchedResultsController(FetchRequest("Person", where: young, sortDescriptors: sort), in: context),
        FetchedResultsController(
          FetchRequest("Person", where: young, sortDescriptors: sort, fetchLimit: 2), in: context),
        FetchedResultsController(
          FetchRequest("Person", where: young, sortDescriptors: sort), in: context,
          sectionedBy: "employer.name"),
      ]
      for list in lists { try list.performFetch() }
      func expectNames(_ names: [String], _ what: String) throws {
        context.processPendingChanges()
        try expect(
          Fixtures.names(lists[0].fetchedObjects) == names,
          "\(what), all: \(Fixtures.names(lists[0].fetchedObjects))")
        try expect(Fixtures.names(lists[1].fetchedObjects) == Array(names.prefix(2)), "\(what), two")
        try expect(Fixtures.names(lists[2].sections.flatMap(\.objects)) == names, "\(what), sections")
      }
      try context.batchInsert(
        into: "Person",
        dictionaries: [
          ["name": "c", "age": 30, "employer": .reference(firm.objectID.reference)],
          ["name": "b", "age": 30], ["name": "a", "age": 30], ["name": "old", "age": 80],
        ])
      try expectNames(["a", "b", "c"], "inserted")
      try expect(lists[2].sections.map(\.name) == ["", "Firm"], "the sections' names")
      try context.batchUpdate(
        FetchRequest("Person", where: .compare("name", .equal, "old")), set: ["age": 20])
      try expectNames(["a", "b", "old", "c"], "changed, though not retained")
      try context.batchDelete(FetchRequest("Person", where: .compare("name", .equal, "a")))
      try expectNames(["b", "old", "c"], "deleted")
      try context.batchDelete(FetchRequest("Company"))
      try expectNames(["b", "c", "old"], "the section's object deleted")
    },
  ]
}
