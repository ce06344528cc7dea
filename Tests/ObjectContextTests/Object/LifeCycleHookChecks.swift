import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit

extension ContextCheck {
  static let lifeHooks: [ContextCheck] = [
    ContextCheck(
      "awakeFromInsert is called once, with the default values in place (awakeFromInsert)"
    ) { factory in
      let context = try await ContextScenario(factory).newContext()
      let log = HookLog { hook, object in
        guard hook == "awakeFromInsert", let age = try? object.get("age", as: Int.self) else { return }
        try? object.set("motto", "born at \(age)")
      }
      var people: [ManagedObject] = []
      try expect(log.hooks { people = try [context.insert("Person")] } == ["awakeFromInsert"], "once")
      try expect(people[0].get("motto", as: String.self) == "born at 18", "the default was there")
      let noted = try log.hooks {
        _ = try context.fetch(FetchRequest("Person"))
        try context.save()
        try context.refresh(people[0], mergeChanges: false)
        _ = try people[0].get("age", as: Int.self)
      }
      try expect(!noted.contains("awakeFromInsert"), "never again")
      try expect(people[0].get("motto", as: String.self) == "born at 18", "what it set was saved")
    },
    ContextCheck(
      "a save calls willSave, one validation and didSave for each object it is about (willSave, didSave)"
    ) { factory in
      let context = try await ContextScenario(factory).newContext()
      let log = HookLog()
      let ada = try Fixtures.people("Ada", in: context)[0]
      let idle = try Fixtures.people("Idle", in: context)[0]
      try context.delete(idle)
      var noted = try log.hooks { try context.save() }
      try expect(noted == ["willSave", "validateForInsert", "didSave"], "an insertion: \(noted)")
      try ada.set("age", 30)
      noted = try log.hooks { try context.save() }
      try expect(noted == ["willSave", "validateForUpdate", "didSave"], "an update: \(noted)")
      try expect(log.hooks { try context.save() }.isEmpty, "nothing to save, nothing to tell")
      noted = try log.hooks { try context.delete(ada) }
      try expect(noted == ["prepareForDeletion"], "a deletion: \(noted)")
      noted = try log.hooks { try context.save() }
      try expect(noted == ["willSave", "validateForDelete", "didSave"], "a deletion's save: \(noted)")
    },
    ContextCheck(
      "a save that fails has called willSave and the validation, but not didSave (didSave)"
    ) { factory in
      let context = try await ContextScenario(factory).newContext()
      let log = HookLog()
      let ada = try Fixtures.people("Ada", in: context)[0]
      try ada.set("age", 151)
      var noted = try log.hooks { try expectContextError(.validation, "too old") { try context.save() } }
      try expect(noted == ["willSave", "validateForInsert"], "refused: \(noted)")
      try ada.set("age", 150)
      noted = try log.hooks { try context.save() }
      try expect(noted == ["willSave", "validateForInsert", "didSave"], "mended: \(noted)")
    },
    ContextCheck(
      "what willSave changes and inserts is saved too, and gets its own willSave (willSave)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let people = try Fixtures.people("worker", "boss", in: context)
      let (worker, boss) = (people[0], people[1])
      try worker.setObject(boss, forKey: "manager")
      try context.save()
      let log = HookLog { hook, object in
        guard hook == "willSave", (try? object.get("name", as: String.self)) == "worker" else { return }
        let manager = try? object.object("manager")
        for person in [object, manager ?? object] where (try? person.get("motto", as: String.self)) == nil {
          try? person.set("motto", "told")
        }
        if (try? object.object("desk")) == nil {
          try? object.setObject(object.managedObjectContext?.insert("Desk"), forKey: "desk")
        }
      }
      try worker.set("age", 30)
      let noted = try log.hooks { try context.save() }
      try expect(noted.filter { $0 == "willSave" }.count >= 2, "both were told: \(noted)")
      try expect(noted.filter { $0 == "validateForUpdate" }.count == 2, "both were judged: \(noted)")
      try expect(noted.filter { $0 == "didSave" }.count == 2, "both were saved: \(noted)")
      try expect(!context.hasChanges, "nothing is left")
      let fresh = scenario.newContext()
      let copies = try fresh.objects(with: [worker.objectID, boss.objectID])
      try expect(Fixtures.names(copies, "motto") == ["told", "told"], "stored")
      try expect(copies[0].object("desk")?.objectID == worker.object("desk")?.objectID, "and the desk")
    },
    ContextCheck("in didSave an object has its permanent ID and no changes (didSave)") { factory in
      let context = try await ContextScenario(factory).newContext()
      let seen = HookLog()
      let log = HookLog { hook, object in
        guard hook == "didSave" else { return }
        seen.note("\(object.objectID.isTemporaryID) \(object.hasChanges) \(object.isInserted)", object)
      }
      let ada = try Fixtures.people("Ada", in: context)[0]
      _ = try log.hooks { try context.save() }
      try ada.set("age", 30)
      _ = try log.hooks { try context.save() }
      try expect(seen.take() == ["false false false", "false false false"], "settled")
    },
    ContextCheck(
      "prepareForDeletion is called once, while the relationships still stand (prepareForDeletion)"
    ) { factory in
      let context = try await ContextScenario(factory).newContext()
      let people = try Fixtures.people("worker", "boss", in: context)
      try people[0].setObject(people[1], forKey: "manager")
      try context.save()
      let log = HookLog { hook, object in
        guard hook == "prepareForDeletion", let manager = try? object.object("manager") else { return }
        try? manager.set("motto", "one less")
      }
      let noted = try log.hooks {
        try context.delete(people[0])
        try context.delete(people[0])
      }
      try expect(noted == ["prepareForDeletion"], "once: \(noted)")
      try expect(people[1].get("motto", as: String.self) == "one less", "the manager was to be seen")
      try expect(people[1].objects("reports").isEmpty, "and is left afterwards")
      let new = try Fixtures.people("new", in: context)[0]
      try expect(log.hooks { try context.delete(new) } == ["prepareForDeletion"], "an unsaved object too")
    },
    ContextCheck(
      "awakeFromFetch is called each time a row is read, and for no other reason (awakeFromFetch)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let first = scenario.newContext()
      let saved = try Fixtures.people("Ada", "Bea", in: first)
      try first.save()
      let context = scenario.newContext()
      let log = HookLog()
      var people: [ManagedObject] = []
      try expect(log.hooks { people = try [context.object(with: saved[0].objectID)] }.isEmpty, "a fault")
      try expect(log.hooks { _ = people[0].objectID.entity.name }.isEmpty, "its ID does not fire it")
      try expect(log.hooks { _ = try Fixtures.names(people) } == ["awakeFromFetch"], "fired")
      try expect(log.hooks { _ = try Fixtures.names(people) }.isEmpty, "read already")
      try expect(
        log.hooks { people = try context.fetch(FetchRequest("Person")) } == ["awakeFromFetch"],
        "the one that was not here")
      context.refreshAllObjects()
      let noted = try log.hooks { _ = try Fixtures.names(people) }
      try expect(noted == ["awakeFromFetch", "awakeFromFetch"], "both anew: \(noted)")
    },
    ContextCheck(
      "validateValue is asked about values of new and changed objects and can refuse them "
        + "(validateValue(_:forKey:))"
    ) { factory in
      let context = try await ContextScenario(factory).newContext()
      let ada = try Fixtures.make("Person", ["name": "Ada", "motto": "forbidden"], in: context)
      for round in ["inserting", "updating"] {
        let error = try expectContextError(.validation, round) { try context.save() }
        try expect(error.failures.count == 1, "one rule: \(round)")
        guard let failure = error.failures.first else { continue }
        try expect(failure.objectID == ada.objectID && failure.property == "motto", "which: \(round)")
        try expect(failure.rule == .own && failure.cause is LoggedObject.Forbidden, "why: \(round)")
        try ada.set("motto", "allowed")
        try context.save()
        try ada.set("motto", "forbidden")
      }
      try ada.set("motto", "allowed")
      try context.save()
    },
  ]

  static let lifeRefreshing: [ContextCheck] = [
    ContextCheck(
      "refreshing without merging drops the changes and makes a fault, and tells so "
        + "(refresh(_:mergeChanges:))"
    ) { factory in
      let context = try await ContextScenario(factory).newContext()
      let ada = try Fixtures.people("Ada", in: context)[0]
      try context.save()
      try ada.set("age", 99)
      let seen = HookLog()
      let log = HookLog { hook, object in
        if hook.hasSuffix("TurnIntoFault") { seen.note("\(hook) \(object.isFault)", object) }
      }
      var noted = try log.hooks { try context.refresh(ada, mergeChanges: false) }
      try expect(noted == ["willTurnIntoFault", "didTurnIntoFault"], "told: \(noted)")
      try expect(seen.take() == ["willTurnIntoFault false", "didTurnIntoFault true"], "before and after")
      try expect(ada.isFault && !ada.hasChanges && !context.hasChanges, "a fault without changes")
      try expect(log.hooks { try context.refresh(ada, mergeChanges: false) }.isEmpty, "it is one already")
      noted = try log.hooks { try expect(ada.get("age", as: Int.self) == 18, "as stored") }
      try expect(noted == ["awakeFromFetch"], "read anew: \(noted)")
    },
    ContextCheck(
      "refreshing with merging puts the stored row beneath the changes (refresh(_:mergeChanges:))"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let (context, other) = (scenario.newContext(), scenario.newContext())
      let ada = try Fixtures.people("Ada", in: context)[0]
      try context.save()
      let theirs = try other.existingObject(with: ada.objectID)
      try theirs.set("age", 40)
      try other.save()
      try ada.set("name", "Adele")
      let log = HookLog()
      let noted = try log.hooks { try context.refresh(ada, mergeChanges: true) }
      try expect(noted.contains("awakeFromSnapshotEvents refresh"), "told: \(noted)")
      try expect(ada.get("name", as: String.self) == "Adele" && ada.isUpdated, "the change stays")
      try expect(ada.get("age", as: Int.self) == 40, "the rest is as stored")
      try expect(ada.committedValues(forKeys: ["name", "age"]) == ["name": "Ada", "age": 40], "the new row")
      try context.save()
      try expect(ada.version == 3, "no conflict")
      try context.refresh(ada, mergeChanges: true)
      try expect(!ada.hasChanges && !ada.isFault, "an unchanged object has the row at once")
    },
    ContextCheck(
      "refreshAllObjects makes faults of what is unchanged and keeps every change (refreshAllObjects)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let people = try Fixtures.people("Ada", "Bea", "Cyd", in: context)
      try context.save()
      let other = scenario.newContext()
      try other.existingObject(with: people[1].objectID).set("age", 40)
      try other.save()
      try people[0].set("motto", "mine")
      try context.delete(people[2])
      let new = try Fixtures.people("Dee", in: context)[0]
      let log = HookLog()
      let noted = log.hooks { context.refreshAllObjects() }
      try expect(noted.filter { $0 == "didTurnIntoFault" }.count == 1, "one unchanged object: \(noted)")
      try expect(people[1].isFault && people[1].get("age", as: Int.self) == 40, "read anew")
      try expect(people[0].get("motto", as: String.self) == "mine" && people[0].isUpdated, "changed")
      try expect(people[2].isDeleted && new.isInserted, "deleted and new")
      try expect(new.get("name", as: String.self) == "Dee", "a new object's values")
    },
    ContextCheck("a rollback tells the objects that it put back (awakeFromSnapshotEvents)") { factory in
      let context = try await ContextScenario(factory).newContext()
      let people = try Fixtures.people("Ada", "Bea", in: context)
      try context.save()
      try people[0].set("age", 99)
      let noted = HookLog().hooks { context.rollback() }
      try expect(
        noted.filter { $0.hasPrefix("awakeFromSnapshotEvents") && $0.contains("rollback") }.count == 1,
        "the one that was changed: \(noted)")
      try expect(people[0].get("age", as: Int.self) == 18, "put back")
    },
  ]
}

extension HookLog {
  /// The hooks that are called while a closure runs.
  func hooks(_ body: () throws -> Void) rethrows -> [String] {
    try LoggedObject.$log.withValue(self, operation: body)
    return take()
  }
}
