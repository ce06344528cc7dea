import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit

extension ContextCheck {
  static let inaccessible: [ContextCheck] = readingDeleted + deletingDeleted + valuesOfDeleted

  private static let readingDeleted: [ContextCheck] = [
    ContextCheck("reading what another context deleted keeps nothing from being saved (inaccessible faults)")
    {
      factory in
      let scenario = try await ContextScenario(factory)
      let (here, there) = (scenario.newContext(), scenario.newContext())
      let people = try Fixtures.people("Ada", "Bea", "Cay", in: there)
      for task in ["a", "b"] { try Fixtures.task(task, of: people[1], in: there) }
      try people[0].setObject(people[1], forKey: "manager")
      try people[0].add(people[1], to: "friends")
      try there.save()
      let ada = try here.existingObject(with: people[0].objectID)
      let cay = try here.existingObject(with: people[2].objectID)
      let bea = try here.object(with: people[1].objectID)
      let friends = try ada.objects("friends")
      try cay.set("age", 40)
      try there.delete(people[1])
      try there.save()
      try expect(ada.object("manager") === bea && friends[0] === bea && !bea.isDeleted, "not known yet")
      guard let name = ada.entity.propertyIndex(named: "name"),
        let age = ada.entity.propertyIndex(named: "age"),
        let employer = ada.entity.propertyIndex(named: "employer"),
        let tasks = ada.entity.propertyIndex(named: "tasks")
      else { throw StoreCheckFailure(description: "no indexes") }
      try expect(bea.string(name) == "" && bea.integer(age) == 0 && bea.isNull(name), "empty")
      try expect(bea.object(employer) == nil && bea.objects(tasks).isEmpty, "leads nowhere")
      try expect(bea.isDeleted && !bea.hasChanges && here.deletedObjects.isEmpty, "deleted")
      try expect(here.faultFailure == nil, "no reason to refuse a save")
      try expect(ada.objects("friends").isEmpty, "no list has it")
      bea.set(name, string: "no")
      bea.setObject(employer, to: nil)
      ada.add(bea, to: try Self.index("friends", ada))
      try expect(bea.string(name) == "" && here.updatedObjects == [cay], "setting it does nothing")
      try expectContextError(.objectNotFound, "setting it by name") { try bea.set("age", 3) }
      try expectContextError(.objectNotFound, "leading to it") { try ada.setObject(bea, forKey: "spouse") }
      try expectContextError(.objectNotFound, "asking for it") {
        _ = try here.existingObject(with: bea.objectID)
      }
      try expectContextError(.objectNotFound, "watching it") { try here.detectConflicts(for: bea) }
      try expectContextError(.objectNotFound, "a snapshot of it") { _ = try bea.snapshot() }
      try here.save()
      try expect(!here.hasChanges && cay.version == 2, "what was edited is saved")
      try expect(here.object(with: bea.objectID) === bea, "one object for each ID")
    },
    ContextCheck("external bytes read empty once the row was deleted (allowsExternalBinaryDataStorage)") {
      factory in
      var bytes = Attribute("scan", .binary)
      bytes.allowsExternalBinaryDataStorage = true
      let scan = bytes
      let model = try ManagedObjectModel {
        Entity("Page") {
          Attribute("name", .string)
          scan
        }
      }
      let scenario = try await ContextScenario(factory, model)
      let (here, there, anew) = (scenario.newContext(), scenario.newContext(), scenario.newContext())
      let pages = try ["a", "b", "c"].map {
        try Fixtures.make(
          "Page", ["name": .string($0), "scan": .data(.init(repeating: 1, count: 200_000))], in: there)
      }
      try there.save()
      let (page, changed) = (
        try here.existingObject(with: pages[0].objectID), try here.existingObject(with: pages[1].objectID)
      )
      try changed.set("name", "mine")
      let again = try anew.existingObject(with: pages[2].objectID)
      try again.set("name", "again")
      for page in pages { try there.delete(page) }
      try there.save()
      _ = (try page.value(forKey: "scan"), try changed.value(forKey: "scan"))
      try expect(Fixtures.text(page) == "a" && Fixtures.text(changed) == "mine", "the rest as it was")
      try expectContextError(.conflict, "an edit of a deleted object is a conflict as ever") {
        try here.save()
      }
      here.mergePolicy = .mergeByPropertyStoreTrump
      try here.save()
      try expect(changed.isDeleted && !here.hasChanges, "settled")
      anew.mergePolicy = .overwrite
      try anew.save()
      let stored = try scenario.newContext().existingObject(with: again.objectID).value(forKey: "scan")
      let whole = AttributeValue.data(.init(repeating: 1, count: 200_000))
      try expect(stored == .null || stored == whole, "stored anew without what nobody has: \(stored)")
      try expect(again.value(forKey: "scan") == stored, "as it is here")
    },
    ContextCheck("a fault that a pinned context cannot see yet is there once it moves on (query generations)")
    {
      factory in
      guard let scenario = try await PinnedOffice(factory) else { return }
      let pinned = scenario.pinned
      try scenario.change()
      let new = try pinned.object(with: try scenario.newest())
      try expect(new.value(forKey: "name") == .null && new.isDeleted, "not there yet")
      try pinned.setQueryGenerationFrom(nil)
      try expect(!new.isDeleted && Fixtures.text(new) == "new", "there")
      let held = try scenario.ids.map { try pinned.object(with: $0) }
      try pinned.setQueryGenerationFrom(.current)
      try expect(held[1].value(forKey: "name") == .null && held[1].isDeleted, "deleted since")
    },
    ContextCheck("what was deleted elsewhere and is stored again is no longer deleted here (undo)") {
      factory in
      let scenario = try await ContextScenario(factory)
      let (here, there) = (scenario.newContext(), scenario.newContext())
      there.undoManager = UndoManager()
      here.automaticallyMergesChangesFromParent = true
      let people = try Fixtures.people("Ada", "Bea", in: there)
      try there.save()
      let copies = try people.map { try here.existingObject(with: $0.objectID) }
      for person in people { try there.delete(person) }
      try there.save()
      try here.mergeChanges()
      try expect(copies.allSatisfy(\.isDeleted), "gone")
      try there.undo()
      try there.save()
      try here.mergeChanges()
      try expect(copies.allSatisfy { !$0.isDeleted } && Fixtures.names(copies) == ["Ada", "Bea"], "back")
      try expect(Set(here.fetch(FetchRequest("Person"))) == Set(copies), "found again")
      try copies[0].set("age", 30)
      try here.save()
    },
    ContextCheck(
      "an unsaved reference and its inverse agree once the destination is stored again (batches, overwriting)"
    ) {
      factory in
      let scenario = try await ContextScenario(factory)
      let maker = scenario.newContext()
      let made = try Fixtures.company(maker, "F")
      try maker.save()
      let (here, there) = (scenario.newContext(), scenario.newContext())
      here.automaticallyMergesChangesFromParent = true
      there.mergePolicy = .mergeByPropertyObjectTrump
      let firm = try here.existingObject(with: made.objectID)
      let ada = try Fixtures.person(here, "Ada")
      try ada.setObject(firm, forKey: "employer")
      try there.existingObject(with: made.objectID).set("name", "G")
      try here.batchDelete(FetchRequest("Company"))
      try expect(firm.isDeleted, "gone")
      try there.save()
      try here.mergeChanges()
      try expect(!firm.isDeleted && Fixtures.text(firm) == "G", "back")
      try expect(
        ada.object("employer") === firm && Fixtures.line(firm, "employees") == "Ada", "with the new link")
      try here.save()
      try expect(Fixtures.line(firm, "employees") == "Ada", "saved")
      let other = scenario.newContext()
      let fresh = try other.existingObject(with: firm.objectID)
      try expect(Fixtures.line(fresh, "employees") == "Ada", "and stored")
    },
  ]

  private static let deletingDeleted: [ContextCheck] = [
    ContextCheck("what both sides deleted is no conflict, whatever the policy (NSErrorMergePolicy)") {
      factory in
      let rivals = try Rivals(try await ContextScenario(factory))
      let other = try Fixtures.person(rivals.here, "Other")
      try rivals.here.delete(rivals.mine)
      try rivals.there.delete(rivals.theirs)
      try rivals.there.save()
      try rivals.here.save()
      try expect(
        rivals.stored() == nil && !rivals.here.hasChanges && other.version == 1, "deleted, and the rest saved"
      )
    },
    ContextCheck("an owner goes whose dependents another context deleted (cascade, nullify)") { factory in
      let scenario = try await ContextScenario(factory)
      for isRead in [false, true] {
        let (here, there) = (scenario.newContext(), scenario.newContext())
        let ada = try Fixtures.people("Ada", in: there)[0]
        let tasks = try ["a", "b", "c"].map { try Fixtures.task($0, of: ada, in: there) }
        try there.save()
        let owner = try here.existingObject(with: ada.objectID)
        let own = Array(try owner.objects("tasks"))
        if isRead { _ = try Fixtures.names(own, "title") }
        try there.delete(tasks[0])
        try there.delete(tasks[1])
        try there.save()
        try here.delete(owner)
        try here.save()
        try expect(
          !here.hasChanges && scenario.newContext().count(for: FetchRequest("Task")) == 0, "all gone")
      }
    },
    ContextCheck("a denial does not stand on what another context deleted (deny)") { factory in
      let scenario = try await ContextScenario(factory)
      let (here, there) = (scenario.newContext(), scenario.newContext())
      let ada = try Fixtures.people("Ada", in: there)[0]
      let loans = try (0..<2).map { _ in try Fixtures.make("Loan", ["amount": 1], in: there) }
      for loan in loans { try loan.setObject(ada, forKey: "borrower") }
      try there.save()
      let owner = try here.existingObject(with: ada.objectID)
      let own = Array(try owner.objects("loans"))
      _ = try own[0].value(forKey: "amount")
      try there.delete(loans[0])
      try there.save()
      try here.delete(owner)
      try expectContextError(.validation, "one is left") { try here.save() }
      try there.delete(loans[1])
      try there.save()
      try here.save()
      try expect(scenario.newContext().count(for: FetchRequest("Person")) == 0, "none is left")
    },
    ContextCheck("undo brings no link back to what another context deleted (undo)") { factory in
      let scenario = try await ContextScenario(factory)
      let (here, there) = (scenario.newContext(), scenario.newContext())
      here.undoManager = UndoManager()
      here.automaticallyMergesChangesFromParent = true
      let people = try Fixtures.people("Ada", "Bea", in: there)
      try people[0].setObject(people[1], forKey: "manager")
      try people[0].add(people[1], to: "friends")
      try there.save()
      let own = try people.map { try here.existingObject(with: $0.objectID) }
      try own[0].setObject(nil, forKey: "manager")
      try own[0].remove(own[1], from: "friends")
      try own[0].set("age", 30)
      try here.save()
      there.refreshAllObjects()
      try there.delete(people[1])
      try there.save()
      try here.undo()
      try expect(own[1].isDeleted && Fixtures.number(own[0]) == 18, "undone")
      try expect(own[0].object("manager") == nil && own[0].objects("friends").isEmpty, "but for the links")
      try here.save()
      try here.redo()
      try here.save()
      try expect(Fixtures.number(own[0]) == 30, "done again")
    },
    ContextCheck("a child finds deleted what its parent's store has lost (parent and child)") { factory in
      let scenario = try await ContextScenario(factory)
      let (parent, there) = (scenario.newContext(), scenario.newContext())
      let people = try Fixtures.people("Ada", "Bea", "Cay", in: there)
      try there.save()
      let child = ManagedObjectContext(parent: parent)
      let changed = try child.existingObject(with: people[0].objectID)
      try changed.set("age", 30)
      let fault = try child.object(with: people[1].objectID)
      let doomed = try child.existingObject(with: people[2].objectID)
      try child.delete(doomed)
      for person in people { try there.delete(person) }
      try there.save()
      _ = try parent.object(with: people[1].objectID).value(forKey: "name")
      try expect(fault.value(forKey: "name") == .null && fault.isDeleted, "read in the child")
      try expectContextError(.conflict, "an edit of a deleted object") { try child.save() }
      try child.refresh(changed, mergeChanges: false)
      _ = try Fixtures.people("new", in: child)
      try child.save()
      try parent.save()
      try expect(
        Fixtures.names(scenario.newContext().fetch(FetchRequest("Person"))) == ["new"], "the rest is saved")
    },
  ]

  private static let valuesOfDeleted: [ContextCheck] = [
    ContextCheck("a merged deletion leaves an object its values, and says so (mergeChanges, isDeleted)") {
      factory in
      let scenario = try await ContextScenario(factory)
      let ways: [(String, (ManagedObjectContext) throws -> Void)] = [
        (
          "a save",
          { there in
            for person in try there.fetch(FetchRequest("Person", where: .compare("age", .equal, 18))) {
              try there.delete(person)
            }
            try there.save()
          }
        ),
        ("a batch", { _ = try $0.batchDelete(FetchRequest("Person", where: .compare("age", .equal, 18))) }),
      ]
      for (way, delete) in ways {
        let (here, there) = (scenario.newContext(), scenario.newContext())
        here.automaticallyMergesChangesFromParent = true
        let firm = try Fixtures.company(here, "Firm")
        let ada = try Fixtures.people("Ada", in: here)[0]
        try ada.setObject(firm, forKey: "employer")
        try Fixtures.task("t", of: ada, in: here)
        let changed = try Fixtures.people("Bea", in: here)[0]
        try here.save()
        _ = try ada.objects("tasks").count
        try changed.set("motto", "mine")
        let told = here.didChangeObjects()
        try delete(there)
        try here.mergeChanges()
        here.processPendingChanges()
        try expect(ada.isDeleted && !ada.isFault && !ada.hasChanges, "deleted by \(way)")
        try expect(
          Fixtures.text(ada) == "Ada" && ada.object("employer") === firm, "as it was read, by \(way)")
        let news = try await Fixtures.first(1, of: told)[0]
        try expect(news.deleted.contains(ada.objectID), "told of \(way)")
        try expect(
          !here.registeredObjects.contains(ada) && here.deletedObjects.isEmpty, "of no save, by \(way)")
        here.processPendingChanges()
        try here.mergeChanges()
        try expect(Fixtures.text(ada) == "Ada", "and it keeps them")
        try expect(!changed.isDeleted && changed.hasChanges, "a changed one stays, by \(way)")
        try expectContextError(.conflict, "its save, by \(way)") { try here.save() }
        here.rollback()
        try expect(changed.isDeleted && Fixtures.text(changed) == "Bea", "taken back, it is deleted")
        try expect(Fixtures.text(changed, "motto") == nil, "without the change")
        here.refreshAllObjects()
        try expect(ada.value(forKey: "name") == .null && ada.isDeleted, "refreshed")
      }
    },
    ContextCheck(
      "an unchanged object that a refresh finds deleted retains its values (refresh, mergeChanges)"
    ) {
      factory in
      let rivals = try Rivals(try await ContextScenario(factory))
      let other = try Fixtures.person(rivals.here, "Other")
      try rivals.here.save()
      let theirs = try rivals.there.existingObject(with: other.objectID)
      try rivals.mine.set("name", "Mine")
      try rivals.there.delete(rivals.theirs)
      try rivals.there.delete(theirs)
      try rivals.there.save()
      try rivals.here.refresh(other, mergeChanges: true)
      try rivals.here.refresh(rivals.mine, mergeChanges: true)
      try expect(other.isDeleted && Fixtures.text(other) == "Other", "the unchanged one")
      try expect(!rivals.mine.isDeleted && Fixtures.text(rivals.mine) == "Mine", "the changed one stays")
      try expectContextError(.conflict, "and is a conflict") { try rivals.here.save() }
    },
  ]

  private static func index(_ name: String, _ object: ManagedObject) throws -> PropertyIndex {
    guard let index = object.entity.propertyIndex(named: name) else {
      throw StoreCheckFailure(description: "no index \(name)")
    }
    return index
  }
}
