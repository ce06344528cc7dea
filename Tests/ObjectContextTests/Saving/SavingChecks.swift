import Foundation
import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit

extension ContextCheck {
  static let saving: [ContextCheck] = savingResults + savingFailures + savingOrders

  private static let savingResults: [ContextCheck] = [
    ContextCheck(
      "a save gives permanent IDs, and writes and counts up what changed and nothing else (save)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let people = try Fixtures.people("a", "b", in: context)
      try expect(people[0].version == 0 && people[0].objectID.isTemporaryID, "before")
      try context.save()
      let ids = people.map(\.objectID)
      try expect(ids.allSatisfy { !$0.isTemporaryID } && Set(ids).count == 2, "permanent, and different")
      try expect(people.map { try $0.version } == [1, 1], "inserted")
      for version in 2...3 {
        try people[0].set("age", 20 + version)
        try context.save()
        try expect(people.map { try $0.version } == [Int64(version), 1], "one more, where it changed")
      }
      try expect(people.map(\.objectID) == ids, "the IDs stay")
      try context.delete(people[1])
      try context.save()
      let later = try Fixtures.people("c", in: context)[0]
      try context.save()
      try expect(!ids.contains(later.objectID), "an ID is never given again")
    },
    ContextCheck(
      "a save without changes touches nothing: no row, no metadata, no hook (hasChanges)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      try context.save()
      let ada = try Fixtures.people("Ada", in: context)[0]
      let tag = try Fixtures.make("Tag", ["name": "t"], in: context)
      try context.save()
      let metadata = scenario.store.metadata
      try expect(HookLog().hooks { try context.save() }.isEmpty, "no hook")
      try ada.set("age", 19)
      try ada.set("age", 18)
      try ada.setObjects([tag], forKey: "tags")
      try ada.remove(tag, from: "tags")
      try context.delete(context.insert("Person"))
      try context.save()
      try expect(ada.version == 1 && tag.version == 1 && !context.hasChanges, "nothing was different")
      try expect(scenario.store.metadata == metadata, "the metadata is as it was")
      let fresh = scenario.newContext()
      try expect(fresh.existingObject(with: ada.objectID).version == 1, "as stored")
      try expect(fresh.count(for: FetchRequest("Person")) == 1, "no row came")
    },
    ContextCheck(
      "what is inserted and deleted before a save is never stored, and leaves no trace (delete(_:))"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let ada = try Fixtures.people("Ada", in: context)[0]
      try context.save()
      let (task, desk) = (try Fixtures.make("Task", ["title": "t"], in: context), try context.insert("Desk"))
      let bea = try Fixtures.people("Bea", in: context)[0]
      try ada.add(task, to: "tasks")
      try ada.setObject(desk, forKey: "desk")
      try ada.setObject(bea, forKey: "spouse")
      try ada.add(bea, to: "friends")
      for object in [task, desk, bea] { try context.delete(object) }
      try expect(context.insertedObjects.isEmpty && context.deletedObjects.isEmpty, "neither new nor deleted")
      try expect(task.managedObjectContext == nil && !task.hasChanges, "without a context")
      try expect(ada.objects("tasks").isEmpty && ada.objects("friends").isEmpty, "to-manys forget it")
      try expect(ada.object("desk") == nil && ada.object("spouse") == nil, "to-ones forget it")
      try expect(!ada.hasPersistentChangedValues, "as stored")
      try context.save()
      let fresh = scenario.newContext()
      for (entity, count) in ["Person": 1, "Task": 0, "Desk": 0] {
        try expect(fresh.count(for: FetchRequest(entity)) == count, entity)
      }
      try expect(fresh.existingObject(with: ada.objectID).version == 1, "not written")
    },
    ContextCheck(
      "values of every type are saved as they are, null distinguished from empty (NSAttributeType)"
    ) { factory in
      let scenario = try await ContextScenario(factory, try Sample.model())
      let context = scenario.newContext()
      let full: [String: AttributeValue] = [
        "integer16": .integer(Int64(Int16.min)), "integer32": .integer(Int64(Int32.max)),
        "integer64": .integer(.min), "decimal": .decimal(Decimal(12345) / 1000), "double": .double(0.1),
        "float": .double(0.5), "string": .string("a\(scenario.null) é 🏳️‍🌈"), "boolean": true,
        "date": .date(Date(timeIntervalSinceReferenceDate: 0.1)), "binary": .data(Data([0, 255, 0])),
        "uuid": .uuid(UUID()), "uri": .uri(try Fixtures.url("https://example.org/a%20b")),
        "transformable": .data(Data([1])), "composite": .composite(["street": "Main", "height": 2.5]),
        "objectID": .uri(try Fixtures.url("x-strongroom://A/B/p1")),
      ]
      let empty: [String: AttributeValue] = [
        "integer64": 0, "double": .double(0), "string": "", "boolean": false, "binary": .data(Data()),
      ]
      let rows = [full, empty, [:]]
      let objects = try rows.map { try Fixtures.make("Everything", $0, in: context) }
      func check(_ objects: [ManagedObject], _ rows: [[String: AttributeValue]], _ when: String) throws {
        for (object, row) in zip(objects, rows) {
          for attribute in object.entity.attributes {
            let value = try object.value(forKey: attribute.name)
            try expect(value == row[attribute.name] ?? .null, "\(attribute.name) \(when)")
          }
        }
      }
      try check(objects, rows, "before the save")
      try context.save()
      try check(objects, rows, "after the save")
      let fresh = scenario.newContext()
      let copies = try fresh.objects(with: objects.map(\.objectID))
      try check(copies, rows, "in another context")
      let turned: [[String: AttributeValue]] = rows.reversed()
      for (object, row) in zip(copies, turned) {
        for attribute in object.entity.attributes {
          try object.setValue(row[attribute.name] ?? .null, forKey: attribute.name)
        }
      }
      try fresh.save()
      try expect(copies.map { try $0.version } == [2, 1, 2], "two were changed")
      let ids = objects.map(\.objectID)
      let again = try await scenario.reopened() ?? scenario
      let last = again.newContext()
      try check(try last.objects(with: ids), turned, "changed, after reopening")
    },
    ContextCheck(
      "other contexts see a save in what they read after it, not in what they hold (isolation)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let (context, other) = (scenario.newContext(), scenario.newContext())
      let people = try Fixtures.people("a", "b", in: context)
      try expect(other.count(for: FetchRequest("Person")) == 0, "not before the save")
      try context.save()
      let held = try other.fetch(FetchRequest("Person", sortDescriptors: [FetchSortDescriptor("name")]))
      try people[0].set("age", 40)
      try context.delete(people[1])
      try expect(other.count(for: FetchRequest("Person")) == 2, "as stored")
      try context.save()
      try expect(other.count(for: FetchRequest("Person")) == 1, "fetched after the save")
      try expect(held[0].get("age", as: Int.self) == 18 && Fixtures.names(held) == ["a", "b"], "as held")
      try expect(!other.hasChanges && !held[1].isDeleted, "no change of its own")
    },
  ]

  private static let savingFailures: [ContextCheck] = [
    ContextCheck(
      "a save that the store refuses leaves every change, and IDs that can be used; mended, it goes "
        + "through (save)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      try Fixtures.make("Tag", ["name": "x"], in: context)
      let people = try Fixtures.people("a", "b", in: context)
      try context.save()
      let twin = try Fixtures.make("Tag", ["name": "x"], in: context)
      let new = try Fixtures.people("new", in: context)[0]
      try twin.add(new, people[0], to: "people")
      try people[0].setObject(new, forKey: "manager")
      try people[0].set("age", 40)
      try context.delete(people[1])
      let before = [twin, new].map(\.objectID)
      for round in 1...2 {
        try expectContextError(.notUnique, "round \(round)") { try context.save() }
        try expect(context.insertedObjects == [twin, new] && context.deletedObjects == [people[1]], "lists")
        try expect(context.updatedObjects == [people[0]], "changed ones")
        for object in [twin, new] {
          try expect(context.object(with: object.objectID) === object, "found by its ID of now")
          try expect(context.registeredObject(for: object.objectID) === object, "registered under it")
          try expect(object.isInserted && object.version == 0, "still new")
        }
        try expect(Fixtures.line(twin, "people") == "new a" && Fixtures.line(new, "reports") == "a", "links")
        try expect(people[0].changedValues()["age"] == 40, "values")
        let fresh = scenario.newContext()
        try expect(
          Fixtures.names(fresh.fetch(FetchRequest("Person", sortDescriptors: [FetchSortDescriptor("name")])))
            == ["a", "b"], "people")
        try expect(fresh.count(for: FetchRequest("Tag")) == 1, "one tag")
      }
      try expect(before.allSatisfy(\.isTemporaryID), "they were temporary at first")
      try twin.set("name", "y")
      try context.save()
      try expect(!context.hasChanges && twin.version == 1 && people[0].version == 2, "saved")
      let fresh = scenario.newContext()
      let copy = try fresh.object(with: twin.objectID)
      try expect(Fixtures.line(copy, "people") == "new a", "the links are stored")
      try expect(
        fresh.object(with: people[0].objectID).object("manager")?.objectID == new.objectID, "all of them")
    },
    ContextCheck(
      "a rollback forgets new objects and puts all others back as last saved (rollback)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let people = try Fixtures.people("a", "b", "c", in: context)
      try people[0].setObject(people[1], forKey: "manager")
      for title in ["1", "2"] {
        try people[0].add(Fixtures.make("Task", ["title": .string(title)], in: context), to: "tasks")
      }
      try context.save()
      let new = try Fixtures.people("new", in: context)[0]
      try people[0].set("age", 99)
      try people[0].setObject(new, forKey: "manager")
      try people[0].move(fromOffsets: IndexSet(integer: 1), toOffset: 0, in: "tasks")
      try people[1].add(people[2], to: "friends")
      try context.delete(people[2])
      context.rollback()
      try expect(!context.hasChanges && context.insertedObjects.isEmpty, "no changes")
      try expect(context.updatedObjects.isEmpty && context.deletedObjects.isEmpty, "in no list")
      try expect(new.managedObjectContext == nil && !new.isInserted, "the new one was deleted")
      try expect(people.allSatisfy { !$0.hasChanges && !$0.isDeleted }, "the others are unchanged")
      try expect(people[0].get("age", as: Int.self) == 18, "values")
      try expect(people[0].object("manager") === people[1], "to-ones")
      try expect(
        Fixtures.line(people[1], "reports") == "a" && people[1].objects("friends").isEmpty, "to-manys")
      try expect(Fixtures.line(people[0], "tasks", "title") == "1 2", "orders")
      try context.save()
      try expect(people.map { try $0.version } == [1, 1, 1], "nothing is left to save")
      try expect(context.count(for: FetchRequest("Person")) == 3, "nobody came")
    },
    ContextCheck(
      "a rollback takes new objects back that have permanent IDs already (obtainPermanentIDs(for:), "
        + "rollback)"
    ) { factory in
      let context = try await ContextScenario(factory).newContext()
      let ada = try Fixtures.people("Ada", in: context)[0]
      try context.obtainPermanentIDs(for: [ada])
      let id = ada.objectID
      context.rollback()
      try expect(context.registeredObject(for: id) == nil && ada.managedObjectContext == nil, "gone")
      try expectContextError(.objectNotFound, "never stored") { _ = try context.existingObject(with: id) }
      try Fixtures.people("Bea", in: context)[0].set("age", 30)
      try context.save()
      try expect(Fixtures.names(context.fetch(FetchRequest("Person"))) == ["Bea"], "the next save")
    },
  ]
}
