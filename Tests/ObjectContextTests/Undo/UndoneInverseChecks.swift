import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit

extension ContextCheck {
  /// Both ends of a relationship agree after an undo, whatever other contexts saved meanwhile.
  static let undoneInverses: [ContextCheck] = [
    ContextCheck("an order that is as before, after an undo or by hand, is not saved (undo)") { factory in
      let model = try ManagedObjectModel {
        Entity("Album") { Relationship("pages", toMany: "Page", inverse: "albums", ordered: true) }
        Entity("Page") { Relationship("albums", toMany: "Album", inverse: "pages") }
      }
      let scenario = try await ContextScenario(factory, model)
      let maker = scenario.newContext()
      let made = try maker.insert("Album")
      let pages = try (0..<4).map { _ in try maker.insert("Page") }
      try made.setObjects([pages[2], pages[0], pages[3], pages[1]], forKey: "pages")
      try maker.save()
      let context = scenario.newContext()
      context.undoManager = UndoManager()
      let album = try context.existingObject(with: made.objectID)
      let order = try album.objects("pages").map(\.objectID)
      let version = { () throws -> Int64 in
        let reader = scenario.newContext()
        return try reader.existingObject(with: made.objectID).version
      }
      let before = try version()
      for changed in 0..<3 {
        switch changed {
        case 0: try context.delete(context.existingObject(with: order[1]))
        case 1: try album.setObjects(album.objects("pages").reversed(), forKey: "pages")
        default: try album.remove(context.existingObject(with: order[0]), from: "pages")
        }
        context.processPendingChanges()
        try expect(context.hasChanges, "a change")
        try context.undo()
        try expect(album.objects("pages").map(\.objectID) == order, "the order")
        try context.save()
        try expect(version() == before, "nothing was written by \(changed)")
      }
      try album.setObjects(album.objects("pages").reversed(), forKey: "pages")
      try context.save()
      try expect(version() != before, "another order is written")
      let reader = scenario.newContext()
      let pagesThere = try reader.existingObject(with: made.objectID).objects("pages")
      try expect(pagesThere.map(\.objectID) == order.reversed(), "the other order")
    },
    ContextCheck(
      "one undo of a deletion brings back the links that others made since, and a redo ends them (undo)"
    ) {
      factory in
      let pair = try Self.peopleAndEnds(try await ContextScenario(factory))
      let (all, other) = (pair[pair.here], pair[pair.there])
      for end in all[2...] { try pair.here.delete(end) }
      pair.here.processPendingChanges()
      try Self.link(other)
      try pair.there.save()
      try pair.here.mergeChanges()
      try expect(Self.links(all) == [false, false, false], "the rules of the deletion are followed")
      try pair.agree("deleted")
      try pair.here.undo()
      try expect(all.allSatisfy { !$0.isDeleted }, "one undo takes the deletion back")
      try expect(Self.links(all) == [true, true, true], "with what others linked")
      try pair.agree("undone")
      try pair.here.redo()
      try expect(all[2...].allSatisfy(\.isDeleted) && Self.links(all) == [false, false, false], "redone")
      try pair.here.save()
      try pair.agree("saved")
    },
    ContextCheck("a redone deletion follows its rules for what others linked since (redo)") { factory in
      let pair = try Self.peopleAndEnds(try await ContextScenario(factory))
      let (all, other) = (pair[pair.here], pair[pair.there])
      for end in all[2...] { try pair.here.delete(end) }
      try pair.here.undo()
      try Self.link(other)
      try pair.there.save()
      try pair.here.mergeChanges()
      try expect(Self.links(all) == [true, true, true], "linked")
      try pair.here.redo()
      try expect(Self.links(all) == [false, false, false], "redone")
      try pair.here.save()
      try pair.agree("saved")
    },
    ContextCheck("a to-one that was set again as others saved it is undone at both ends (redo, undo)") {
      factory in
      let pair = try MergingPair(try await ContextScenario(factory)) { maker in
        try [Fixtures.person(maker, "p")] + ["one", "two"].map { try Fixtures.company(maker, $0) }
      }
      let (all, other) = (pair[pair.here], pair[pair.there])
      try all[0].setObject(all[1], forKey: "employer")
      pair.here.processPendingChanges()
      try pair.here.undo()
      for (place, change) in [(1, pair.here.redo), (2, pair.here.undo)] {
        try other[0].setObject(other[place], forKey: "employer")
        try pair.there.save()
        try pair.here.mergeChanges()
        try change()
        try pair.agree("set to \(place) elsewhere")
      }
      try pair.here.save()
      try pair.agree("saved")
    },
    ContextCheck("an undo restores no reference to an object whose deletion was saved (undo)") { factory in
      let pair = try Self.peopleAndEnds(try await ContextScenario(factory))
      let all = pair[pair.here]
      try all[0].setObject(all[2], forKey: "employer")
      try pair.here.save()
      try all[0].setObject(nil, forKey: "employer")
      pair.here.processPendingChanges()
      pair.here.undoManager?.disableUndoRegistration()
      try pair.here.delete(all[2])
      pair.here.undoManager?.enableUndoRegistration()
      try pair.here.save()
      try pair.here.undo()
      try expect(all[0].object("employer") == nil, "its destination was deleted")
      try pair.here.save()
      try pair.agree("saved")
    },
    ContextCheck(
      "what was deleted here and stored again elsewhere is one object, undone before or after (undo)"
    ) {
      factory in
      for isUndoneBefore in [true, false] {
        let pair = try Self.peopleAndEnds(try await ContextScenario(factory))
        let (all, other) = (pair[pair.here], pair[pair.there])
        pair.there.mergePolicy = .mergeByPropertyObjectTrump
        try all[1].setObject(all[0], forKey: "spouse")
        try pair.here.save()
        try pair.there.mergeChanges()
        for place in [1, 2] { try other[place].set("name", "stays") }
        for place in [1, 2] { try pair.here.delete(all[place]) }
        try pair.here.save()
        if isUndoneBefore { try pair.here.undo() }
        try pair.there.mergeChanges()
        try other[0].setObject(other[2], forKey: "employer")
        try pair.there.save()
        if !isUndoneBefore { try pair.here.undo() }
        try pair.here.mergeChanges()
        try expect(all[0].object("employer") === all[2], "before \(isUndoneBefore): the link is there")
        try pair.agree("undone before \(isUndoneBefore)")
        try pair.here.save()
        try pair.agree("undone before \(isUndoneBefore), saved")
      }
    },
    ContextCheck("a link that undo brings back, though others removed it, has both ends (undo)") { factory in
      for isRedo in [true, false] {
        for first in [0, 3] {
          let pair = try Self.peopleAndEnds(try await ContextScenario(factory))
          let (all, other) = (pair[pair.here], pair[pair.there])
          let what = "redo \(isRedo), \(first) first"
          try other[0].add(other[3], to: "tags")
          try pair.there.save()
          try pair.here.mergeChanges()
          for place in [first, 3 - first] { try pair.here.delete(all[place]) }
          pair.here.processPendingChanges()
          if isRedo {
            try pair.here.undo()
            try pair.here.redo()
          }
          try other[0].remove(other[3], from: "tags")
          try pair.there.save()
          try pair.here.undo()
          try pair.agree("\(what), undone")
          for place in [0, 3] { try other[place].set("name", "changed") }
          try pair.there.save()
          try pair.agree("\(what), merged")
          try pair.here.save()
          try pair.agree("\(what), saved")
        }
      }
    },
    ContextCheck(
      "an object and its destination, deleted and saved, are linked again by two undos (undo)"
    ) { factory in
      for place in [0, 1] {
        let pair = try Self.peopleAndEnds(try await ContextScenario(factory))
        let (all, other) = (pair[pair.here], pair[pair.there])
        for person in [all[place], all[1 - place]] {
          try pair.here.delete(person)
          pair.here.processPendingChanges()
        }
        try Self.link(other)
        try pair.there.save()
        try pair.here.mergeChanges()
        try pair.here.undo()
        try expect(all[1 - place].object("employer") === all[2], "\(place): the link that was merged")
        try pair.here.delete(all[2])
        try pair.here.save()
        try pair.here.undo()
        try pair.agree("\(place): the destination is back")
        try pair.here.undo()
        for person in all[..<2] {
          try expect(person.object("employer") === all[2], "\(place): both lead to it")
        }
        try pair.agree("\(place): the object is back")
        try pair.here.redo()
        try pair.agree("\(place): redone")
        try pair.here.undo()
        try pair.agree("\(place): undone again")
        try pair.here.save()
        try pair.agree("\(place): saved")
      }
    },
    ContextCheck(
      "a one-to-one that an undo set back at one end alone ends when others delete the object (undo)"
    ) { factory in
      let policies: [MergePolicy] = [
        .mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite, .rollback,
      ]
      for isUndoneAtDeleted in [true, false] {
        for isSpouseChanged in [true, false] {
          for isTaken in [true, false] {
            for policy in policies {
              let pair = try Self.couple(try await ContextScenario(factory))
              let what = "set back \(isUndoneAtDeleted), changed \(isSpouseChanged), \(isTaken), \(policy)"
              pair.here.mergePolicy = policy
              let all = pair[pair.here]
              try Self.setBack(pair, isUndoneAtDeleted ? 0 : 1)
              if isSpouseChanged { try all[1].set("name", "Bobby") }
              let other = pair[pair.there]
              try pair.there.delete(other[0])
              if isTaken { try other[1].setObject(other[2], forKey: "spouse") }
              try pair.there.save()
              try pair.agree("\(what), merged")
              try expect(all[0].object("spouse") == nil, "\(what): what it was set back to")
              try expect(all[1].object("spouse") === (isTaken ? all[2] : nil), "\(what): as it is stored")
              try pair.here.save()
              try pair.agree("\(what), saved")
            }
          }
        }
      }
    },
    ContextCheck("so it does where a batch deleted the object (undo, NSBatchDeleteRequest)") { factory in
      for isUndoneAtDeleted in [true, false] {
        for isSpouseChanged in [true, false] {
          let pair = try Self.couple(try await ContextScenario(factory))
          let what = "set back \(isUndoneAtDeleted), changed \(isSpouseChanged)"
          pair.here.mergePolicy = .mergeByPropertyObjectTrump
          try Self.setBack(pair, isUndoneAtDeleted ? 0 : 1)
          if isSpouseChanged { try pair[pair.here][1].set("name", "Bobby") }
          try pair.there.batchDelete(FetchRequest("Person", where: pair.isObject(0)))
          try pair.agree("\(what), merged")
          try pair.here.save()
          try pair.agree("\(what), saved")
        }
      }
    },
  ]

  /// A couple, and a third person.
  private static func couple(_ scenario: ContextScenario) throws -> MergingPair {
    try MergingPair(scenario) { context in
      let people = try ["Ann", "Bob", "Cy"].map { try Fixtures.person(context, $0) }
      try people[0].setObject(people[1], forKey: "spouse")
      return people
    }
  }

  /// Undoes the deletion of a person's spouse: the person has other changes, so that it alone
  /// retains the value that the undo set.
  private static func setBack(_ pair: MergingPair, _ place: Int) throws {
    let all = pair[pair.here]
    try all[place].set("name", "changed before")
    pair.here.processPendingChanges()
    try pair.here.delete(all[1 - place])
    try pair.here.undo()
    try all[0].set("name", "changed")
    try expect(all[0].object("spouse") === all[1] && all[1].object("spouse") === all[0], "as before")
  }

  /// Two people, and what the first can be given: a firm and a tag.
  private static func peopleAndEnds(_ scenario: ContextScenario) throws -> MergingPair {
    try MergingPair(scenario) { context in
      let people = try ["Ann", "Bob"].map { try Fixtures.person(context, $0) }
      return people + [try Fixtures.company(context, "A"), try Fixtures.tag(context, "t")]
    }
  }

  private static func link(_ all: [ManagedObject]) throws {
    try all[0].setObject(all[2], forKey: "employer")
    try all[1].setObject(all[2], forKey: "employer")
    try all[0].add(all[3], to: "tags")
  }

  /// Whether the links that `link(_:)` makes are there.
  private static func links(_ all: [ManagedObject]) throws -> [Bool] {
    [
      try all[0].object("employer") === all[2], try all[1].object("employer") === all[2],
      try all[0].objects("tags").contains(all[3]),
    ]
  }
}
