import Foundation
import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit

extension ContextCheck {
  static let life: [ContextCheck] = lifeStates + lifeIdentity + lifeHooks + lifeRefreshing

  private static let lifeStates: [ContextCheck] = [
    ContextCheck(
      "an object's marks and its context's lists tell what a save will do (isInserted, isUpdated, "
        + "isDeleted)"
    ) { factory in
      let context = try await ContextScenario(factory).newContext()
      let person = try context.insert("Person")
      try expect(person.isInserted && person.hasChanges && !person.isFault, "new")
      try person.set("age", 30)
      try expect(!person.isUpdated, "a new object is not an updated one")
      try expect(context.insertedObjects == [person] && context.updatedObjects.isEmpty, "listed as new")
      try context.save()
      try expect(!person.isInserted && !person.hasChanges && !context.hasChanges, "saved")
      try expect(context.insertedObjects.isEmpty && context.registeredObjects == [person], "still here")
      try person.set("age", 31)
      try expect(person.isUpdated && person.hasChanges && context.hasChanges, "changed")
      try expect(context.updatedObjects == [person], "listed as changed")
      try context.delete(person)
      try expect(person.isDeleted && person.managedObjectContext === context, "deleted, and still here")
      try expect(context.deletedObjects == [person] && context.updatedObjects.isEmpty, "listed as deleted")
      let id = person.objectID
      try context.save()
      try expect(person.managedObjectContext == nil && !person.hasChanges, "without a context")
      try expect(!context.hasChanges && context.deletedObjects.isEmpty, "nothing left")
      try expect(context.registeredObject(for: id) == nil, "forgotten")
      try expectContextError(.noContext, "setting") { try person.set("age", 32) }
    },
    ContextCheck(
      "new objects that are deleted were never there, and leave nothing to save (insertedObjects, hasChanges)"
    ) { factory in
      let context = try await ContextScenario(factory).newContext()
      let people = try Fixtures.people("Ada", "Bea", "Cyd", in: context)
      try context.delete(people[1])
      try expect(context.hasChanges && context.insertedObjects == [people[0], people[2]], "two are left")
      try context.delete(people[0])
      let last = try Fixtures.people("Dot", in: context)[0]
      try context.delete(people[2])
      try expect(context.hasChanges && context.insertedObjects == [last], "one came in between")
      try context.delete(last)
      try expect(!context.hasChanges && context.insertedObjects.isEmpty, "none is left")
      try expect(people.allSatisfy { $0.managedObjectContext == nil && !$0.isInserted }, "of no context")
      context.undoManager = UndoManager()
      let back = try Fixtures.people("Eve", in: context)[0]
      context.processPendingChanges()
      try context.delete(back)
      context.processPendingChanges()
      try context.undo()
      try expect(context.hasChanges && context.insertedObjects == [back], "brought back once")
      try context.save()
      try expect(context.count(for: FetchRequest("Person")) == 1, "stored once")
    },
    ContextCheck(
      "fetches include unsaved changes unless excluded (NSFetchRequest.includesPendingChanges)"
    ) { factory in
      let context = try await ContextScenario(factory).newContext()
      let people = try Fixtures.people("Ada", "Bea", in: context)
      try context.save()
      let new = try Fixtures.people("Cyd", in: context)[0]
      try people[0].set("age", 60)
      try context.delete(people[1])
      var request = FetchRequest("Person", sortDescriptors: [FetchSortDescriptor("name")])
      try expect(context.fetch(request) == [people[0], new], "as it will be")
      try expect(context.count(for: request) == 2, "counted as it will be")
      request.predicate = .compare("age", .greater, 50)
      try expect(context.fetch(request) == [people[0]], "judged by the value set")
      request.predicate = nil
      request.includesPendingChanges = false
      try expect(context.fetch(request) == people, "as it is stored")
    },
    ContextCheck(
      "changedValues has what differs from the row, committedValues the row (changedValues(), "
        + "committedValues(forKeys:))"
    ) { factory in
      let context = try await ContextScenario(factory).newContext()
      let people = try Fixtures.people("Ada", "Bea", in: context)
      let (ada, bea) = (people[0], people[1])
      try expect(ada.committedValues().isEmpty, "a new object has nothing committed")
      try context.save()
      try expect(ada.changedValues().isEmpty && !ada.hasPersistentChangedValues, "just saved")
      try ada.set("age", 40)
      try ada.setObject(bea, forKey: "manager")
      let boss = AttributeValue.reference(bea.objectID.reference)
      try expect(ada.changedValues() == ["age": 40, "manager": boss], "attributes and to-ones")
      try expect(ada.committedValues(forKeys: ["age", "name"]) == ["age": 18, "name": "Ada"], "as stored")
      try expect(ada.committedValues()["age"] == 18, "as stored, among all")
      try expect(ada.hasPersistentChangedValues, "values differ")
      try expect(bea.hasPersistentChangedValues && bea.changedValues().isEmpty, "a to-many changed")
      try context.save()
      try expect(ada.changedValues().isEmpty && !ada.hasPersistentChangedValues, "saved again")
      try expect(
        ada.committedValues(forKeys: ["age", "manager"]) == ["age": 40, "manager": boss], "the new row")
    },
    ContextCheck(
      "a value set back is no change to the stored one, though the object was touched "
        + "(hasPersistentChangedValues)"
    ) { factory in
      let context = try await ContextScenario(factory).newContext()
      let people = try Fixtures.people("Ada", "Bea", in: context)
      let (ada, bea) = (people[0], people[1])
      let tag = try Fixtures.make("Tag", ["name": "t"], in: context)
      try context.save()
      try ada.set("age", 40)
      try ada.setObject(bea, forKey: "manager")
      try ada.add(tag, to: "tags")
      try ada.set("age", 18)
      try ada.setObject(nil, forKey: "manager")
      try expect(ada.hasPersistentChangedValues, "the to-many is still another")
      try ada.remove(tag, from: "tags")
      try expect(ada.changedValues().isEmpty, "as stored")
      try expect(ada.isUpdated && ada.hasChanges && context.hasChanges, "touched")
      for object in [ada, bea, tag] { try expect(!object.hasPersistentChangedValues, "as stored: \(object)") }
      try context.save()
      try expect(!context.hasChanges && !ada.isUpdated, "the save settles it")
      try expect(ada.version == 1 && bea.version == 1 && tag.version == 1, "nothing was written")
    },
    ContextCheck(
      "a transient value survives saves and is never stored (NSAttributeDescription.isTransient)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let ada = try Fixtures.people("Ada", in: context)[0]
      try ada.set("mood", "fine")
      try context.save()
      try expect(ada.get("mood", as: String.self) == "fine", "after the insertion")
      try ada.set("mood", "better")
      try expect(!ada.hasPersistentChangedValues, "no stored value")
      try context.save()
      try expect(ada.version == 1, "no row was written for it")
      _ = try context.fetch(FetchRequest("Person"))
      try expect(ada.get("mood", as: String.self) == "better", "after the same row was read again")
      try ada.set("age", 20)
      try context.save()
      try expect(ada.get("mood", as: String.self) == "better" && ada.version == 2, "after an update")
      let fresh = scenario.newContext()
      let copy = try fresh.existingObject(with: ada.objectID)
      try expect(copy.get("age", as: Int.self) == 20, "the stored value is there")
      try context.refresh(ada, mergeChanges: false)
      try expect(ada.get("mood", as: String.self) == nil, "a fault has forgotten it")
    },
    ContextCheck("reset forgets every object, saved or not (NSManagedObjectContext.reset)") { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let ada = try Fixtures.people("Ada", in: context)[0]
      try context.save()
      try ada.set("age", 99)
      let bea = try Fixtures.people("Bea", in: context)[0]
      context.reset()
      try expect(context.registeredObjectCount == 0 && !context.hasChanges, "empty")
      try expect(ada.managedObjectContext == nil && bea.managedObjectContext == nil, "cut off")
      try expectContextError(.noContext, "a forgotten object") { try ada.set("age", 1) }
      try context.save()
      let people = try context.fetch(FetchRequest("Person"))
      try expect(people.count == 1 && people[0] !== ada, "another object of the same row")
      try expect(people[0].get("age", as: Int.self) == 18, "as stored")
    },
  ]

  private static let lifeIdentity: [ContextCheck] = [
    ContextCheck(
      "an ID is temporary until the save, or until a permanent one is obtained (obtainPermanentIDs(for:))"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let people = try Fixtures.people("Ada", "Bea", in: context)
      let (ada, bea) = (people[0], people[1])
      let temporary = ada.objectID
      try expect(temporary.isTemporaryID && temporary != bea.objectID, "temporary, and its own")
      try expect(context.object(with: temporary) === ada, "found by it")
      try context.obtainPermanentIDs(for: [ada])
      let id = ada.objectID
      try expect(!id.isTemporaryID && bea.objectID.isTemporaryID, "only the one asked for")
      try expect(ada.isInserted && ada.version == 0, "still new")
      try expect(context.registeredObject(for: id) === ada, "found by the permanent one")
      let other = scenario.newContext()
      try expectContextError(.objectNotFound, "not stored yet") { _ = try other.existingObject(with: id) }
      try context.save()
      try expect(ada.objectID == id && !bea.objectID.isTemporaryID, "the save keeps it")
      try expect(context.object(with: bea.objectID) === bea, "found by what the save gave")
      try expect(
        Fixtures.names(other.objects(with: [bea.objectID, id])) == ["Bea", "Ada"], "stored under them")
    },
    ContextCheck(
      "an ID's URI finds the object again, also after reopening (managedObjectID(forURIRepresentation:))"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let ada = try Fixtures.people("Ada", in: context)[0]
      try expect(
        scenario.coordinator.managedObjectID(forURIRepresentation: ada.objectID.uriRepresentation()) == nil,
        "temporary")
      try context.save()
      let (id, uri) = (ada.objectID, ada.objectID.uriRepresentation())
      try expect(scenario.coordinator.managedObjectID(forURIRepresentation: uri) == id, "there and back")
      let foreign = try Fixtures.url("x-strongroom://\(UUID().uuidString)/Person/p1")
      try expect(
        scenario.coordinator.managedObjectID(forURIRepresentation: foreign) == nil, "another store's")
      let unknown = uri.absoluteString.replacingOccurrences(of: "/Person/", with: "/Nobody/")
      try expect(
        scenario.coordinator.managedObjectID(forURIRepresentation: Fixtures.url(unknown)) == nil,
        "an unknown entity's")
      let again = try await scenario.reopened() ?? scenario
      guard let found = again.coordinator.managedObjectID(forURIRepresentation: uri) else {
        throw StoreCheckFailure(description: "the URI names nothing after reopening")
      }
      let fresh = again.newContext()
      let copy = try fresh.existingObject(with: found)
      try expect(copy.get("name", as: String.self) == "Ada" && found == id, "the same object")
    },
    ContextCheck("an ID with the name of another entity of the hierarchy finds no object (existingObject)") {
      factory in
      let model = try ManagedObjectModel {
        Entity("Animal") { Attribute("name", .string) }
        Entity("Cat", parent: "Animal") { Attribute("lives", .integer32) }
        Entity("Lion", parent: "Cat")
        Entity("Dog", parent: "Animal") { Attribute("tricks", .integer32) }
      }
      let scenario = try await ContextScenario(factory, model)
      let maker = scenario.newContext()
      let cat = try maker.insert("Cat")
      try cat.set("name", "Tom")
      try cat.set("lives", 9)
      try maker.save()
      let uri = cat.objectID.uriRepresentation().absoluteString
      func id(_ name: String) throws -> ManagedObjectID {
        let other = try Fixtures.url(uri.replacingOccurrences(of: "/Cat/", with: "/\(name)/"))
        guard let id = scenario.coordinator.managedObjectID(forURIRepresentation: other) else {
          throw StoreCheckFailure(description: "the URI of a \(name) names nothing")
        }
        return id
      }
      for name in ["Dog", "Lion"] {
        let id = try id(name)
        let (first, second, third) = (scenario.newContext(), scenario.newContext(), scenario.newContext())
        try expectContextError(.objectNotFound, name) { _ = try first.existingObject(with: id) }
        let fault = try second.object(with: id)
        second.shouldDeleteInaccessibleFaults = false
        try expectContextError(.objectNotFound, "its values") { _ = try fault.get("name", as: String.self) }
        third.shouldDeleteInaccessibleFaults = false
        let several = try third.objects(with: [id, cat.objectID])
        try expectContextError(.objectNotFound, "one of many") {
          _ = try several[0].get("name", as: String.self)
        }
      }
      let (context, above) = (scenario.newContext(), scenario.newContext())
      let found = try context.existingObject(with: cat.objectID)
      try expect(found.get("lives", as: Int.self) == 9, "its own is as it was")
      // As a fault is whose row could not be read when it was made.
      let animal = try above.object(with: id("Animal"))
      try expect(animal.get("name", as: String.self) == "Tom" && !animal.isDeleted, "a superentity's fault")
    },
  ]
}
