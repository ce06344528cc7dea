import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit

extension ContextCheck {
  /// Where both sides moved something, both ends of every link agree in the end, here and in the
  /// store.
  static let inversesOfConflicts: [ContextCheck] = [
    ContextCheck(
      "a to-one changed in two contexts has one destination, whichever wins (inverse relationships,"
        + " NSMergePolicy)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      for move in Move.all {
        for policy in Move.policies {
          let tug = try ToOneConflict(scenario, move)
          tug.here.mergePolicy = policy
          try tug.both()
          try tug.here.save()
          try tug.agree("\(move) with \(policy)")
        }
      }
    },
    ContextCheck("so it does where the other side's save is merged first (mergeChangesFromContextDidSave)") {
      factory in
      let scenario = try await ContextScenario(factory)
      for move in Move.all {
        let tug = try ToOneConflict(scenario, move)
        let news = tug.there.didSaveObjects()
        try tug.both()
        try tug.here.mergeChanges(from: await Fixtures.first(1, of: news)[0])
        try tug.here.save()
        try tug.agree("\(move), merged")
        let other = try ToOneConflict(scenario, move)
        try other.both()
        for id in other.ids {
          let object = try other.here.existingObject(with: id)
          try other.here.refresh(object, mergeChanges: true)
        }
        try other.here.save()
        try other.agree("\(move), refreshed")
      }
    },
    ContextCheck("so it does where a child moved what its parent has moved since (parentContext)") {
      factory in
      let scenario = try await ContextScenario(factory)
      for move in Move.all where move.isMovedHere {
        let tug = try ToOneConflict(scenario, move)
        let child = ManagedObjectContext(parent: tug.here)
        let held = try tug.ids.map {
          try ToOneConflict.touch(child.existingObject(with: $0), isRead: move.isRead)
        }
        try tug.move(tug.here, to: move.goal(ofStore: true, tug.ids))
        try tug.move(child, to: move.goal(ofStore: false, tug.ids))
        try child.save()
        try ToOneConflict.agree(tug.here, tug.ids, "\(move) in the parent")
        try tug.here.save()
        try tug.agree("\(move) of the child")
        withExtendedLifetime(held) {}
      }
    },
    ContextCheck("the former destination of a one-to-one is checked, though it is thought to have none") {
      factory in
      let scenario = try await ContextScenario(factory)
      for policy in [MergePolicy.error] + Move.policies {
        let (here, there) = (scenario.newContext(), scenario.newContext())
        let people = try ["old", "new"].map { try Fixtures.person(there, $0) }
        let chair = try there.insert("Desk")
        try there.save()
        let held = try here.existingObject(with: people[0].objectID)
        let news = there.didSaveObjects()
        try people[0].setObject(chair, forKey: "desk")
        try there.save()
        let mine = try here.existingObject(with: people[1].objectID)
        try mine.setObject(try here.existingObject(with: chair.objectID), forKey: "desk")
        if policy.description == MergePolicy.error.description {
          let error = try expectContextError(.conflict, "a stale row") { try here.save() }
          try expect(error.conflicts.map(\.objectID) == [people[0].objectID], "of the old owner")
        }
        here.mergePolicy = policy.description == MergePolicy.error.description ? .overwrite : policy
        if policy.description == MergePolicy.rollback.description {
          // Merging is no conflict any more, and comes to the same.
          here.mergePolicy = .error
          try here.mergeChanges(from: await Fixtures.first(1, of: news)[0])
        }
        try here.save()
        let ids = (people + [chair]).map(\.objectID)
        try ToOneConflict.agree(here, ids, "here: \(policy)")
        try ToOneConflict.agree(scenario.newContext(), ids, "stored: \(policy)")
        withExtendedLifetime(held) {}
      }
    },
    ContextCheck("an end that has other changes here lets go too, and so does one whose list was never read")
    {
      factory in
      let scenario = try await ContextScenario(factory)
      let (here, there) = (scenario.newContext(), scenario.newContext())
      here.mergePolicy = .mergeByPropertyObjectTrump
      let people = try ["a", "b", "c"].map { try Fixtures.person(here, $0) }
      let tag = try Fixtures.tag(here, "t")
      try people[0].setObject(people[1], forKey: "spouse")
      try here.save()
      try people[0].setObject(nil, forKey: "spouse")
      try people[2].add(tag, to: "tags")
      let copies = try people.map { try there.existingObject(with: $0.objectID) }
      try copies[0].setObject(copies[2], forKey: "spouse")
      try there.save()
      try here.save()
      let ids = people.map(\.objectID)
      try ToOneConflict.agree(here, ids, "here")
      try ToOneConflict.agree(scenario.newContext(), ids, "stored")
      try expect(people[2].object("spouse") == nil && !here.hasChanges, "nobody's")
    },
    ContextCheck("an order that a child gave to what it never read reaches its parent (parentContext)") {
      factory in
      let scenario = try await ContextScenario(factory)
      let parent = scenario.newContext()
      let people = try ["a", "b"].map { try Fixtures.person(parent, $0) }
      let tasks = try ["0", "1"].map { try Fixtures.task($0, of: people[0], in: parent) }
      try parent.save()
      let child = ManagedObjectContext(parent: parent)
      let copies = try tasks.map { try child.existingObject(with: $0.objectID) }
      try copies[0].set("note", "changed before")
      let owner = try child.existingObject(with: people[1].objectID)
      try owner.add(copies[1], copies[0], to: "tasks")
      try child.save()
      try expect(Fixtures.names(people[1].objects("tasks"), "title") == ["1", "0"], "in the parent")
      try expect(people[0].objects("tasks").isEmpty, "both moved")
      try parent.save()
      let fresh = scenario.newContext()
      let stored = try fresh.existingObject(with: people[1].objectID).objects("tasks")
      try expect(Fixtures.names(stored, "title") == ["1", "0"], "in the store")
    },
    ContextCheck("what is stored again is connected with its inverses again (NSMergePolicy)") { factory in
      let scenario = try await ContextScenario(factory)
      for policy in [MergePolicy.mergeByPropertyObjectTrump, .overwrite] {
        // A desk goes with its owner, so it is not there any more.
        for toOne in ["owner", "spouse", "employer"] {
          for isRead in [false, true] {
            let move = Move(toOne: toOne, here: .stay, there: .stay, isRead: isRead)
            let tug = try ToOneConflict(scenario, move)
            tug.here.mergePolicy = policy
            let mover = try tug.there.existingObject(with: tug.ids[0])
            try tug.there.delete(mover)
            try tug.there.save()
            try tug.here.existingObject(with: tug.ids[0]).set(move.text, "mine")
            try tug.here.save()
            try tug.agree("\(move), deleted there, with \(policy)")
            let fresh = scenario.newContext()
            let stored = try fresh.existingObject(with: tug.ids[0]).object(toOne)
            try expect(stored?.objectID == tug.ids[1], "\(move): leads where it led, with \(policy)")
          }
        }
      }
    },
    ContextCheck("what is stored again has itself at both ends of a one-to-one, or at none (NSMergePolicy)") {
      factory in
      let scenario = try await ContextScenario(factory)
      for policy in [MergePolicy.mergeByPropertyObjectTrump, .overwrite] {
        for (toOne, other) in [("next", "previous"), ("previous", "next"), ("next", nil)] {
          let (here, there) = (scenario.newContext(), scenario.newContext())
          here.automaticallyMergesChangesFromParent = true
          here.mergePolicy = policy
          let nodes = try (0..<2).map { _ in try here.insert("Node") }
          try nodes[0].setObject(nodes[0], forKey: "next")
          try here.save()
          try nodes[0].set("number", 1)
          try there.delete(try there.existingObject(with: nodes[0].objectID))
          try there.save()
          try here.mergeChanges()
          if other != nil { try nodes[0].setObject(nodes[1], forKey: toOne) }
          try here.save()
          for context in [here, scenario.newContext()] {
            let what = "\(toOne), \(other ?? "-"), \(policy)"
            try ToOneConflict.agree(context, nodes.map(\.objectID), what)
            let node = try context.existingObject(with: nodes[0].objectID)
            let end = try node.object(toOne)?.objectID
            try expect(end == nodes[other == nil ? 0 : 1].objectID, "\(what): its destination")
            if let other { try expect(node.object(other) == nil, "\(what): not itself any more") }
          }
        }
      }
    },
    ContextCheck("a link made here brings back what was deleted elsewhere, both ways (NSMergePolicy)") {
      factory in
      let scenario = try await ContextScenario(factory)
      for (name, other) in [("friends", "Person"), ("tags", "Tag"), ("boards", "Company")] {
        let rivals = try Rivals(scenario, .mergeByPropertyObjectTrump)
        let end =
          other == "Company" ? try Fixtures.company(rivals.here, name) : try rivals.here.insert(other)
        try rivals.here.save()
        rivals.here.refreshAllObjects()
        _ = try Fixtures.text(rivals.mine)
        try rivals.there.delete(rivals.theirs)
        try rivals.there.save()
        try rivals.mine.add(end, to: name)
        try rivals.here.save()
        for context in [rivals.here, scenario.newContext()] {
          try ToOneConflict.agree(context, [rivals.id, end.objectID], "linked by \(name)")
          let person = try context.existingObject(with: rivals.id)
          try expect(person.objects(name).map(\.objectID) == [end.objectID], "the link of \(name)")
        }
      }
    },
    ContextCheck("a many-to-many's changes go with the object that is rolled back (NSRollbackMergePolicy)") {
      factory in
      let scenario = try await ContextScenario(factory)
      for isRead in [false, true] {
        let rivals = try Rivals(scenario, .rollback)
        let tags = try ["kept", "removed", "added"].map { try Fixtures.tag(rivals.here, "\($0) \(isRead)") }
        let friends = try ["kept", "removed", "added"].map { try Fixtures.person(rivals.here, $0) }
        try rivals.mine.add(contentsOf: tags.prefix(2), to: "tags")
        try rivals.mine.add(contentsOf: friends.prefix(2), to: "friends")
        try rivals.mine.add(tags[0], to: "favourites")
        try rivals.here.save()
        rivals.here.refreshAllObjects()
        let ids = ([rivals.mine] + tags + friends).map(\.objectID)
        for id in ids { try ToOneConflict.touch(rivals.here.existingObject(with: id), isRead: isRead) }
        try rivals.there.refresh(rivals.theirs, mergeChanges: false)
        try rivals.theirs.set("age", 31)
        try rivals.there.save()
        for (name, destinations) in [("tags", tags), ("friends", friends)] {
          try rivals.mine.add(destinations[2], to: name)
          try rivals.mine.remove(destinations[1], from: name)
        }
        try rivals.mine.add(tags[2], to: "favourites")
        try rivals.mine.set("name", "Mine")
        try rivals.here.save()
        for context in [rivals.here, scenario.newContext()] {
          try ToOneConflict.agree(context, ids, "rolled back")
          let person = try context.existingObject(with: rivals.id)
          let wanted = ["kept \(isRead)", "removed \(isRead)"]
          try expect(Fixtures.names(person.objects("tags")).sorted() == wanted, "the tags")
          try expect(
            Fixtures.names(person.objects("friends")).sorted() == ["kept", "removed"], "the friends")
          try expect(Fixtures.names(person.objects("favourites")) == ["kept \(isRead)"], "the favourites")
        }
        try expect(!rivals.here.hasChanges, "nothing is left")
      }
    },
    ContextCheck(
      "a deletion that a policy takes back has done nothing to others (NSMergePolicy, delete rules)"
    ) {
      factory in
      let scenario = try await ContextScenario(factory)
      for (policy, isRead) in [(MergePolicy.mergeByPropertyStoreTrump, true), (.rollback, false)] {
        let rivals = try Rivals(scenario, policy)
        let (here, ada) = (rivals.here, rivals.mine)
        let firm = try Fixtures.company(here, "Firm")
        let chair = try here.insert("Desk")
        let others = try ["report", "friend"].map { try Fixtures.person(here, $0) }
        let tag = try Fixtures.tag(here, "tag of \(policy)")
        try ada.setObject(firm, forKey: "employer")
        try ada.setObject(chair, forKey: "desk")
        try ada.setObject(others[1], forKey: "spouse")
        try ada.add(others[0], to: "reports")
        try ada.add(others[1], to: "friends")
        try ada.add(tag, to: "tags")
        let tasks = try ["a", "b", "c"].map { try Fixtures.task($0, of: ada, in: here) }
        try ada.setObjects([tasks[2], tasks[0], tasks[1]], forKey: "tasks")
        try here.save()
        here.refreshAllObjects()
        let ids = ([ada, firm, chair, tag] + others + tasks).map(\.objectID)
        for id in ids { try ToOneConflict.touch(here.existingObject(with: id), isRead: isRead) }
        try rivals.there.refresh(rivals.theirs, mergeChanges: false)
        try rivals.theirs.set("age", 31)
        try rivals.there.save()
        try here.delete(ada)
        try here.save()
        try expect(!here.hasChanges && !ada.isDeleted, "nothing is left: \(policy)")
        for context in [here, scenario.newContext()] {
          try ToOneConflict.agree(context, ids, "taken back: \(policy)")
          let back = try context.existingObject(with: rivals.id)
          try expect(
            Fixtures.names(back.objects("tasks"), "title") == ["c", "a", "b"], "the cascade: \(policy)")
          try expect(back.object("employer")?.objectID == firm.objectID, "a to-one: \(policy)")
          try expect(back.object("desk")?.objectID == chair.objectID, "a one-to-one: \(policy)")
          try expect(back.object("spouse")?.objectID == others[1].objectID, "its own kind: \(policy)")
          try expect(Fixtures.names(back.objects("reports")) == ["report"], "a to-many: \(policy)")
          try expect(Fixtures.names(back.objects("friends")) == ["friend"], "friends: \(policy)")
          try expect(back.objects("tags").map(\.objectID) == [tag.objectID], "a many-to-many: \(policy)")
        }
      }
    },
    ContextCheck("a stale deletion is reported before the unique value of its object (NSMergeConflict)") {
      factory in
      let scenario = try await ContextScenario(factory)
      let (here, there) = (scenario.newContext(), scenario.newContext())
      let tags = try ["old", "new"].map { try Fixtures.tag(here, $0) }
      try here.save()
      try there.existingObject(with: tags[0].objectID).set("colour", "red")
      try there.save()
      try here.delete(tags[0])
      try tags[1].set("name", "old")
      let error = try expectContextError(.conflict, "the deleted one was changed") { try here.save() }
      try expect(error.conflicts.map(\.objectID) == [tags[0].objectID], "of it")
      here.mergePolicy = .mergeByPropertyObjectTrump
      try here.save()
      let fresh = scenario.newContext()
      try expect(Fixtures.names(fresh.fetch(FetchRequest("Tag"))) == ["old"], "the other has its name")
    },
    ContextCheck("values of a policy's own that do not fit come out of the save, also over a deletion") {
      factory in
      let rivals = try Rivals(try await ContextScenario(factory))
      rivals.here.mergePolicy = .custom("wrong") { _ in .values(["nothing": 1]) }
      try rivals.here.delete(rivals.mine)
      try rivals.theirs.set("age", 31)
      try rivals.there.save()
      try expectContextError(.unknownKey, "an unknown name") { try rivals.here.save() }
      try expect(rivals.stored() == "Ada 31 m", "nothing was saved")
    },
    ContextCheck("a row stored again conflicts with objects of the old row (optimistic locking)") {
      factory in
      let scenario = try await ContextScenario(factory)
      for policy in [MergePolicy.mergeByPropertyObjectTrump, .overwrite] {
        for saves in 0..<4 {
          let rivals = try Rivals(scenario, policy)
          let third = scenario.newContext()
          var held: [ManagedObject] = []
          for number in 0..<saves {
            try rivals.theirs.set("age", 31 + number)
            try rivals.there.save()
          }
          held.append(try third.existingObject(with: rivals.id))
          let late = scenario.newContext()
          let deleted = try late.existingObject(with: rivals.id)
          try rivals.there.delete(rivals.theirs)
          try rivals.there.save()
          try rivals.mine.set("name", "Mine")
          try rivals.here.save()
          try held[0].set("motto", "third")
          let error = try expectContextError(.conflict, "the old row, saved \(saves) times") {
            try third.save()
          }
          try expect(error.conflicts.map(\.objectID) == [rivals.id], "of it")
          try late.delete(deleted)
          try expectContextError(.conflict, "a deletion of the old row") { try late.save() }
          try expect(rivals.stored()?.hasPrefix("Mine") == true, "nothing was written over it")
          third.mergePolicy = .mergeByPropertyObjectTrump
          try third.save()
          try expect(rivals.stored()?.hasSuffix("third") == true, "merged, it goes on")
        }
      }
    },
  ]
}
