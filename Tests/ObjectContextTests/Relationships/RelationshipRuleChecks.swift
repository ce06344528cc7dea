import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit

extension ContextCheck {
  static let relationshipRules: [ContextCheck] = [
    ContextCheck(
      "relationships may be changed before they were read: what is stored and what was set add up (faults)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let first = scenario.newContext()
      let people = try Fixtures.people("a", "b", "c", "d", in: first)
      let firm = try Fixtures.make("Company", ["name": "x"], in: first)
      let tag = try Fixtures.make("Tag", ["name": "t"], in: first)
      try firm.add(people[0], people[1], to: "employees")
      try firm.add(people[0], people[1], to: "board")
      try tag.add(people[0], people[1], to: "people")
      try first.save()
      let context = scenario.newContext()
      let copies = try context.objects(with: people.map(\.objectID))
      let (ownFirm, ownTag) = (
        try context.object(with: firm.objectID), try context.object(with: tag.objectID)
      )
      try ownFirm.add(copies[2], to: "employees")
      try copies[0].setObject(nil, forKey: "employer")
      try ownFirm.remove(copies[1], from: "board")
      try copies[3].add(ownFirm, to: "boards")
      try ownTag.add(copies[3], copies[1], to: "people")
      try ownTag.remove(copies[0], from: "people")
      func lines(_ firm: ManagedObject, _ tag: ManagedObject) throws -> [String] {
        [
          try Fixtures.line(firm, "employees"), try Fixtures.line(firm, "board"),
          try Fixtures.line(tag, "people"),
        ]
      }
      try expect(lines(ownFirm, ownTag) == ["b c", "a d", "b d"], "before the save")
      try expect(copies.map { try Fixtures.line($0, "tags") } == ["", "t", "", "t"], "from the other end")
      try context.save()
      let fresh = scenario.newContext()
      let again = try fresh.objects(with: [firm.objectID, tag.objectID])
      try expect(lines(again[0], again[1]) == ["b c", "a d", "b d"], "stored")
    },
    ContextCheck(
      "a to-many read once is a list of its own: changing the relationship while walking it is safe"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let first = scenario.newContext()
      let boss = try Fixtures.people("boss", in: first)[0]
      for place in 0..<20 {
        try Fixtures.people("\(place)", in: first)[0].setObject(boss, forKey: "manager")
        try boss.add(Fixtures.make("Task", ["title": .string("\(place)")], in: first), to: "tasks")
      }
      try first.save()
      let context = scenario.newContext()
      let owner = try context.object(with: boss.objectID)
      let reports = try owner.objects("reports")
      var walked = 0
      for report in reports {
        try report.setObject(nil, forKey: "manager")
        walked += 1
      }
      try expect(walked == 20 && reports.count == 20, "all were walked")
      try expect(owner.objects("reports").isEmpty, "all were taken out")
      for task in try owner.objects("tasks") { try context.delete(task) }
      try expect(owner.objects("tasks").isEmpty, "all were deleted")
      for report in reports.reversed() { try owner.add(report, to: "reports") }
      try expect(owner.objects("reports").count == 20, "and put back")
      try context.save()
      try expect(context.count(for: FetchRequest("Task")) == 0, "stored")
    },
    ContextCheck("setting what is there already changes nothing (inverse relationships)") { factory in
      let context = try await ContextScenario(factory).newContext()
      let people = try Fixtures.people("a", "b", in: context)
      try people[0].setObject(people[1], forKey: "manager")
      try people[0].add(people[1], to: "friends")
      try people[0].add(people[1], to: "friends")
      try context.save()
      try people[0].setObject(people[1], forKey: "manager")
      try people[0].setObjects([people[1], people[1]], forKey: "friends")
      try people[1].add(people[0], to: "reports")
      try people[1].remove(people[1], from: "friends")
      try expect(people.allSatisfy { !$0.hasPersistentChangedValues }, "nothing differs")
      try context.save()
      try expect(people[0].version == 1 && people[1].version == 1, "no row was written")
      try expect(
        Fixtures.line(people[0], "friends") == "b" && Fixtures.line(people[1], "reports") == "a", "as it was")
    },
    ContextCheck(
      "a destination that is added and then removed is absent, though the relationship was not read"
        + " (inverse relationships)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      for isChild in [false, true] {
        for (isAddedHere, isRemovedHere) in [(true, true), (true, false), (false, true), (false, false)] {
          let first = scenario.newContext()
          let people = try Fixtures.people("a", "b", in: first)
          let tag = try Fixtures.make(
            "Tag", ["name": .string("\(isChild)\(isAddedHere)\(isRemovedHere)")], in: first)
          try tag.add(people[0], people[1], to: "people")
          try people[0].add(people[1], to: "friends")
          try people[0].add(tag, to: "favourites")
          try first.save()
          let outer = scenario.newContext()
          let context = isChild ? ManagedObjectContext(parent: outer) : outer
          let copies = try context.objects(with: people.map(\.objectID))
          let label = try context.object(with: tag.objectID)
          for (one, name, other, back) in [
            (copies[0], "tags", label, "people"), (copies[0], "friends", copies[1], "friends"),
          ] {
            if isAddedHere { try one.add(other, to: name) } else { try other.add(one, to: back) }
            if isRemovedHere { try one.remove(other, from: name) } else { try other.remove(one, from: back) }
          }
          try copies[0].add(label, to: "favourites")
          try copies[0].remove(label, from: "favourites")
          try context.save()
          if isChild { try outer.save() }
          for reader in [context, outer, scenario.newContext()] {
            let found = try reader.objects(with: people.map(\.objectID))
            let lists = try ["tags", "friends", "favourites"].map { try Fixtures.line(found[0], $0) }
            try expect(lists == ["", "", ""], "\(isChild), \(isAddedHere), \(isRemovedHere): \(lists)")
            try expect(Fixtures.line(reader.object(with: tag.objectID), "people") == "b", "the other end")
          }
        }
      }
    },
    ContextCheck(
      "a link that is taken out and then added is there, whether it was there before or not"
        + " (inverse relationships)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      for (number, isThere) in [true, false].enumerated() {
        let first = scenario.newContext()
        let people = try Fixtures.people("a", "b", in: first)
        let tag = try Fixtures.make("Tag", ["name": .string("\(number)")], in: first)
        if isThere {
          try tag.add(people[0], to: "people")
          try people[0].add(people[1], to: "friends")
          try people[0].add(tag, to: "favourites")
        }
        try first.save()
        let context = scenario.newContext()
        let copies = try context.objects(with: people.map(\.objectID))
        let label = try context.object(with: tag.objectID)
        for (name, other) in [("tags", label), ("friends", copies[1]), ("favourites", label)] {
          try copies[0].remove(other, from: name)
          try copies[0].add(other, to: name)
        }
        try expect(copies[1].hasPersistentChangedValues == !isThere, "changed, unless it was there")
        try context.save()
        for reader in [context, scenario.newContext()] {
          let found = try reader.objects(with: people.map(\.objectID))
          let lists = try ["tags", "friends", "favourites"].map { try Fixtures.line(found[0], $0) }
          try expect(lists == ["\(number)", "b", "\(number)"], "\(isThere): \(lists)")
          try expect(Fixtures.line(reader.object(with: tag.objectID), "people") == "a", "the other end")
        }
      }
    },
    ContextCheck(
      "relationships take objects of their own context and entity only, and know their own names"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let (context, other) = (scenario.newContext(), scenario.newContext())
      let ada = try Fixtures.people("Ada", in: context)[0]
      let stranger = try Fixtures.people("stranger", in: other)[0]
      let desk = try context.insert("Desk")
      try other.save()
      try expectContextError(.objectOfAnotherContext, "a to-one") {
        try ada.setObject(stranger, forKey: "manager")
      }
      try expectContextError(.objectOfAnotherContext, "a to-many") { try ada.add(stranger, to: "friends") }
      try expectContextError(.objectOfAnotherContext, "taking out") {
        try ada.remove(stranger, from: "friends")
      }
      try expectContextError(.objectOfAnotherContext, "all") {
        try ada.setObjects([stranger], forKey: "friends")
      }
      try expectContextError(.objectOfAnotherContext, "a place") {
        try ada.insert(desk, into: "tasks", at: 0)
      }
      try expectContextError(.objectOfAnotherContext, "an entity") {
        try ada.setObject(desk, forKey: "manager")
      }
      try expectContextError(.objectOfAnotherContext, "entities") { try ada.add(desk, to: "friends") }
      try expectContextError(.unknownKey, "no such name") { _ = try ada.object("nobody") }
      try expectContextError(.unknownKey, "no such list") { try ada.add(desk, to: "nobody") }
      try expectContextError(.unknownKey, "a to-one is no list") { _ = try ada.objects("manager") }
      try expectContextError(.unknownKey, "a list is no to-one") { try ada.setObject(nil, forKey: "friends") }
      try expectContextError(.unknownKey, "an attribute") { _ = try ada.object("name") }
      try expect(ada.object("manager") == nil && ada.objects("friends").isEmpty, "nothing was set")
      try expect(desk.object("owner") == nil && !other.hasChanges, "at neither end")
      try context.save()
      let copy = try context.object(with: stranger.objectID)
      try ada.setObject(copy, forKey: "manager")
      try expect(Fixtures.line(copy, "reports") == "Ada", "the same object by its ID is welcome")
    },
    ContextCheck(
      "links among new objects outlast the change of their IDs (obtainPermanentIDs(for:), save)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let people = try Fixtures.people("a", "b", "c", in: context)
      let tag = try Fixtures.make("Tag", ["name": "t"], in: context)
      try people[0].add(people[1], people[2], to: "reports")
      try people[0].setObject(people[1], forKey: "spouse")
      try tag.add(people[2], people[0], to: "people")
      func check(_ when: String) throws {
        try expect(Fixtures.line(people[0], "reports") == "b c", "a one-to-many \(when)")
        try expect(people[1].object("spouse") === people[0], "a one-to-one \(when)")
        try expect(people[2].object("manager") === people[0], "a to-one \(when)")
        try expect(Fixtures.line(tag, "people") == "c a", "an ordered many-to-many \(when)")
        try expect(Fixtures.line(people[2], "tags") == "t", "its other end \(when)")
      }
      try check("before")
      try context.obtainPermanentIDs(for: [people[0], tag])
      try check("with some permanent IDs")
      try context.save()
      try check("saved")
      context.refreshAllObjects()
      try check("read anew")
    },
  ]
}
