import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit

extension ContextCheck {
  static let unidirectionalRules: [ContextCheck] = [
    ContextCheck(
      "a to-one without an inverse is cleared when its destination is deleted (dangling references)"
    ) {
      factory in
      let scenario = try await ContextScenario(factory)
      let first = scenario.newContext()
      let made = try nodes(4, in: first)
      for holder in made[0..<2] { try holder.setObject(made[2], forKey: "hint") }
      try made[3].setObject(made[0], forKey: "hint")
      try first.save()
      let context = scenario.newContext()
      let known = try context.existingObject(with: made[0].objectID)
      let destination = try context.existingObject(with: made[2].objectID)
      try context.delete(destination)
      try expect(known.object("hint") == nil && known.isUpdated, "at once")
      try expect(context.updatedObjects.count == 2, "those that were not read yet, too")
      context.rollback()
      try expect(known.object("hint") === destination && !context.hasChanges, "a rollback brings it back")
      try context.delete(destination)
      try context.save()
      let again = try await scenario.reopened() ?? scenario
      let fresh = again.newContext()
      for id in made[0..<2].map(\.objectID) {
        let holder = try fresh.existingObject(with: id)
        try expect(holder.object("hint") == nil && holder.version == 2, "stored, one version later")
      }
      let other = try fresh.existingObject(with: made[3].objectID)
      try expect(
        other.object("hint")?.objectID == known.objectID && other.version == 1, "others are left alone")
    },
    ContextCheck(
      "unsaved references without an inverse are removed with their destination (dangling references)"
    ) {
      factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let made = try nodes(3, in: context)
      try made[0].setObject(made[1], forKey: "hint")
      let ada = try Fixtures.people("Ada", in: context)[0]
      let tags = try ["a", "b"].map { try Fixtures.tag(context, $0) }
      try ada.add(tags[0], to: "favourites")
      try context.delete(made[1])
      try context.delete(tags[0])
      try expect(made[0].object("hint") == nil, "a new one has no destination")
      try expect(ada.objects("favourites").isEmpty, "nor does a list")
      try context.save()
      try made[0].setObject(made[2], forKey: "hint")
      try ada.add(tags[1], to: "favourites")
      try context.delete(made[2])
      try context.delete(tags[1])
      try expect(made[0].object("hint") == nil && ada.objects("favourites").isEmpty, "nor to stored ones")
      try context.save()
      let fresh = scenario.newContext()
      try expect(fresh.existingObject(with: made[0].objectID).object("hint") == nil, "stored")
      try expect(fresh.count(for: FetchRequest("Tag")) == 0, "gone")
    },
    ContextCheck("an undo restores to-ones without an inverse to restored objects (undo)") { factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      context.undoManager = UndoManager()
      let made = try nodes(2, in: context)
      try made[0].setObject(made[1], forKey: "hint")
      try context.save()
      context.undoManager?.removeAllActions()
      for isSaved in [false, true] {
        try context.delete(made[1])
        if isSaved { try context.save() }
        try expect(made[0].object("hint") == nil, "deleted")
        try context.undo()
        let hint = try made[0].object("hint")
        try expect(hint != nil && hint?.isDeleted == false, "it is the destination again")
        try expect(hint?.get("number", as: Int.self) == 1, "to what it was")
        try context.save()
        let fresh = scenario.newContext()
        let stored = try fresh.existingObject(with: made[0].objectID)
        try expect(stored.object("hint")?.get("number", as: Int.self) == 1, "stored")
      }
    },
    ContextCheck("a reference made elsewhere meanwhile does not dangle (dangling references)") {
      factory in
      let scenario = try await ContextScenario(factory)
      for policy in [MergePolicy.error, .mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump] {
        let first = scenario.newContext()
        let made = try nodes(2, in: first)
        try first.save()
        let (here, there) = (scenario.newContext(), scenario.newContext())
        here.mergePolicy = policy
        let destination = try here.existingObject(with: made[1].objectID)
        try here.delete(destination)
        let holder = try there.existingObject(with: made[0].objectID)
        try holder.setObject(there.existingObject(with: made[1].objectID), forKey: "hint")
        try there.save()
        do {
          try here.save()
        } catch let error as ContextError where error.code == .conflict {
          here.rollback()
        }
        let fresh = scenario.newContext()
        if let end = try fresh.existingObject(with: made[0].objectID).object("hint") {
          try expect((try? fresh.existingObject(with: end.objectID)) != nil, "its destination was deleted")
          try expect(try fresh.count(for: FetchRequest("Node")) >= 2, "nothing was deleted")
        } else {
          try expect(
            (try? fresh.existingObject(with: made[1].objectID)) == nil, "deleted, and nothing references it")
        }
      }
    },
    ContextCheck("a batch that deletes empties to-ones without an inverse (NSBatchDeleteRequest)") {
      factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let made = try nodes(3, in: context)
      try made[0].setObject(made[2], forKey: "hint")
      try made[1].setObject(made[2], forKey: "loose")
      try context.save()
      let result = try context.batchDelete(
        FetchRequest(
          "Node", where: .comparison(FetchComparison(.keyPath(["number"]), .equal, .value(.integer(2))))))
      try expect(result.count == 1, "one")
      let fresh = scenario.newContext()
      let holder = try fresh.existingObject(with: made[0].objectID)
      try expect(holder.object("hint") == nil && holder.version == 2, "emptied")
      try expect(fresh.existingObject(with: made[1].objectID).version == 1, "no action does nothing")
      try expect(made[0].object("hint") == nil, "and the context hears of it")
    },
    ContextCheck("changes that wait are not merged in the middle of a deletion (undo groups)") { factory in
      let scenario = try await ContextScenario(factory)
      let first = scenario.newContext()
      let made = try nodes(3, in: first)
      try made[0].setObject(made[1], forKey: "hint")
      try first.save()
      let (here, there) = (scenario.newContext(), scenario.newContext())
      here.undoManager = UndoManager()
      here.automaticallyMergesChangesFromParent = true
      let destination = try here.existingObject(with: made[1].objectID)
      let holder = try here.existingObject(with: made[0].objectID)
      try there.existingObject(with: made[2].objectID).set("number", 8)
      try there.save()
      try there.batchDelete(
        FetchRequest("Node", where: .comparison(FetchComparison(.keyPath(["number"]), .equal, .value(8)))))
      try here.delete(destination)
      try expect(holder.object("hint") == nil, "emptied")
      try here.undo()
      try expect(
        !destination.isDeleted && holder.object("hint") === destination, "one undo takes all of it back")
      try here.delete(destination)
      try there.delete(there.existingObject(with: made[1].objectID))
      try there.save()
      try here.undo()
      try expect(
        holder.object("hint") == nil && destination.isDeleted, "what both deleted does not come back")
      try here.save()
      let count = try scenario.newContext().count(for: FetchRequest("Node"))
      try expect(count == 1, "what is deleted elsewhere does not come back empty: \(count)")
    },
    ContextCheck("links never stored do not outlive a new object, whatever the rule (deny, no action)") {
      factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let made = try nodes(3, in: context)
      let ada = try Fixtures.people("Ada", in: context)[0]
      let loan = try Fixtures.make("Loan", ["amount": 1], in: context)
      try loan.setObject(ada, forKey: "borrower")
      try made[0].setObject(made[1], forKey: "loose")
      try context.delete(ada)
      try context.delete(made[1])
      try expect(loan.object("borrower") == nil && made[0].object("loose") == nil, "nothing references it")
      try context.save()
      try made[0].setObject(made[2], forKey: "loose")
      try context.delete(made[2])
      try context.save()
      let fresh = scenario.newContext()
      try expect(fresh.existingObject(with: made[0].objectID).object("loose") == nil, "nor to a stored one")
      try expect(fresh.count(for: FetchRequest("Loan")) == 1, "the loan is there")
    },
    ContextCheck("a refresh without merging takes back both ends of links (refresh(_:mergeChanges:))") {
      factory in
      let scenario = try await ContextScenario(factory)
      let context = scenario.newContext()
      let people = try Fixtures.people("x", "q", "m", in: context)
      try context.save()
      try people[0].setObject(people[1], forKey: "spouse")
      try people[0].setObject(people[2], forKey: "manager")
      try context.refresh(people[0], mergeChanges: false)
      try expect(people[1].object("spouse") == nil && people[2].objects("reports").isEmpty, "the other ends")
      try context.save()
      let fresh = scenario.newContext()
      for person in people {
        let stored = try fresh.existingObject(with: person.objectID)
        try expect(stored.object("spouse") == nil && stored.object("manager") == nil, "nothing was stored")
      }
    },
    ContextCheck(
      "deleting objects of one fetch reads references to them once, and releases the referencing objects"
    ) {
      factory in
      let scenario = try await ContextScenario(factory)
      let first = scenario.newContext()
      let made = try nodes(20, in: first)
      for place in 1..<20 { try made[place].setObject(made[place - 1], forKey: "hint") }
      try first.save()
      let context = scenario.newContext()
      do {
        let all = try context.fetch(FetchRequest("Node", sortDescriptors: [FetchSortDescriptor("number")]))
        for node in all[5..<15] {
          try node.set("number", 77)
          try context.refresh(node, mergeChanges: false)
        }
        for node in all[0..<5] { try context.delete(node) }
        try expect(all[5].object("hint") == nil && all[5].isUpdated, "emptied")
        try expect(context.updatedObjects.count == 1, "only one is left that references it")
        context.rollback()
      }
      try expect(context.registeredObjectCount == 0, "nothing is held: \(context.registeredObjectCount)")
    },
  ]

  private static func nodes(_ count: Int64, in context: ManagedObjectContext) throws -> [ManagedObject] {
    try (0..<count).map { try Fixtures.make("Node", ["number": .integer($0)], in: context) }
  }
}
