import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit

/// What a context has read of one end of a link can be older than the other end.
extension ContextCheck {
  static let staleEnds: [ContextCheck] = [
    ContextCheck("a link that one end was read without ends, and one that it was read with is made") {
      factory in
      for isChild in [false, true] {
        let scenario = try await ContextScenario(factory)
        let other = scenario.newContext()
        let person = try Fixtures.person(other, "Ada")
        let (tag, former) = (try Fixtures.tag(other, "new"), try Fixtures.tag(other, "former"))
        try former.add(person, to: "people")
        try other.save()
        let context = isChild ? ManagedObjectContext(parent: other) : scenario.newContext()
        let (own, ownTag) = (
          try context.existingObject(with: person.objectID), try context.existingObject(with: tag.objectID)
        )
        let ownFormer = try context.existingObject(with: former.objectID)
        try expect(ownTag.objects("people").isEmpty && !ownFormer.objects("people").isEmpty, "read before")
        try tag.add(person, to: "people")
        try former.remove(person, from: "people")
        try other.save()
        try own.remove(ownTag, from: "tags")
        try own.add(ownFormer, to: "tags")
        try expect(own.objects("tags").map { $0 } == [ownFormer], "at the one end")
        try expect(ownTag.objects("people").isEmpty && ownFormer.objects("people").count == 1, "at the other")
        try context.save()
        if isChild { try other.save() }
        for reader in [scenario.newContext(), isChild ? other : context] {
          let (stored, storedTag) = (
            try reader.existingObject(with: person.objectID), try reader.existingObject(with: tag.objectID)
          )
          try expect(Fixtures.names(stored.objects("tags")) == ["former"], "stored")
          try expect(storedTag.objects("people").isEmpty, "at both ends")
        }
      }
    },
    ContextCheck("a child's link to what was new in its parent and is deleted there is a conflict") {
      factory in
      for hasID in [false, true] {
        let scenario = try await ContextScenario(factory)
        let parent = scenario.newContext()
        let old = try Fixtures.person(parent, "Old")
        try parent.save()
        let child = ManagedObjectContext(parent: parent)
        let born = try Fixtures.person(parent, "Born")
        if hasID { try parent.obtainPermanentIDs(for: [born]) }
        let (copy, ownBorn) = (
          try child.existingObject(with: old.objectID), try child.existingObject(with: born.objectID)
        )
        try copy.setObject(ownBorn, forKey: "manager")
        try copy.set("age", 40)
        try parent.delete(born)
        try expectContextError(.conflict, "the child is refused") { try child.save() }
        try expect(!parent.hasChanges, "nothing in the parent")
        try copy.setObject(nil, forKey: "manager")
        try child.delete(ownBorn)
        try child.save()
        try parent.save()
        let reader = scenario.newContext()
        try expect(Fixtures.number(reader.existingObject(with: old.objectID)) == 40, "saved")
      }
    },
    ContextCheck("a new object that a child brings back takes its one-to-one from its parent's choice") {
      factory in
      let scenario = try await ContextScenario(factory)
      let parent = scenario.newContext()
      let (ada, bob) = (try Fixtures.person(parent, "Ada"), try Fixtures.person(parent, "Bob"))
      try parent.save()
      let child = ManagedObjectContext(parent: parent)
      let born = try Fixtures.person(child, "Born")
      try born.setObject(try child.existingObject(with: ada.objectID), forKey: "spouse")
      try ada.setObject(bob, forKey: "spouse")
      try child.save()
      try parent.save()
      let reader = scenario.newContext()
      for context in [parent, reader] {
        let people = try ["Ada", "Bob", "Born"].map { name in
          try context.fetch(FetchRequest("Person", where: .compare("name", .equal, .string(name))))[0]
        }
        let spouses = try people.map { try $0.object("spouse") }
        try expect(spouses == [people[2], nil, people[0]], "the child's choice, at both ends")
      }
    },
    ContextCheck("undoing the deletion of a new object after a save links it to what has a new ID") {
      factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      context.undoManager = UndoManager()
      let (ada, tag) = (try Fixtures.person(context, "Ada"), try Fixtures.tag(context, "t"))
      try tag.add(ada, to: "people")
      context.processPendingChanges()
      try context.delete(tag)
      context.processPendingChanges()
      try context.save()
      try context.undo()
      try context.save()
      let reader = scenario.newContext()
      let stored = try reader.existingObject(with: ada.objectID)
      try expect(Fixtures.names(stored.objects("tags")) == ["t"], "the link is stored")
    },
    ContextCheck("what a child deletes and brings back has its parent's links at both ends") { factory in
      let scenario = try await ContextScenario(factory)
      let parent = scenario.newContext()
      let (ada, tag) = (try Fixtures.person(parent, "Ada"), try Fixtures.tag(parent, "t"))
      try parent.save()
      let child = ManagedObjectContext(parent: parent)
      child.undoManager = UndoManager()
      let copy = try child.existingObject(with: ada.objectID)
      try expect(copy.objects("tags").isEmpty, "read before")
      try tag.add(ada, to: "people")
      try child.delete(copy)
      try child.save()
      try expect(ada.isDeleted && tag.objects("people").isEmpty, "deleted in the parent")
      try child.undo()
      try child.save()
      let isLinked = try !ada.objects("tags").isEmpty
      try expect(tag.objects("people").isEmpty != isLinked, "the ends agree")
      try parent.save()
      let reader = scenario.newContext()
      for (id, list) in [(ada.objectID, "tags"), (tag.objectID, "people")] {
        let stored = try reader.existingObject(with: id)
        try expect(stored.objects(list).isEmpty != isLinked, "stored as shown")
      }
    },
    ContextCheck("what a child brings back has both or no ends of a link to what was new in its parent") {
      factory in
      let scenario = try await ContextScenario(factory)
      for isTagBack in [true, false] {
        let parent = scenario.newContext()
        let ada = try Fixtures.person(parent, "Ada")
        try parent.save()
        let tag = try Fixtures.tag(parent, isTagBack ? "back" : "gone")
        try parent.obtainPermanentIDs(for: [tag])
        let (adaID, tagID) = (ada.objectID, tag.objectID)
        let child = ManagedObjectContext(parent: parent)
        child.undoManager = UndoManager()
        let copy = try child.existingObject(with: adaID)
        try expect(copy.objects("tags").isEmpty, "read before")
        try child.delete(copy)
        if isTagBack { try child.delete(child.existingObject(with: tagID)) }
        try ada.add(tag, to: "tags")
        try child.save()
        if !isTagBack { try parent.delete(tag) }
        try child.undo()
        try child.save()
        let shown = try parent.existingObject(with: adaID).objects("tags").map(\.objectID)
        if isTagBack {
          let people = try parent.existingObject(with: tagID).objects("people").map(\.objectID)
          try expect(people.isEmpty == shown.isEmpty, "the ends agree")
        } else {
          try expect(shown.isEmpty, "no link to what is gone")
        }
        try parent.save()
        let reader = scenario.newContext()
        let stored = try reader.existingObject(with: adaID).objects("tags").map(\.objectID)
        try expect(stored == shown, "stored as shown")
      }
    },
    ContextCheck("what a child unlinks and deletes leaves both ends, though its parent has deleted it too") {
      factory in
      let scenario = try await ContextScenario(factory)
      let parent = scenario.newContext()
      parent.undoManager = UndoManager()
      let (ada, tag) = (try Fixtures.person(parent, "Ada"), try Fixtures.tag(parent, "t"))
      try parent.save()
      let child = ManagedObjectContext(parent: parent)
      let copy = try child.existingObject(with: ada.objectID)
      let copyOfTag = try child.existingObject(with: tag.objectID)
      try copy.add(copyOfTag, to: "tags")
      try child.save()
      try copy.remove(copyOfTag, from: "tags")
      parent.processPendingChanges()
      try parent.delete(ada)
      try child.refresh(copyOfTag, mergeChanges: true)
      try expect(copyOfTag.objects("people").isEmpty, "read while it is deleted in the parent")
      try child.delete(copy)
      try parent.undo()
      try expect(tag.objects("people").map { $0 } == [ada], "linked again")
      try child.save()
      try expect(ada.isDeleted && tag.objects("people").isEmpty, "the other end is gone too")
      try parent.save()
      try expect(scenario.newContext().count(for: FetchRequest("Person")) == 0, "in the store")
    },
    ContextCheck("what a grandchild brings back leaves what was deleted with it") { factory in
      let scenario = try await ContextScenario(factory)
      let parent = scenario.newContext()
      parent.undoManager = UndoManager()
      let (ada, tag) = (try Fixtures.person(parent, "Ada"), try Fixtures.tag(parent, "t"))
      try parent.save()
      let child = ManagedObjectContext(parent: parent)
      let grandchild = ManagedObjectContext(parent: child)
      grandchild.undoManager = UndoManager()
      try grandchild.delete(grandchild.existingObject(with: ada.objectID))
      try grandchild.save()
      try grandchild.undo()
      try tag.add(ada, to: "people")
      try child.delete(child.existingObject(with: tag.objectID))
      try child.save()
      try expect(ada.isDeleted && tag.isDeleted, "both are deleted")
      try grandchild.save()
      try child.save()
      try expect(!ada.isDeleted && ada.objects("tags").isEmpty, "the person is back without the tag")
      try parent.save()
      let reader = scenario.newContext()
      try expect(reader.existingObject(with: ada.objectID).objects("tags").isEmpty, "in the store")
    },
    ContextCheck("a child can refer to a new object whose deletion its parent has undone") { factory in
      let scenario = try await ContextScenario(factory)
      let parent = scenario.newContext()
      parent.undoManager = UndoManager()
      let child = ManagedObjectContext(parent: parent)
      let id = try { () throws -> ManagedObjectID in
        let born = try Fixtures.person(parent, "Born")
        try parent.obtainPermanentIDs(for: [born])
        parent.processPendingChanges()
        try parent.delete(born)
        parent.processPendingChanges()
        try parent.undo()
        try parent.save()
        return born.objectID
      }()
      parent.undoManager = nil
      let other = try Fixtures.person(child, "Other")
      try other.setObject(try child.existingObject(with: id), forKey: "manager")
      try child.save()
      try parent.save()
      let reader = scenario.newContext()
      try expect(!reader.existingObject(with: id).objects("reports").isEmpty, "the link is stored")
    },
  ]
}
