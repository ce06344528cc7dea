import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit

extension ContextCheck {
  static let validation: [ContextCheck] = validationFailures + validationHooks

  private static let validationFailures: [ContextCheck] = [
    ContextCheck(
      "a save tells every broken rule of new, changed and deleted objects at once "
        + "(NSValidationMultipleErrorsError)"
    ) { factory in
      let context = try await ContextScenario(factory).newContext()
      let people = try Fixtures.people("old", "owing", "mute", "left", in: context)
      let task = try Fixtures.make("Task", ["title": "t"], in: context)
      try task.setObject(people[3], forKey: "owner")
      try Fixtures.make("Loan", in: context).setObject(people[1], forKey: "borrower")
      try context.save()
      let firm = try context.insert("Company")
      let crowd = try Fixtures.make("Company", ["name": "crowd"], in: context)
      try crowd.add(contentsOf: Fixtures.people("a", "b", "c", "d", in: context), to: "board")
      let orphan = try context.insert("Task")
      let child = try Fixtures.make("Person", ["age": .integer(-1)], in: context)
      try people[0].set("age", 151)
      try people[2].set("motto", "forbidden")
      try task.setObject(nil, forKey: "owner")
      try task.setValue(.null, forKey: "title")
      try context.delete(people[1])
      let error = try expectContextError(.validation, "ten rules") { try context.save() }
      let wanted: [(ManagedObject, String, ValidationRule)] = [
        (firm, "name", .required), (crowd, "board", .most(3)), (orphan, "title", .required),
        (orphan, "owner", .required), (child, "age", .least(0)), (people[0], "age", .greatest(150)),
        (people[2], "motto", .own), (task, "owner", .required), (task, "title", .required),
        (people[1], "loans", .denied),
      ]
      for (object, property, rule) in wanted {
        try expect(Fixtures.has(error, object, property, rule), "\(object.entity.name).\(property) \(rule)")
      }
      try expect(error.failures.count == wanted.count, "no more than these: \(error.failures)")
    },
    ContextCheck(
      "a refused save stores nothing and leaves the context as it was; mended, it goes through (save)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let people = try Fixtures.people("a", "b", "c", in: context)
      let desk = try Fixtures.make("Desk", ["number": 1], in: context)
      try people[2].setObject(desk, forKey: "desk")
      try context.save()
      try people[0].set("motto", "new")
      let fine = try Fixtures.people("fine", in: context)[0]
      let orphan = try Fixtures.make("Task", ["title": "t"], in: context)
      try people[1].set("age", 999)
      try people[1].setObject(fine, forKey: "manager")
      try context.delete(people[2])
      let inserted = context.insertedObjects
      let (updated, deleted) = (context.updatedObjects, context.deletedObjects)
      for round in 1...2 {
        try expectContextError(.validation, "round \(round)") { try context.save() }
        try expect(context.insertedObjects == inserted && inserted.count == 2, "new ones")
        try expect(context.updatedObjects == updated && updated.contains(people[0]), "changed ones")
        try expect(context.deletedObjects == deleted && deleted.contains(desk), "deleted ones")
        try expect(people[1].get("age", as: Int.self) == 999, "the value that was refused")
        try expect(people[1].object("manager") === fine && Fixtures.line(fine, "reports") == "b", "links")
        try expect(people[0].committedValues(forKeys: ["motto"])["motto"] == .null, "the row beneath")
        let fresh = scenario.newContext()
        try expect(fresh.count(for: FetchRequest("Person")) == 3, "no one came or went")
        try expect(fresh.existingObject(with: people[0].objectID).version == 1, "not even what is fine")
      }
      try people[1].set("age", 99)
      try orphan.setObject(fine, forKey: "owner")
      try context.save()
      try expect(!context.hasChanges && people[1].version == 2 && fine.version == 1, "saved")
      let fresh = scenario.newContext()
      let copies = try fresh.fetch(FetchRequest("Person", sortDescriptors: [FetchSortDescriptor("name")]))
      try expect(Fixtures.names(copies) == ["a", "b", "fine"], "stored")
      try expect(copies[1].object("manager") === copies[2], "with its links")
      try expect(fresh.count(for: FetchRequest("Desk")) == 0, "and the deletions")
    },
    ContextCheck(
      "bounds themselves are allowed, and null where the attribute is optional (minValue, maxValue)"
    ) { factory in
      let context = try await ContextScenario(factory).newContext()
      let ada = try Fixtures.people("Ada", in: context)[0]
      let cases: [(Int, ValidationRule?)] = [(-1, .least(0)), (0, nil), (150, nil), (151, .greatest(150))]
      for (age, rule) in cases {
        try ada.set("age", age)
        guard let rule else {
          try context.save()
          continue
        }
        let error = try expectContextError(.validation, "\(age)") { try context.save() }
        try expect(error.failures.count == 1 && Fixtures.has(error, ada, "age", rule), "\(age): \(error)")
      }
      try ada.setValue(.null, forKey: "age")
      try context.save()
      try expect(ada.value(forKey: "age") == .null, "null")
    },
    ContextCheck(
      "what is deleted is not judged by its values, and what is set right again passes (validateForDelete)"
    ) { factory in
      let context = try await ContextScenario(factory).newContext()
      let people = try Fixtures.people("a", "b", in: context)
      try context.save()
      try people[0].set("age", 151)
      try context.delete(people[0])
      try context.delete(Fixtures.make("Task", ["title": "no owner"], in: context))
      try people[1].set("age", 151)
      try people[1].set("motto", "forbidden")
      try people[1].set("age", 50)
      try people[1].setValue(.null, forKey: "motto")
      try context.save()
      try expect(context.count(for: FetchRequest("Person")) == 1 && !context.hasChanges, "saved")
    },
    ContextCheck(
      "the counts of a to-many are judged whichever end was changed (minCount, maxCount)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let first = scenario.newContext()
      let people = try Fixtures.people("a", "b", "c", "d", in: first)
      let firm = try Fixtures.make("Company", ["name": "x"], in: first)
      try firm.add(people[0], people[1], people[2], to: "board")
      try first.save()
      let context = scenario.newContext()
      let late = try context.object(with: people[3].objectID)
      let copy = try context.object(with: firm.objectID)
      try late.add(copy, to: "boards")
      let error = try expectContextError(.validation, "a fourth") { try context.save() }
      try expect(error.failures.count == 1 && Fixtures.has(error, copy, "board", .most(3)), "\(error)")
      try copy.remove(context.object(with: people[0].objectID), from: "board")
      try context.save()
      try expect(Fixtures.line(copy, "board") == "b c d", "three")
    },
    ContextCheck(
      "a to-many that is not optional may be empty unless it has a least count (minCount)"
    ) { factory in
      let scenario = try await ContextScenario(
        factory,
        try ManagedObjectModel {
          Entity("Album") {
            Relationship("photos", toMany: "Photo", inverse: "albums", optional: false)
            Relationship("covers", toMany: "Photo", optional: false, maxCount: 1)
            Relationship("pages", toMany: "Photo", optional: false, minCount: 2)
          }
          Entity("Photo") { Relationship("albums", toMany: "Album", inverse: "photos") }
        })
      let context = scenario.newContext()
      let album = try context.insert("Album")
      let photos = try (0..<2).map { _ in try context.insert("Photo") }
      var error = try expectContextError(.validation, "no pages") { try context.save() }
      try expect(error.failures.count == 1 && Fixtures.has(error, album, "pages", .fewest(2)), "\(error)")
      try album.add(contentsOf: photos, to: "pages")
      try context.save()
      try album.add(contentsOf: photos, to: "photos")
      try context.save()
      for photo in photos { try album.remove(photo, from: "photos") }
      try context.save()
      try expect(album.objects("photos").isEmpty && album.objects("covers").isEmpty, "emptied again")
      try album.remove(photos[0], from: "pages")
      error = try expectContextError(.validation, "one page") { try context.save() }
      try expect(error.failures.count == 1 && Fixtures.has(error, album, "pages", .fewest(2)), "\(error)")
      try album.remove(photos[1], from: "pages")
      error = try expectContextError(.validation, "no page") { try context.save() }
      try expect(error.failures.count == 1 && Fixtures.has(error, album, "pages", .fewest(2)), "\(error)")
      try album.add(contentsOf: photos, to: "pages")
      try album.add(contentsOf: photos, to: "covers")
      error = try expectContextError(.validation, "two covers") { try context.save() }
      try expect(error.failures.count == 1 && Fixtures.has(error, album, "covers", .most(1)), "\(error)")
      try album.remove(photos[1], from: "covers")
      try context.save()
    },
    ContextCheck("no message holds a value that was refused (NSValidationErrorKey)") { factory in
      let context = try await ContextScenario(factory).newContext()
      let ada = try Fixtures.make(
        "Person", ["name": "Nemesis", "age": 31337, "motto": "forbidden"], in: context)
      let error = try expectContextError(.validation, "two rules") { try context.save() }
      let text = "\(error) \(error.failures) \(error.message)"
      for value in ["Nemesis", "31337", "forbidden"] { try expect(!text.contains(value), "told: \(value)") }
      try expect(text.contains("Person.age") && text.contains("Person.motto"), "it names the properties")
      try expect(error.failures.allSatisfy { $0.objectID == ada.objectID }, "and the object")
    },
  ]

  private static let validationHooks: [ContextCheck] = [
    ContextCheck(
      "an error of an object's own validation is a failure of the whole object (validateForInsert)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      try scenario.coordinator.register(StrictObject.self, for: "Company")
      let context = scenario.newContext()
      let firm = try Fixtures.make("Company", ["name": "no insert"], in: context)
      let nameless = try context.insert("Company")
      var error = try expectContextError(.validation, "an insertion") { try context.save() }
      try expect(error.failures.count == 2, "with the model's own rule on another")
      try expect(
        Fixtures.has(error, firm, nil, .own) && Fixtures.has(error, nameless, "name", .required), "both")
      let cause = error.failures.first { $0.objectID == firm.objectID }?.cause
      try expect((cause as? StrictObject.Refusal)?.hook == "no insert", "and what was thrown")
      try context.delete(nameless)
      try firm.set("name", "fine")
      try context.save()
      try firm.set("name", "no update")
      error = try expectContextError(.validation, "an update") { try context.save() }
      try expect(error.failures.count == 1 && Fixtures.has(error, firm, nil, .own), "refused")
      try firm.set("name", "no delete")
      try context.save()
      try context.delete(firm)
      error = try expectContextError(.validation, "a deletion") { try context.save() }
      try expect(error.failures.count == 1 && Fixtures.has(error, firm, nil, .own), "refused")
      try expect(firm.isDeleted, "still to be deleted")
      context.rollback()
      try expect(firm.get("name", as: String.self) == "no delete" && firm.version == 2, "as stored")
    },
    ContextCheck(
      "validateValue sees each attribute and to-one that was set, with the value to be saved "
        + "(validateValue(_:forKey:))"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      try scenario.coordinator.register(AskedObject.self, for: "Desk")
      let context = scenario.newContext()
      let desk = try Fixtures.make("Desk", ["number": 1], in: context)
      let ada = try Fixtures.people("Ada", in: context)[0]
      let log = HookLog()
      try expect(log.hooks { try context.save() }.contains("number 1"), "a new object's")
      try desk.set("number", 2)
      try expect(log.hooks { try context.save() } == ["number 2"], "only what was set")
      try ada.setObject(desk, forKey: "desk")
      let error = try expectContextError(.validation, "an owner") { try context.save() }
      try expect(error.failures.count == 1 && Fixtures.has(error, desk, "owner", .own), "a to-one: \(error)")
      try ada.setObject(nil, forKey: "desk")
      try desk.set("number", 3)
      try context.save()
      try expect(desk.version == 3, "taken back")
    },
    ContextCheck("what willSave puts right is not refused (willSave)") { factory in
      let context = try await ContextScenario(factory).newContext()
      let ada = try Fixtures.people("Ada", in: context)[0]
      try ada.set("age", 999)
      let log = HookLog { hook, object in
        guard hook == "willSave", let age = try? object.get("age", as: Int.self), age > 150 else { return }
        try? object.set("age", 150)
      }
      _ = try log.hooks { try context.save() }
      try expect(ada.get("age", as: Int.self) == 150 && ada.version == 1, "saved as mended")
    },
    ContextCheck("what willSave breaks is refused (willSave)") { factory in
      let context = try await ContextScenario(factory).newContext()
      let ada = try Fixtures.people("Ada", in: context)[0]
      let log = HookLog { hook, object in
        if hook == "willSave" { try? object.set("motto", "forbidden") }
      }
      let noted = try log.hooks {
        let error = try expectContextError(.validation, "a motto") { try context.save() }
        try expect(Fixtures.has(error, ada, "motto", .own), "which")
      }
      try expect(!noted.contains("didSave") && ada.isInserted, "not saved")
    },
  ]
}

/// A company whose validation refuses by its name.
private final class StrictObject: ManagedObject {
  struct Refusal: Error { let hook: String }

  private func refuse(_ name: String) throws {
    if try get("name", as: String.self) == name { throw Refusal(hook: name) }
  }

  override func validateForInsert() throws { try refuse("no insert") }
  override func validateForUpdate() throws { try refuse("no update") }
  override func validateForDelete() throws { try refuse("no delete") }
}

/// A desk that tells what it is asked about, and refuses an owner.
private final class AskedObject: ManagedObject {
  struct Refusal: Error {}

  override func validateValue(_ value: AttributeValue, forKey name: String) throws {
    LoggedObject.log?.note("\(name) \(value.text)", self)
    if case .reference = value { throw Refusal() }
  }
}
