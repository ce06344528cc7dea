import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit

/// Relationships of subentities, and to objects that are deleted here, above or elsewhere.
extension ContextCheck {
  private final class Worker: ManagedObject {
    var list = [1, 2, 3]
  }

  /// Two subentities whose relationships have the same places among their properties.
  private static func shelf() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Thing", abstract: true) { Attribute("name", .integer64) }
      Entity("Album", parent: "Thing") {
        Relationship("pages", toMany: "Page", inverse: "album", deleteRule: .cascade)
        Relationship("cover", to: "Page")
      }
      Entity("Book", parent: "Thing") {
        Relationship("chapters", toMany: "Chapter", inverse: "book", deleteRule: .cascade)
        Relationship("intro", to: "Chapter")
      }
      Entity("Page") {
        Attribute("name", .integer64)
        Relationship("album", to: "Album", inverse: "pages")
      }
      Entity("Chapter") {
        Attribute("name", .integer64)
        Relationship("book", to: "Book", inverse: "chapters")
      }
    }
  }

  private static func staff() throws -> ManagedObjectModel {
    try ManagedObjectModel {
      Entity("Member") {
        Attribute("name", .integer64)
        Relationship("boss", to: "Member", inverse: "reports")
        Relationship("reports", toMany: "Member", inverse: "boss", deleteRule: .deny)
      }
      Entity("Worker", parent: "Member") { Attribute("desk", .integer64) }
      Entity("Firm") {
        Attribute("name", .integer64)
        Relationship("last", to: "Member")
        Relationship("watch", toMany: "Member")
        Relationship("likes", toMany: "Firm", inverse: "likedBy")
        Relationship("likedBy", toMany: "Firm", inverse: "likes")
        Relationship("owned", toMany: "Paper", inverse: "owner", deleteRule: .cascade)
      }
      Entity("Paper") {
        Attribute("pages", .integer64)
        Relationship("owner", to: "Firm", inverse: "owned")
      }
    }
  }

  static let subentities: [ContextCheck] = [
    ContextCheck("objects of two subentities that were fetched together have each their own relationships") {
      factory in
      let scenario = try await ContextScenario(factory, shelf())
      let writer = scenario.newContext()
      let places = [("Album", "Page", "pages", "cover", 5), ("Book", "Chapter", "chapters", "intro", 7)]
      for (kind, part, list, one, name) in places {
        let (thing, leaf) = (try writer.insert(kind), try writer.insert(part))
        try leaf.set("name", name)
        try thing.add(leaf, to: list)
        try thing.setObject(leaf, forKey: one)
      }
      try writer.save()
      let reader = scenario.newContext()
      let things = try reader.fetch(FetchRequest("Thing"))
      try expect(things.count == 2, "both are found")
      for thing in things {
        guard let (_, part, list, one, name) = places.first(where: { $0.0 == thing.entity.name }) else {
          throw StoreCheckFailure(description: "another entity")
        }
        let (leaves, leaf) = (try thing.objects(list), try thing.object(one))
        try expect(leaves.count == 1 && leaves.allSatisfy { $0.entity.name == part }, "\(list) are its own")
        try expect(leaf?.entity.name == part, "\(one) is its own")
        try expect(leaf.flatMap { try Fixtures.number($0, "name") } == name, "with its value")
      }
      for thing in things { try reader.delete(thing) }
      try reader.save()
      let left = scenario.newContext()
      try expect(left.count(for: FetchRequest("Page")) == 0, "its pages are deleted with an album")
      try expect(left.count(for: FetchRequest("Chapter")) == 0, "its chapters with a book")
    },
    ContextCheck("an object that is read while its parent deletes it has the entity of its row") { factory in
      let scenario = try await ContextScenario(factory, staff())
      try scenario.coordinator.register(Worker.self, for: "Worker")
      let main = scenario.newContext()
      let (boss, worker) = (try main.insert("Worker"), try main.insert("Worker"))
      try worker.setObject(boss, forKey: "boss")
      try main.save()
      try main.delete(boss)
      let child = ManagedObjectContext(parent: main)
      let seen = try child.existingObject(with: worker.objectID).object("boss")
      try expect(seen?.entity.name == "Worker", "its entity")
      main.rollback()
      let workers = try child.fetch(FetchRequest("Worker"), as: Worker.self)
      try expect(workers.count == 2 && workers.allSatisfy { $0.list == [1, 2, 3] }, "its class")
    },
    ContextCheck("a to-one without an inverse that another sets to what is deleted here is cleared again") {
      factory in
      for policy in [MergePolicy.mergeByPropertyObjectTrump, .overwrite] {
        let scenario = try await ContextScenario(factory, staff())
        let (main, other) = (scenario.newContext(), scenario.newContext())
        main.mergePolicy = policy
        let member = try main.insert("Worker")
        let (firm, friend) = (try main.insert("Firm"), try main.insert("Firm"))
        try main.save()
        try other.existingObject(with: firm.objectID)
          .setObject(try other.existingObject(with: member.objectID), forKey: "last")
        try main.delete(member)
        try firm.add(friend, to: "likes")
        try other.save()
        try main.save()
        let reader = scenario.newContext()
        let stored = try reader.existingObject(with: firm.objectID)
        try expect(stored.object("last") == nil, "the to-one")
        try expect(stored.objects("likes").count == 1, "the link of the same object")
        try expect(reader.count(for: FetchRequest("Worker")) == 0, "the deletion")
      }
    },
    ContextCheck("what is stored again after its owner was deleted elsewhere has no owner") { factory in
      for policy in [MergePolicy.mergeByPropertyObjectTrump, .overwrite] {
        let scenario = try await ContextScenario(factory, staff())
        let (main, other) = (scenario.newContext(), scenario.newContext())
        other.mergePolicy = policy
        let (firm, paper) = (try main.insert("Firm"), try main.insert("Paper"))
        try firm.add(paper, to: "owned")
        try main.save()
        let own = try other.existingObject(with: paper.objectID)
        try own.set("pages", 3)
        try main.delete(firm)
        try main.save()
        try other.save()
        let reader = scenario.newContext()
        let stored = try reader.existingObject(with: paper.objectID)
        try expect(Fixtures.number(stored, "pages") == 3 && stored.object("owner") == nil, "stored again")
        try expect(own.object("owner") == nil, "shown as stored")
      }
    },
    ContextCheck("a child cannot refer to what its parent has deleted, saved or not") { factory in
      for isSaved in [false, true] {
        for property in ["last", "watch"] {
          let scenario = try await ContextScenario(factory, staff())
          let main = scenario.newContext()
          let (gone, holder) = (try main.insert("Member"), try main.insert("Firm"))
          try main.save()
          let child = ManagedObjectContext(parent: main)
          let (own, ownGone) = (
            try child.existingObject(with: holder.objectID), try child.existingObject(with: gone.objectID)
          )
          if property == "last" {
            try own.setObject(ownGone, forKey: property)
          } else {
            try own.add(ownGone, to: property)
          }
          try main.delete(gone)
          if isSaved { try main.save() }
          try expectContextError(.conflict, "the child is refused") { try child.save() }
          try main.save()
        }
      }
    },
    ContextCheck("a child's deletion takes along what its parent gave the deleted object meanwhile") {
      factory in
      let scenario = try await ContextScenario(factory, staff())
      let main = scenario.newContext()
      let firm = try main.insert("Firm")
      try main.save()
      let paper = try main.insert("Paper")
      let child = ManagedObjectContext(parent: main)
      let (own, ownPaper) = (
        try child.existingObject(with: firm.objectID), try child.existingObject(with: paper.objectID)
      )
      try expect(own.objects("owned").isEmpty, "read before")
      try firm.add(paper, to: "owned")
      try ownPaper.set("pages", 3)
      try child.delete(own)
      try child.save()
      try expect(!child.hasChanges, "the child has saved")
      try main.save()
      try expect(scenario.newContext().count(for: FetchRequest("Paper")) == 0, "nothing is left")
    },
  ]
}
