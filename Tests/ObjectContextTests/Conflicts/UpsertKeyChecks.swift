import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit

extension ContextCheck {
  static let sameKeys: [ContextCheck] = [
    ContextCheck("several new objects of one key share their links (NSMergePolicy)") { factory in
      for isStored in [false, true] {
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2], [2, 0, 3, 1]] {
          let scenario = try await ContextScenario(factory, Feed.model())
          if isStored {
            let first = scenario.newContext()
            _ = try Feed.make("Author", "a", in: first)
            _ = try Feed.make("Post", "p", in: first)
            try first.save()
          }
          let here = scenario.newContext()
          here.mergePolicy = .mergeByPropertyObjectTrump
          var made: [Int: ManagedObject] = [:]
          for place in order {
            made[place] = try Feed.make(place < 2 ? "Post" : "Author", place < 2 ? "p" : "a", in: here)
          }
          try made[0]?.setObject(made[2], forKey: "author")
          try made[1]?.setObject(made[3], forKey: "keeper")
          try made[1]?.setObject(made[0], forKey: "hint")
          try here.save()
          for context in [here, scenario.newContext()] {
            let post = try Feed.find("Post", "p", in: context)
            let found = try ["author", "keeper", "hint"].map { try Feed.codes(post, $0) }
            try expect(found == ["a", "a", "p"], "\(isStored), \(order): \(found)")
            let author = try Feed.find("Author", "a", in: context)
            try expect(author.objects("posts").count == 1 && author.objects("shelf").count == 1, "and back")
          }
        }
      }
    },
    ContextCheck("objects that are the same by different constraints become one (NSConstraintConflict)") {
      factory in
      let model = try ManagedObjectModel {
        Entity("Part") {
          Attribute("code", .string)
          Attribute("serial", .integer64)
          Relationship("box", to: "Box", inverse: "parts")
          UniquenessConstraint("code")
          UniquenessConstraint("serial")
          UniquenessConstraint("box", "code")
        }
        Entity("Box") {
          Attribute("code", .string)
          Relationship("parts", toMany: "Part", inverse: "box")
          UniquenessConstraint("code")
        }
      }
      let scenario = try await ContextScenario(factory, model)
      let first = scenario.newContext()
      _ = try Feed.make("Part", "p", in: first)
      _ = try Feed.make("Box", "b", in: first)
      try first.save()
      let here = scenario.newContext()
      here.mergePolicy = .mergeByPropertyObjectTrump
      let boxes = try ["b", "c"].map { try Feed.make("Box", $0, in: here) }
      let one = try Fixtures.make("Part", ["code": "p", "serial": 1], in: here)
      let two = try Fixtures.make("Part", ["serial": 1], in: here)
      try one.setObject(boxes[1], forKey: "box")
      try two.setObject(boxes[0], forKey: "box")
      let child = ManagedObjectContext(parent: here)
      let copies = try [one, two].map { try child.object(with: $0.objectID) }
      let note = try child.object(with: boxes[1].objectID)
      try expect(copies.map { try Fixtures.number($0, "serial") } == [1, 1], "read in the child")
      try here.save()
      for context in [here, scenario.newContext()] {
        let parts = try context.fetch(FetchRequest("Part"))
        try expect(parts.count == 1 && Fixtures.number(parts[0], "serial") == 1, "one part")
        try expect(Feed.codes(parts[0], "box") == "b", "where the later one is")
        try expect(context.count(for: FetchRequest("Box")) == 2, "two boxes")
      }
      let part = try child.fetch(FetchRequest("Part"))
      try expect(part.count == 1 && Feed.codes(part[0], "box") == "b", "in the child")
      try expect(note.objects("parts").isEmpty, "and the other box is empty")
    },
    ContextCheck("a new object does not become one that has not all of its properties (entity inheritance)") {
      factory in
      let scenario = try await ContextScenario(factory, Feed.model())
      let first = scenario.newContext()
      _ = try Feed.make("Post", "plain", in: first)
      _ = try Feed.make("Essay", "essay", in: first)
      let author = try Feed.make("Author", "a", in: first)
      try first.save()
      let here = scenario.newContext()
      here.mergePolicy = .mergeByPropertyObjectTrump
      let new = try Feed.make("Essay", "plain", in: here)
      try new.set("pages", 3)
      try new.setObject(here.existingObject(with: author.objectID), forKey: "editor")
      let error = try expectContextError(.notUnique, "an essay for a post") { try here.save() }
      try expect(error.conflicts.count == 1, "the conflict")
      try expect(Fixtures.number(new, "pages") == 3 && Feed.codes(new, "editor") == "a", "nothing is lost")
      try here.delete(new)
      let post = try Feed.make("Post", "essay", in: here)
      try post.setObject(here.existingObject(with: author.objectID), forKey: "author")
      try here.save()
      let fresh = scenario.newContext()
      let stored = try Feed.find("Essay", "essay", in: fresh)
      try expect(Feed.codes(stored, "author") == "a", "a post for an essay is the essay")
    },
  ]

  static let contextsOfUpserts: [ContextCheck] = [
    ContextCheck(
      "there is nothing to undo after objects became stored ones, and what is done next can be"
        + " (NSUndoManager)"
    ) {
      factory in
      let scenario = try await ContextScenario(factory, Feed.model())
      let first = scenario.newContext()
      let stored = try Feed.make("Post", "p", in: first)
      try stored.setObject(Feed.make("Author", "b", in: first), forKey: "author")
      try Feed.make("Author", "a", in: first).add(Feed.make("Post", "q", in: first), to: "posts")
      try first.save()
      let here = scenario.newContext()
      here.mergePolicy = .mergeByPropertyObjectTrump
      let undo = UndoManager()
      here.undoManager = undo
      undo.beginUndoGrouping()
      let (post, author) = (try Feed.make("Post", "p", in: here), try Feed.make("Author", "a", in: here))
      let new = try Feed.make("Author", "new", in: here)
      try post.setObject(author, forKey: "author")
      try post.setObject(new, forKey: "keeper")
      try here.save()
      undo.endUndoGrouping()
      try expect(!undo.canUndo && !undo.canRedo, "nothing is recorded")
      try post.setObject(new, forKey: "author")
      here.processPendingChanges()
      try here.undo()
      try expect(Feed.codes(author, "posts") == "p q" && Feed.codes(post, "author") == "a", "as it was saved")
      try expect(Feed.codes(new, "posts").isEmpty, "and the other end")
      try here.redo()
      try here.save()
      let fresh = scenario.newContext()
      try expect(Feed.codes(Feed.find("Post", "p", in: fresh), "author") == "new", "done again")
      try expect(
        Feed.codes(Feed.find("Author", "b", in: fresh), "posts").isEmpty, "the first author has none")
    },
    ContextCheck(
      "an import in a child leaves links whole in it, in its parent and in the store (parent and child)"
    ) { factory in
      for isPostFirst in [false, true] {
        let scenario = try await ContextScenario(factory, Feed.model())
        let first = scenario.newContext()
        let stored = try Feed.make("Post", "p", in: first)
        try stored.setObject(Feed.make("Author", "a", in: first), forKey: "author")
        try first.save()
        let parent = scenario.newContext()
        parent.mergePolicy = .mergeByPropertyObjectTrump
        let child = ManagedObjectContext(parent: parent)
        let early = isPostFirst ? try Feed.make("Post", "p", in: child) : nil
        let author = try Feed.make("Author", "a", in: child)
        let post = try early ?? Feed.make("Post", "p", in: child)
        try post.setObject(author, forKey: "author")
        try author.add(post, to: "shelf")
        try child.save()
        let late = try Feed.make("Post", "late", in: child)
        try late.setObject(author, forKey: "keeper")
        try late.add(post, to: "related")
        try parent.save()
        for context in [child, parent, scenario.newContext()] {
          let own = try Feed.find("Post", "p", in: context)
          try expect(Feed.codes(own, "author") == "a" && Feed.codes(own, "keeper") == "a", "its links")
          let end = try Feed.find("Author", "a", in: context)
          try expect(Feed.codes(end, "posts") == "p", "and back")
        }
        try child.save()
        try parent.save()
        for context in [child, parent, scenario.newContext()] {
          let own = try Feed.find("Post", "late", in: context)
          try expect(Feed.codes(own, "keeper") == "a" && Feed.codes(own, "related") == "p", "what came late")
          try expect(Feed.codes(Feed.find("Author", "a", in: context), "shelf") == "p late", "in order")
        }
      }
    },
    ContextCheck(
      "a save that takes a stored value and gives the own one away reports a conflict (NSConstraintConflict)"
    ) { factory in
      for isRead in [false, true] {
        let scenario = try await ContextScenario(factory)
        let (first, here) = (scenario.newContext(), scenario.newContext())
        let tags = try ["a", "b", "c"].map { try Fixtures.tag(first, $0) }
        try first.save()
        let ids = tags.map(\.objectID)
        let held = isRead ? try here.existingObject(with: ids[0]) : nil
        let (second, third) = try (here.existingObject(with: ids[1]), here.existingObject(with: ids[2]))
        try second.set("name", "a")
        try third.set("name", "b")
        let error = try expectContextError(.notUnique, "another has the name") { try here.save() }
        try expect(error.conflicts.map(\.objectID) == [ids[1]], "read \(isRead): the object")
        try expect(error.conflicts.map(\.otherObjectID) == [ids[0]], "read \(isRead): and the other")
        here.mergePolicy = .mergeByPropertyStoreTrump
        try here.save()
        for context in [here, scenario.newContext()] {
          let names = try Fixtures.names(context.fetch(FetchRequest("Tag")))
          try expect(names.sorted() == ["a", "b", "c"], "read \(isRead): as they are stored")
        }
        withExtendedLifetime(held) {}
      }
    },
    ContextCheck("an import that is refused in the end leaves every link as it was (NSMergePolicy)") {
      factory in
      let scenario = try await ContextScenario(factory, Feed.model())
      let first = scenario.newContext()
      let stored = try Feed.make("Post", "p", in: first)
      try stored.setObject(Feed.make("Author", "a", in: first), forKey: "author")
      let rival = try Feed.make("Post", "rival", in: first)
      try first.save()
      let here = scenario.newContext()
      here.mergePolicy = .custom("keys only") { $0.isConstraint ? .mergeByPropertyObjectTrump : .refuse }
      let held = try here.existingObject(with: rival.objectID)
      try held.set("name", "mine")
      try rival.set("name", "theirs")
      try first.save()
      let (post, author) = (try Feed.make("Post", "p", in: here), try Feed.make("Author", "a", in: here))
      try post.setObject(author, forKey: "author")
      try held.setObject(author, forKey: "author")
      try held.add(post, to: "related")
      for _ in 0..<2 { try expectContextError(.conflict, "a stale row") { try here.save() } }
      try expect(Set(here.insertedObjects) == [post, author], "both are new still")
      try expect(post.object("author") === author && held.object("author") === author, "linked")
      try expect(Feed.codes(author, "posts") == "p rival" && Feed.codes(held, "related") == "p", "and back")
      try here.refresh(held, mergeChanges: true)
      try here.save()
      let fresh = scenario.newContext()
      try expect(Feed.codes(Feed.find("Author", "a", in: fresh), "posts") == "p rival", "saved in the end")
      try expect(Feed.codes(Feed.find("Post", "rival", in: fresh), "related") == "p", "all of it")
    },
  ]
}
