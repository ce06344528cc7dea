import Foundation
import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit

extension ContextCheck {
  static let failingMerges: [ContextCheck] = [
    ContextCheck("a save that fails after a policy dropped changes has them still (NSMergePolicy)") {
      factory in
      let scenario = try await ContextScenario(factory)
      let first = scenario.newContext()
      let taken = try Fixtures.tag(first, "taken", colour: "red")
      let other = try Fixtures.tag(first, "other", colour: "red")
      let ada = try Fixtures.people("Ada", in: first)[0]
      try first.save()
      let (here, there) = (scenario.newContext(), scenario.newContext())
      here.undoManager = UndoManager()
      here.mergePolicy = .custom("half") { conflict in conflict.isConstraint ? .refuse : .rollback }
      let mine = try here.existingObject(with: other.objectID)
      let person = try here.existingObject(with: ada.objectID)
      try mine.set("colour", "mine")
      try mine.add(person, to: "people")
      let new = try Fixtures.tag(here, "taken", colour: "new")
      try new.add(person, to: "people")
      let theirs = try there.existingObject(with: other.objectID)
      try theirs.set("colour", "theirs")
      try there.save()
      try expectContextError(.notUnique, "the name is taken") { try here.save() }
      try expect(Fixtures.text(mine, "colour") == "mine", "the change is still here")
      try expect(Fixtures.line(person, "tags") == "other taken", "and so are links")
      try expect(here.insertedObjects == [new] && mine.isUpdated, "and what is new")
      try here.undo()
      try expect(!here.hasChanges && Fixtures.text(mine, "colour") != "mine", "all of which can be undone")
      try here.redo()
      try new.set("name", "free")
      here.mergePolicy = .mergeByPropertyObjectTrump
      try here.save()
      let fresh = scenario.newContext()
      let stored = try fresh.existingObject(with: other.objectID)
      try expect(
        Fixtures.text(stored, "colour") == "mine" && Fixtures.text(stored) == "other", "saved in the end")
      try expect(fresh.existingObject(with: taken.objectID).version == 1, "the other was left alone")
      try expect(
        Fixtures.line(fresh.existingObject(with: ada.objectID), "tags") == "free other", "with its links")
    },
    ContextCheck(
      "a change is checked against the row as it was when the change was made, however little had"
        + " been read by then "
        + "(optimistic locking)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let first = scenario.newContext()
      let people = try Fixtures.people("a", "b", in: first)
      let firms = try ["F", "G"].map { try Fixtures.company(first, $0) }
      for title in ["x", "y"] { try Fixtures.task(title, of: people[0], in: first) }
      try people[0].setObject(firms[0], forKey: "employer")
      try people[0].add(people[1], to: "friends")
      try first.save()
      let tags = try ["t", "u"].map { try Fixtures.tag(first, $0) }
      try first.save()
      let changes: [(String, (ManagedObjectContext, [ManagedObject]) throws -> Void)] = [
        (
          "a to-one, after a link and with the rows of others",
          { context, copies in
            try copies[0].add(context.object(with: tags[0].objectID), to: "tags")
            _ = try Fixtures.text(copies[1])
            try copies[0].setObject(context.object(with: firms[1].objectID), forKey: "employer")
          }
        ),
        (
          "the other end of a to-one",
          { context, copies in
            try copies[0].remove(copies[1], from: "friends")
            _ = try Fixtures.text(copies[1])
            try context.object(with: firms[1].objectID).add(copies[0], to: "employees")
          }
        ),
        ("a value", { _, copies in try copies[0].set("motto", "m") }),
        (
          "an order",
          { _, copies in try copies[0].move(fromOffsets: IndexSet(integer: 0), toOffset: 2, in: "tasks") }
        ),
        (
          "a deletion after a link",
          { context, copies in
            try copies[0].add(context.object(with: tags[1].objectID), to: "tags")
            try context.delete(copies[0])
          }
        ),
      ]
      for (name, change) in changes {
        let (here, there) = (scenario.newContext(), scenario.newContext())
        let copies = try here.objects(with: people.map(\.objectID))
        try change(here, copies)
        here.refreshAllObjects()
        let other = try there.object(with: people[0].objectID)
        try other.set("age", try Fixtures.number(other).map { $0 + 1 })
        try there.save()
        try expectContextError(.conflict, name) { try here.save() }
      }
    },
    ContextCheck("a policy's own values are set where objects become one, to-ones included (NSMergePolicy)") {
      factory in
      let scenario = try await ContextScenario(factory, Self.rooms())
      let first = scenario.newContext()
      let (a, b) = (
        try Fixtures.make("Room", ["code": "a"], in: first),
        try Fixtures.make("Room", ["code": "b"], in: first)
      )
      let door = try Fixtures.make("Door", ["name": "x", "width": 1], in: first)
      try door.setObject(a, forKey: "room")
      try first.save()
      let here = scenario.newContext()
      let wanted = AttributeValue.reference(b.objectID.reference)
      here.mergePolicy = .custom("own") { _ in .values(["name": "x", "width": 3, "room": wanted]) }
      _ = try Fixtures.make("Door", ["name": "x", "width": 2], in: here)
      try here.save()
      let fresh = scenario.newContext()
      let doors = try fresh.fetch(FetchRequest("Door"))
      try expect(doors.count == 1 && Fixtures.number(doors[0], "width") == 3, "one door with the values")
      try expect(doors[0].object("room")?.objectID == b.objectID, "and the to-one")
      here.mergePolicy = .custom("own") { _ in .values(["width": "wide"]) }
      _ = try Fixtures.make("Door", ["name": "x", "width": 5], in: here)
      try expectContextError(.wrongType, "a text for a number") { try here.save() }
      try expect(here.insertedObjects.count == 1, "nothing was lost")
    },
    ContextCheck("a pinned context that a policy lets overwrite leaves no half of a link (query generations)")
    { factory in
      let scenario = try await ContextScenario(factory)
      let first = scenario.newContext()
      let made = try Fixtures.people("X", "Q", "R", in: first)
      let firm = try Fixtures.company(first, "f")
      try first.save()
      let (here, there) = (scenario.newContext(), scenario.newContext())
      here.mergePolicy = .mergeByPropertyObjectTrump
      do { try here.setQueryGenerationFrom(.current) } catch let error as StoreError
        where error.code == .unsupportedRequest
      { return }
      let (x, q) = (
        try here.existingObject(with: made[0].objectID), try here.existingObject(with: made[1].objectID)
      )
      let new = try Fixtures.people("P", in: there)[0]
      try there.existingObject(with: made[0].objectID).setObject(new, forKey: "spouse")
      try there.existingObject(with: made[2].objectID).setObject(
        there.existingObject(with: firm.objectID), forKey: "employer")
      try there.save()
      try x.setObject(q, forKey: "spouse")
      try here.delete(here.existingObject(with: firm.objectID))
      try here.save()
      try expect(here.queryGenerationToken != nil, "pinned still")
      let fresh = scenario.newContext()
      let people = try fresh.fetch(FetchRequest("Person", sortDescriptors: [FetchSortDescriptor("name")]))
      let spouses = try people.map { try $0.object("spouse").map { try Fixtures.text($0) ?? "" } ?? "-" }
      try expect(spouses == ["-", "X", "-", "Q"], "P, Q, R, X: \(spouses)")
      try expect(people.allSatisfy { try $0.object("employer") == nil }, "nobody is employed by what is gone")
      try expect(fresh.count(for: FetchRequest("Company")) == 0, "deleted")
    },
  ]

  private static func rooms() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Room") {
        Attribute("code", .string)
        Relationship("doors", toMany: "Door", inverse: "room")
      }
      Entity("Door") {
        Attribute("name", .string)
        Attribute("width", .integer32)
        Relationship("room", to: "Room", inverse: "doors")
        UniquenessConstraint("name")
      }
    }
  }

  static let mergedInParents: [ContextCheck] = [
    ContextCheck("what becomes a stored object in the parent does so in its children (parent and child)") {
      factory in
      let scenario = try await ContextScenario(factory)
      let first = scenario.newContext()
      let stored = try Fixtures.tag(first, "same", colour: "red")
      let ada = try Fixtures.people("Ada", in: first)[0]
      try first.save()
      for knowsStored in [false, true] {
        let parent = scenario.newContext()
        parent.mergePolicy = .mergeByPropertyObjectTrump
        let new = try Fixtures.tag(parent, "same", colour: knowsStored ? "blue" : "green")
        let child = ManagedObjectContext(parent: parent)
        if knowsStored { _ = try child.existingObject(with: stored.objectID) }
        let own = try child.object(with: new.objectID)
        let person = try child.existingObject(with: ada.objectID)
        try expect(Fixtures.text(own) == "same", "read in the child")
        try person.add(own, to: "favourites")
        try parent.save()
        try expect(own.objectID == stored.objectID, "the child's is the stored one")
        try expect(
          Fixtures.text(own, "colour") == (knowsStored ? "blue" : "green"), "and reads as it was saved")
        try own.set("rank", 7)
        try child.save()
        try parent.save()
        let fresh = scenario.newContext()
        try expect(fresh.count(for: FetchRequest("Tag")) == 1, "one")
        let again = try fresh.existingObject(with: stored.objectID)
        try expect(Fixtures.number(again, "rank") == 7, "the child's change is saved")
        try expect(
          Fixtures.line(fresh.existingObject(with: ada.objectID), "favourites") == "same", "and its link")
        try fresh.existingObject(with: ada.objectID).setObjects([], forKey: "favourites")
        try fresh.save()
      }
    },
    ContextCheck("a child's object cannot reference what its parent deleted (parent and child)") { factory in
      let scenario = try await ContextScenario(factory)
      let parent = scenario.newContext()
      let nodes = try (Int64(0)..<2).map { try Fixtures.make("Node", ["number": .integer($0)], in: parent) }
      try parent.save()
      let child = ManagedObjectContext(parent: parent)
      let destination = try child.existingObject(with: nodes[0].objectID)
      try parent.delete(nodes[0])
      let new = try Fixtures.make("Node", ["number": 5], in: child)
      try new.setObject(destination, forKey: "hint")
      try expectContextError(.conflict, "it is deleted there") { try child.save() }
      try expect(parent.insertedObjects.isEmpty && new.isInserted, "nothing went over")
      try new.setObject(child.existingObject(with: nodes[1].objectID), forKey: "hint")
      try child.save()
      try parent.save()
      try expect(scenario.newContext().count(for: FetchRequest("Node")) == 2, "saved")
    },
    ContextCheck("a child's deletion empties to-ones as the parent has them now (parent and child)") {
      factory in
      let scenario = try await ContextScenario(factory)
      let parent = scenario.newContext()
      let made = try (Int64(0)..<4).map { try Fixtures.make("Node", ["number": .integer($0)], in: parent) }
      let (a, b, c, z) = (made[0], made[1], made[2], made[3])
      try c.setObject(a, forKey: "hint")
      try parent.save()
      try c.setObject(z, forKey: "hint")
      try c.set("number", 9)
      try b.setObject(a, forKey: "hint")
      let child = ManagedObjectContext(parent: parent)
      let (own, holder) = (
        try child.existingObject(with: a.objectID), try child.existingObject(with: b.objectID)
      )
      try child.delete(own)
      try expect(holder.object("hint") == nil, "the parent's unsaved link is seen")
      let other = try child.existingObject(with: c.objectID)
      try expect(
        other.object("hint")?.objectID == z.objectID && Fixtures.number(other, "number") == 9,
        "as in the parent"
      )
      try child.save()
      try expect(c.object("hint") === z && b.object("hint") == nil, "in the parent too")
      try parent.save()
      let fresh = scenario.newContext()
      try expect(fresh.existingObject(with: c.objectID).object("hint")?.objectID == z.objectID, "stored")
      try expect(fresh.existingObject(with: b.objectID).object("hint") == nil, "and emptied")
    },
  ]
}
