import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit

extension ContextCheck {
  static let conflicts: [ContextCheck] =
    rowConflicts + customPolicies + relationshipConflicts + inversesOfConflicts + uniquenessConflicts

  private static let rowConflicts: [ContextCheck] = [
    ContextCheck("row versions begin at 1 and rise by one with each save that writes the row") { factory in
      let rivals = try Rivals(try await ContextScenario(factory))
      try expect(rivals.mine.version == 1, "inserted")
      for version in 2...4 {
        try rivals.mine.set("age", 30 + version)
        try rivals.here.save()
        try expect(rivals.mine.version == Int64(version), "version \(version)")
      }
      try rivals.mine.set("age", 34)
      try rivals.here.save()
      try expect(rivals.mine.version == 4, "a value set to what it was writes nothing")
      let fresh = rivals.scenario.newContext()
      try expect(fresh.existingObject(with: rivals.id).version == 4, "as stored")
    },
    ContextCheck(
      "different properties changed on both sides: merging keeps both sides' changes (NSMergePolicy)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let cases: [(MergePolicy, String)] = [
        (.mergeByPropertyObjectTrump, "Mine 31 m"), (.mergeByPropertyStoreTrump, "Mine 31 m"),
        (.overwrite, "Mine 30 m"), (.rollback, "Ada 31 m"),
      ]
      for (policy, wanted) in cases {
        let rivals = try Rivals(scenario, policy)
        try rivals.mine.set("name", "Mine")
        try rivals.theirs.set("age", 31)
        try rivals.there.save()
        try rivals.here.save()
        try rivals.agree(on: wanted)
      }
    },
    ContextCheck(
      "one property changed on both sides: the side that trumps wins it, and no other (NSMergePolicy)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let cases: [(MergePolicy, String)] = [
        (.mergeByPropertyObjectTrump, "Mine 31 mine"), (.mergeByPropertyStoreTrump, "Theirs 31 mine"),
        (.overwrite, "Mine 30 mine"), (.rollback, "Theirs 31 m"),
      ]
      for (policy, wanted) in cases {
        let rivals = try Rivals(scenario, policy)
        try rivals.mine.set("name", "Mine")
        try rivals.mine.set("motto", "mine")
        try rivals.theirs.set("name", "Theirs")
        try rivals.theirs.set("age", 31)
        try rivals.there.save()
        try rivals.here.save()
        try rivals.agree(on: wanted)
        try rivals.mine.set("age", 50)
        try rivals.here.save()
        try expect(rivals.stored()?.contains(" 50 ") == true, "the next change is no conflict: \(policy)")
      }
    },
    ContextCheck(
      "changed here, deleted in the store: deleted, or stored again under its ID (NSMergePolicy)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let cases: [(MergePolicy, Bool)] = [
        (.mergeByPropertyObjectTrump, true), (.overwrite, true),
        (.mergeByPropertyStoreTrump, false), (.rollback, false),
      ]
      for (policy, stays) in cases {
        let rivals = try Rivals(scenario, policy)
        try rivals.mine.set("name", "Mine")
        try rivals.there.delete(rivals.theirs)
        try rivals.there.save()
        try rivals.here.save()
        try expect(!rivals.here.hasChanges, "nothing is left to save: \(policy)")
        guard stays else {
          try expect(rivals.stored() == nil, "the row stays deleted: \(policy)")
          try expect(rivals.mine.isDeleted, "the object is gone here: \(policy)")
          continue
        }
        try rivals.agree(on: "Mine 30 m")
        try expect(rivals.mine.objectID == rivals.id, "the same ID: \(policy)")
        try rivals.mine.set("age", 33)
        try rivals.here.save()
        try rivals.agree(on: "Mine 33 m")
      }
    },
    ContextCheck(
      "deleted here, changed in the store: deleted, or restored as it is stored (NSMergePolicy)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let cases: [(MergePolicy, Bool)] = [
        (.mergeByPropertyObjectTrump, false), (.overwrite, false),
        (.mergeByPropertyStoreTrump, true), (.rollback, true),
      ]
      for (policy, stays) in cases {
        let rivals = try Rivals(scenario, policy)
        try rivals.here.delete(rivals.mine)
        try rivals.theirs.set("age", 31)
        try rivals.there.save()
        try rivals.here.save()
        if stays {
          try expect(!rivals.mine.isDeleted, "not deleted any more: \(policy)")
          try rivals.agree(on: "Ada 31 m")
        } else {
          try expect(rivals.stored() == nil, "deleted: \(policy)")
          try expect(!rivals.here.hasChanges, "nothing is left to save: \(policy)")
        }
      }
    },
    ContextCheck("deleted on both sides is deleted, whichever wins (NSMergePolicy)") { factory in
      let scenario = try await ContextScenario(factory)
      let policies: [MergePolicy] = [
        .mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite, .rollback,
      ]
      for policy in policies {
        let rivals = try Rivals(scenario, policy)
        try rivals.here.delete(rivals.mine)
        try rivals.there.delete(rivals.theirs)
        try rivals.there.save()
        try rivals.here.save()
        try expect(rivals.stored() == nil && !rivals.here.hasChanges, "gone: \(policy)")
      }
    },
    ContextCheck(
      "with the error policy a conflict refuses the whole save, and nothing is lost (NSErrorMergePolicy)"
    ) { factory in
      let rivals = try Rivals(try await ContextScenario(factory))
      let other = try Fixtures.person(rivals.here, "Other")
      try rivals.mine.set("name", "Mine")
      try rivals.theirs.set("name", "Theirs")
      try rivals.there.save()
      try expectContextError(.conflict, "a stale row") { try rivals.here.save() }
      let fresh = rivals.scenario.newContext()
      let people = try fresh.fetch(FetchRequest("Person"))
      try expect(Fixtures.names(people) == ["Theirs"], "nothing of the refused save is stored")
      try expect(rivals.mine.isUpdated && other.isInserted, "the changes are still here")
      try expect(rivals.text == "Mine 30 m", "with their values")
      try rivals.here.refresh(rivals.mine, mergeChanges: true)
      try rivals.here.save()
      try rivals.agree(on: "Mine 30 m")
      try expect(!other.isInserted, "the new object is stored too")
    },
    ContextCheck(
      "a conflict carries the values here, as read and as stored, with both versions (NSMergeConflict)"
    ) { factory in
      let rivals = try Rivals(try await ContextScenario(factory))
      let company = try Fixtures.company(rivals.there, "Firm")
      try rivals.mine.set("name", "Mine")
      try rivals.theirs.set("name", "Theirs")
      try rivals.theirs.setObject(company, forKey: "employer")
      try rivals.there.save()
      try rivals.theirs.set("motto", "later")
      try rivals.there.save()
      let error = try expectContextError(.conflict, "a stale row") { try rivals.here.save() }
      try expect(error.conflicts.count == 1, "one conflict")
      let conflict = error.conflicts[0]
      try expect(conflict.objectID == rivals.id, "of the object")
      try expect(conflict.objectSnapshot["name"] == "Mine", "its value here")
      try expect(conflict.objectSnapshot["age"] == 30, "unchanged ones too")
      try expect(conflict.cachedSnapshot?["name"] == "Ada", "as it was read")
      try expect(conflict.persistedSnapshot?["name"] == "Theirs", "as it is stored")
      try expect(conflict.persistedSnapshot?["motto"] == "later", "now")
      let employer = AttributeValue.reference(company.objectID.reference)
      try expect(conflict.persistedSnapshot?["employer"] == employer, "to-ones as references")
      try expect(conflict.cachedVersion == 1 && conflict.persistedVersion == 3, "versions")
      try expect(!conflict.isDeletion && !conflict.isConstraint, "a plain one")
      try expect((error.cause as? StoreError)?.code == .conflict, "the store's error beneath")
    },
    ContextCheck("a conflict tells a deletion there by no stored row, and one here by its mark") { factory in
      let scenario = try await ContextScenario(factory)
      let gone = try Rivals(scenario)
      try gone.mine.set("name", "Mine")
      try gone.there.delete(gone.theirs)
      try gone.there.save()
      let one = try expectContextError(.conflict, "deleted there") { try gone.here.save() }
      try expect(one.conflicts.map(\.objectID) == [gone.id], "the deleted object")
      try expect(one.conflicts[0].persistedSnapshot == nil, "no row")
      try expect(one.conflicts[0].persistedVersion == 0 && !one.conflicts[0].isDeletion, "version 0")
      let kept = try Rivals(scenario)
      try kept.here.delete(kept.mine)
      try kept.theirs.set("age", 31)
      try kept.there.save()
      let two = try expectContextError(.conflict, "deleted here") { try kept.here.save() }
      try expect(two.conflicts.map(\.objectID) == [kept.id], "the changed object")
      try expect(two.conflicts[0].isDeletion, "deleted by this context")
      try expect(two.conflicts[0].persistedSnapshot?["age"] == 31, "the row is there")
      try expect(kept.mine.isDeleted, "still to be deleted")
    },
    ContextCheck("every conflict of a save is reported at once, and resolved at once (NSMergePolicy)") {
      factory in
      let scenario = try await ContextScenario(factory)
      let (here, there) = (scenario.newContext(), scenario.newContext())
      let people = try (0..<4).map { try Fixtures.person(here, "p\($0)") }
      try here.save()
      for (index, person) in people.enumerated() {
        let copy = try there.existingObject(with: person.objectID)
        if index == 0 { try there.delete(copy) } else if index < 3 { try copy.set("age", 70) }
        try person.set("name", "mine \(index)")
      }
      try there.save()
      let error = try expectContextError(.conflict, "three") { try here.save() }
      let wanted = Set(people.prefix(3).map(\.objectID))
      try expect(Set(error.conflicts.map(\.objectID)) == wanted, "the three that are stale")
      try expect(error.conflicts.count == 3, "each once")
      here.mergePolicy = .mergeByPropertyObjectTrump
      try here.save()
      let fresh = scenario.newContext()
      let stored = try fresh.fetch(FetchRequest("Person", sortDescriptors: [FetchSortDescriptor("name")]))
      try expect(Fixtures.names(stored) == (0..<4).map { "mine \($0)" }, "all names")
      try expect(stored.map { try Fixtures.number($0) } == [18, 70, 70, 18], "all ages")
    },
    ContextCheck(
      "an unchanged object conflicts only in the one save it is to be looked at (detectConflictsForObject)"
    ) { factory in
      let rivals = try Rivals(try await ContextScenario(factory))
      func save() throws {
        _ = try Fixtures.person(rivals.here, "New")
        try rivals.here.save()
      }
      try rivals.here.detectConflicts(for: rivals.mine)
      try save()
      try rivals.theirs.set("age", 31)
      try rivals.there.save()
      try save()
      try rivals.here.detectConflicts(for: rivals.mine)
      let error = try expectContextError(.conflict, "watched") { try save() }
      try expect(error.conflicts.map(\.objectID) == [rivals.id], "the watched object")
      rivals.here.mergePolicy = .mergeByPropertyObjectTrump
      try rivals.here.detectConflicts(for: rivals.mine)
      try rivals.here.save()
      try expect(rivals.stored() == "Ada 31 m", "nothing is written over it")
    },
  ]

  private static let customPolicies: [ContextCheck] = [
    ContextCheck("a policy of one's own settles a conflict with values of its own") { factory in
      let rivals = try Rivals(try await ContextScenario(factory))
      rivals.here.mergePolicy = .custom("adding up") { conflict in
        guard case .integer(let mine)? = conflict.objectSnapshot["age"],
          case .integer(let base)? = conflict.cachedSnapshot?["age"],
          case .integer(let stored)? = conflict.persistedSnapshot?["age"]
        else { return .refuse }
        return .values(["age": .integer(stored + mine - base)])
      }
      try rivals.mine.set("age", 35)
      try rivals.theirs.set("age", 37)
      try rivals.there.save()
      try rivals.here.save()
      try rivals.agree(on: "Ada 42 m")
    },
    ContextCheck("a policy of one's own chooses for each object, and may refuse the save") { factory in
      let scenario = try await ContextScenario(factory)
      let (first, second) = (try Rivals(scenario), try Rivals(scenario))
      let copy = try first.here.existingObject(with: second.id)
      for rivals in [first, second] {
        try rivals.theirs.set("name", "Theirs")
        try rivals.there.save()
      }
      try first.mine.set("name", "Mine")
      try copy.set("name", "Mine")
      let id = second.id
      first.here.mergePolicy = .custom("refusing") {
        $0.objectID == id ? .refuse : .mergeByPropertyObjectTrump
      }
      let error = try expectContextError(.conflict, "refused") { try first.here.save() }
      try expect(error.conflicts.contains { $0.objectID == id }, "what was refused")
      try expect(first.stored() == "Theirs 30 m" && first.text == "Mine 30 m", "nothing was saved")
      first.here.mergePolicy = .custom("choosing") {
        $0.objectID == id ? .rollback : .overwrite
      }
      try first.here.save()
      try first.agree(on: "Mine 30 m")
      try expect(second.stored() == "Theirs 30 m", "the other as stored")
    },
    ContextCheck("what a policy of one's own throws comes out of the save") { factory in
      struct Refusal: Error {}
      let rivals = try Rivals(try await ContextScenario(factory))
      rivals.here.mergePolicy = .custom("throwing") { _ in throw Refusal() }
      try rivals.mine.set("name", "Mine")
      try rivals.theirs.set("name", "Theirs")
      try rivals.there.save()
      do {
        try rivals.here.save()
        try expect(false, "the save must be refused")
      } catch let error where !(error is StoreCheckFailure) {
        let cause = (error as? ContextError)?.cause
        try expect(error is Refusal || cause is Refusal, "got \(error)")
      }
      try expect(rivals.stored() == "Theirs 30 m" && rivals.mine.isUpdated, "nothing was saved or lost")
    },
    ContextCheck("somebody who writes between the tries of a save is merged with too") { factory in
      let rivals = try Rivals(try await ContextScenario(factory))
      let coordinator = rivals.scenario.coordinator
      let tries = Fixtures.Count()
      rivals.here.mergePolicy = .custom("late") { conflict in
        let number = tries.add()
        if number < 3 {
          let other = ManagedObjectContext(coordinator)
          try other.existingObject(with: conflict.objectID).set("motto", "late \(number)")
          try other.save()
        }
        return .mergeByPropertyObjectTrump
      }
      try rivals.mine.set("name", "Mine")
      try rivals.theirs.set("age", 31)
      try rivals.there.save()
      try rivals.here.save()
      try rivals.agree(on: "Mine 31 late 2")
      try expect(tries.value > 1, "the conflict was evaluated again")
    },
  ]
}
