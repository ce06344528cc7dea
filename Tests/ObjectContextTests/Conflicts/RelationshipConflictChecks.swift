import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit

extension ContextCheck {
  static let relationshipConflicts: [ContextCheck] = [
    ContextCheck("where a to-one was changed on both sides, the inverse of the side that loses follows") {
      factory in
      let scenario = try await ContextScenario(factory)
      let cases: [(MergePolicy, Bool)] = [
        (.mergeByPropertyObjectTrump, true), (.overwrite, true),
        (.mergeByPropertyStoreTrump, false), (.rollback, false),
      ]
      for (policy, isMine) in cases {
        let rivals = try Rivals(scenario)
        let own = try Fixtures.company(rivals.here, "Own")
        let their = try Fixtures.company(rivals.here, "Their")
        try rivals.here.save()
        let copy = try rivals.there.existingObject(with: their.objectID)
        try rivals.theirs.setObject(copy, forKey: "employer")
        try rivals.there.save()
        rivals.here.mergePolicy = policy
        try rivals.mine.setObject(own, forKey: "employer")
        try rivals.here.save()
        let (winner, loser) = isMine ? (own, their) : (their, own)
        try expect(rivals.mine.object("employer") === winner, "the to-one: \(policy)")
        try expect(winner.objects("employees").contains(rivals.mine), "the winner's inverse: \(policy)")
        try expect(!loser.objects("employees").contains(rivals.mine), "the loser's inverse: \(policy)")
        let fresh = scenario.newContext()
        let stored = try fresh.existingObject(with: rivals.id).object("employer")
        try expect(stored?.objectID == winner.objectID, "as stored: \(policy)")
        try expect(!rivals.here.hasChanges, "nothing is left to save: \(policy)")
      }
    },
    ContextCheck("a link to an object deleted elsewhere is a conflict (NSMergePolicy)") { factory in
      let rivals = try Rivals(try await ContextScenario(factory))
      let company = try Fixtures.company(rivals.here, "Firm")
      let tag = try Fixtures.tag(rivals.here, "t")
      try rivals.here.save()
      try rivals.there.delete(try rivals.there.existingObject(with: company.objectID))
      try rivals.there.delete(try rivals.there.existingObject(with: tag.objectID))
      try rivals.there.save()
      try rivals.mine.setObject(company, forKey: "employer")
      let one = try expectContextError(.conflict, "a to-one") { try rivals.here.save() }
      try expect((one.cause as? StoreError)?.objectIDs.contains(company.objectID) == true, "names it")
      try rivals.mine.setObject(nil, forKey: "employer")
      try rivals.mine.add(tag, to: "tags")
      let two = try expectContextError(.conflict, "a many-to-many") { try rivals.here.save() }
      try expect((two.cause as? StoreError)?.objectIDs.contains(tag.objectID) == true, "names it")
      try rivals.mine.remove(tag, from: "tags")
      try rivals.mine.set("name", "Mine")
      try rivals.here.save()
      try expect(rivals.stored() == "Mine 30 m", "saved without the links")
    },
    ContextCheck("a to-many without an order is a set: what both sides add and remove is no conflict") {
      factory in
      let rivals = try Rivals(try await ContextScenario(factory))
      let tags = try ["a", "b", "c", "d"].map { try Fixtures.tag(rivals.here, $0) }
      try rivals.mine.add(contentsOf: tags.prefix(2), to: "tags")
      try rivals.here.save()
      let copies = try tags.map { try rivals.there.existingObject(with: $0.objectID) }
      try rivals.mine.add(tags[2], to: "tags")
      try rivals.mine.remove(tags[0], from: "tags")
      try rivals.theirs.add(copies[3], to: "tags")
      try rivals.theirs.remove(copies[1], from: "tags")
      try rivals.there.save()
      try rivals.here.save()
      let fresh = rivals.scenario.newContext()
      let stored = try fresh.existingObject(with: rivals.id)
      try expect(Fixtures.names(stored.objects("tags")).sorted() == ["c", "d"], "both sides' changes")
    },
    ContextCheck(
      "an order changed on both sides is a conflict like one value's, and the side that trumps has its order"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let maker = scenario.newContext()
      let tags = try ["a", "b", "c"].map { try Fixtures.tag(maker, $0) }
      try maker.save()
      let cases: [(MergePolicy, String?)] = [
        (.error, nil), (.mergeByPropertyObjectTrump, "bac"), (.mergeByPropertyStoreTrump, "cba"),
        (.overwrite, "bac"), (.rollback, "cba"),
      ]
      func order(_ person: ManagedObject, _ places: [Int], in context: ManagedObjectContext) throws {
        let destinations = try places.map { try context.existingObject(with: tags[$0].objectID) }
        try person.setObjects(destinations, forKey: "favourites")
      }
      for (policy, wanted) in cases {
        let rivals = try Rivals(scenario, policy)
        try order(rivals.mine, [0, 1, 2], in: rivals.here)
        try rivals.here.save()
        try rivals.there.refresh(rivals.theirs, mergeChanges: false)
        try expect(Fixtures.names(rivals.theirs.objects("favourites")).joined() == "abc", "at first")
        try order(rivals.theirs, [2, 1, 0], in: rivals.there)
        try rivals.there.save()
        try order(rivals.mine, [1, 0, 2], in: rivals.here)
        if let wanted {
          try rivals.here.save()
          try expect(Fixtures.names(rivals.mine.objects("favourites")).joined() == wanted, "here: \(policy)")
        } else {
          try expectContextError(.conflict, "both orders") { try rivals.here.save() }
        }
        let fresh = scenario.newContext()
        let stored = try fresh.existingObject(with: rivals.id).objects("favourites")
        try expect(Fixtures.names(stored).joined() == wanted ?? "cba", "as stored: \(policy)")
      }
    },
    ContextCheck("what both sides append to an ordered to-many is all there") { factory in
      let rivals = try Rivals(try await ContextScenario(factory))
      let tags = try ["a", "b", "c", "d"].map { try Fixtures.tag(rivals.here, $0) }
      try rivals.mine.setObjects([tags[1], tags[0]], forKey: "favourites")
      try rivals.here.save()
      try rivals.there.refresh(rivals.theirs, mergeChanges: false)
      try rivals.theirs.add(try rivals.there.existingObject(with: tags[2].objectID), to: "favourites")
      try rivals.there.save()
      try rivals.mine.add(tags[3], to: "favourites")
      try rivals.here.save()
      let fresh = rivals.scenario.newContext()
      let stored = try fresh.existingObject(with: rivals.id).objects("favourites")
      let names = try Fixtures.names(stored)
      try expect(names.starts(with: ["b", "a"]), "the old ones first")
      try expect(Set(names) == ["a", "b", "c", "d"] && names.count == 4, "all of them, once")
    },
  ]

  static let uniquenessConflicts: [ContextCheck] = [
    ContextCheck(
      "a taken key refuses the save with the error policy, and nothing is lost (NSConstraintConflict)"
    ) { factory in
      let scenario = try await ContextScenario(factory)
      let (here, there) = (scenario.newContext(), scenario.newContext())
      _ = try Fixtures.tag(there, "key", colour: "blue")
      try there.save()
      let new = try Fixtures.tag(here, "key", colour: "red")
      let error = try expectContextError(.notUnique, "a second one") { try here.save() }
      let conflict = error.conflicts.first
      try expect(conflict?.isConstraint == true, "a constraint")
      try expect(conflict?.constraint == ["name"], "its properties")
      try expect(conflict?.objectSnapshot["colour"] == "red", "the new object's values")
      try expect(conflict?.persistedSnapshot?["colour"] == "blue", "the stored object's values")
      try expect(new.isInserted && here.insertedObjects == [new], "the new object is still here")
      try new.set("name", "other")
      try here.save()
      try expect(scenario.newContext().count(for: FetchRequest("Tag")) == 2, "saved under another key")
    },
    ContextCheck("a new object with a stored key becomes the stored one, its values merged by the policy") {
      factory in
      let scenario = try await ContextScenario(factory)
      let cases: [(MergePolicy, String, String)] = [
        (.mergeByPropertyObjectTrump, "red 5", "blue 1"), (.mergeByPropertyStoreTrump, "blue 5", "blue 1"),
        (.overwrite, "red 5", "grey "), (.rollback, "blue ", "blue 1"),
      ]
      for (index, (policy, full, plain)) in cases.enumerated() {
        let (here, there) = (scenario.newContext(), scenario.newContext())
        here.mergePolicy = policy
        let old = [
          try Fixtures.tag(there, "full \(index)", colour: "blue"),
          try Fixtures.tag(there, "plain \(index)", colour: "blue", rank: 1),
        ]
        try there.save()
        let new = [
          try Fixtures.tag(here, "full \(index)", colour: "red", rank: 5),
          try Fixtures.tag(here, "plain \(index)"),
        ]
        try here.save()
        try expect(!here.hasChanges, "nothing is left to save: \(policy)")
        try expect(new.map(\.objectID) == old.map(\.objectID), "the stored IDs: \(policy)")
        let fresh = scenario.newContext()
        for (tag, wanted) in zip(new, [full, plain]) {
          try expect(Fixtures.look(tag) == wanted, "here: \(policy)")
          let stored = try fresh.existingObject(with: tag.objectID)
          try expect(Fixtures.look(stored) == wanted, "as stored: \(policy)")
          let same = FetchRequest("Tag", where: .compare("name", .equal, try tag.value(forKey: "name")))
          try expect(fresh.count(for: same) == 1, "one of that key: \(policy)")
        }
      }
    },
    ContextCheck(
      "a new object with the key of a registered one is deleted, and the registered one has its values"
    ) {
      factory in
      let scenario = try await ContextScenario(factory)
      let here = scenario.newContext()
      let held = try Fixtures.tag(here, "key", colour: "blue")
      try here.save()
      here.mergePolicy = .mergeByPropertyObjectTrump
      let new = try Fixtures.tag(here, "key", rank: 5)
      try here.save()
      try expect(new.managedObjectContext == nil, "the new one was deleted")
      try expect(Fixtures.look(held) == "blue 5", "the registered one has its values")
      try expect(here.fetch(FetchRequest("Tag")) == [held], "there is one")
      try held.set("rank", 6)
      try here.save()
      try expect(held.version == 3, "and it goes on from there")
    },
    ContextCheck("the links of a new object that became a stored one are the stored one's") { factory in
      let scenario = try await ContextScenario(factory)
      for policy in [MergePolicy.mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump] {
        let (here, there) = (scenario.newContext(), scenario.newContext())
        here.mergePolicy = policy
        let old = try Fixtures.tag(there, "key of \(policy)")
        let first = try Fixtures.person(there, "First")
        try first.add(old, to: "tags")
        try there.save()
        let new = try Fixtures.tag(here, "key of \(policy)")
        let second = try Fixtures.person(here, "Second")
        try second.add(new, to: "tags")
        try second.setObjects([new], forKey: "favourites")
        try here.save()
        try expect(Fixtures.names(new.objects("people")).contains("Second"), "here: \(policy)")
        let fresh = scenario.newContext()
        let person = try fresh.existingObject(with: second.objectID)
        try expect(person.objects("tags").map(\.objectID) == [old.objectID], "with inverse: \(policy)")
        try expect(person.objects("favourites").map(\.objectID) == [old.objectID], "without: \(policy)")
        let people = try fresh.existingObject(with: old.objectID).objects("people")
        try expect(Set(Fixtures.names(people)) == ["First", "Second"], "and its own stay: \(policy)")
      }
    },
    ContextCheck("a new object that became a stored one keeps its place in orders (NSConstraintConflict)") {
      factory in
      let model = try ManagedObjectModel {
        Entity("Box") {
          Relationship("parts", toMany: "Part", inverse: "box", ordered: true)
          Relationship("seen", toMany: "Part", inverse: "seenBy", ordered: true)
        }
        Entity("Part") {
          Attribute("name", .string)
          Relationship("box", to: "Box", inverse: "parts")
          Relationship("seenBy", toMany: "Box", inverse: "seen")
          UniquenessConstraint("name")
        }
      }
      let scenario = try await ContextScenario(factory, model)
      let (here, there) = (scenario.newContext(), scenario.newContext())
      here.mergePolicy = .mergeByPropertyObjectTrump
      try there.insert("Part").set("name", "b")
      try there.save()
      let (box, parts) = (
        try here.insert("Box"),
        try ["a", "b", "c"].map { try Fixtures.make("Part", ["name": .string($0)], in: here) }
      )
      for name in ["parts", "seen"] { try box.setObjects(parts, forKey: name) }
      try here.save()
      let fresh = scenario.newContext()
      for owner in [box, try fresh.existingObject(with: box.objectID)] {
        for name in ["parts", "seen"] {
          try expect(Fixtures.names(owner.objects(name)) == ["a", "b", "c"], "the order of \(name)")
        }
      }
    },
    ContextCheck("two new objects of one key are refused, or become one") { factory in
      let scenario = try await ContextScenario(factory)
      let policies: [MergePolicy] = [
        .error, .mergeByPropertyObjectTrump, .mergeByPropertyStoreTrump, .overwrite, .rollback,
      ]
      for (index, policy) in policies.enumerated() {
        let here = scenario.newContext()
        here.mergePolicy = policy
        let pair = [
          try Fixtures.tag(here, "key \(index)", colour: "red"),
          try Fixtures.tag(here, "key \(index)", rank: 5),
        ]
        for (number, tag) in pair.enumerated() { try Fixtures.person(here, "\(number)").add(tag, to: "tags") }
        if index == 0 {
          let error = try expectContextError(.notUnique, "refused") { try here.save() }
          try expect(error.conflicts.contains { $0.isConstraint }, "a constraint")
          try expect(here.insertedObjects.count == 4, "all are still here")
          continue
        }
        try here.save()
        try expect(!here.hasChanges, "nothing is left to save: \(policy)")
        try expect(pair.filter { $0.managedObjectContext != nil }.count == 1, "one is left: \(policy)")
        let same = FetchRequest("Tag", where: .compare("name", .equal, .string("key \(index)")))
        let fresh = scenario.newContext()
        let stored = try fresh.fetch(same)
        try expect(stored.count == 1, "one is stored: \(policy)")
        if index > 2 { continue }
        try expect(Fixtures.look(stored[0]) == "red 5", "with what was set in either: \(policy)")
        try expect(Set(Fixtures.names(stored[0].objects("people"))) == ["0", "1"], "and linked: \(policy)")
      }
    },
    ContextCheck("a stored object given another one's key is refused, or has its own key back") { factory in
      let scenario = try await ContextScenario(factory)
      let cases: [(MergePolicy, Bool)] = [
        (.error, false), (.mergeByPropertyObjectTrump, false), (.overwrite, false),
        (.mergeByPropertyStoreTrump, true), (.rollback, true),
      ]
      for (index, (policy, reverts)) in cases.enumerated() {
        let here = scenario.newContext()
        here.mergePolicy = policy
        _ = try Fixtures.tag(here, "a \(index)")
        let tag = try Fixtures.tag(here, "b \(index)")
        try here.save()
        try tag.set("name", "a \(index)")
        if !reverts {
          try expectContextError(.notUnique, "\(policy)") { try here.save() }
          try expect(Fixtures.text(tag) == "a \(index)" && tag.isUpdated, "still changed: \(policy)")
          continue
        }
        try here.save()
        try expect(Fixtures.text(tag) == "b \(index)" && !here.hasChanges, "its own key: \(policy)")
        let fresh = scenario.newContext()
        let stored = try fresh.existingObject(with: tag.objectID)
        try expect(Fixtures.text(stored) == "b \(index)", "as stored: \(policy)")
      }
    },
    ContextCheck("stale rows and taken keys of one save are settled together") { factory in
      let rivals = try Rivals(try await ContextScenario(factory), .mergeByPropertyObjectTrump)
      let old = try ["x", "y"].map { try Fixtures.tag(rivals.there, $0, colour: "blue") }
      try rivals.theirs.set("age", 31)
      try rivals.there.save()
      let new = try ["x", "y"].map { try Fixtures.tag(rivals.here, $0, rank: 5) }
      try rivals.mine.set("name", "Mine")
      try rivals.mine.add(contentsOf: new, to: "tags")
      try rivals.here.save()
      try rivals.agree(on: "Mine 31 m")
      try expect(new.map { try Fixtures.look($0) } == ["blue 5", "blue 5"], "both tags")
      let fresh = rivals.scenario.newContext()
      let person = try fresh.existingObject(with: rivals.id)
      try expect(Set(person.objects("tags").map(\.objectID)) == Set(old.map(\.objectID)), "both links")
    },
    ContextCheck("a custom policy gets the conflict over a key, and may resolve it") { factory in
      let scenario = try await ContextScenario(factory)
      let (here, there) = (scenario.newContext(), scenario.newContext())
      let old = try Fixtures.tag(there, "key", colour: "blue", rank: 1)
      try there.save()
      let new = try Fixtures.tag(here, "key", colour: "red")
      here.mergePolicy = .custom("constraints") {
        $0.isConstraint && $0.constraint == ["name"] ? .mergeByPropertyObjectTrump : .refuse
      }
      try here.save()
      try expect(new.objectID == old.objectID, "the stored one")
      try expect(Fixtures.look(new) == "red 1", "by the policy it chose")
    },
  ]
}

/// Two contexts that hold the same person: Ada, 30, whose motto is "m".
struct Rivals {
  let scenario: ContextScenario
  let here: ManagedObjectContext
  let there: ManagedObjectContext
  let mine: ManagedObject
  let theirs: ManagedObject
  let id: ManagedObjectID

  init(_ scenario: ContextScenario, _ policy: MergePolicy = .error) throws {
    self.scenario = scenario
    here = scenario.newContext()
    there = scenario.newContext()
    mine = try Fixtures.person(here, "Ada", age: 30)
    try mine.set("motto", "m")
    try here.save()
    id = mine.objectID
    theirs = try there.existingObject(with: id)
    here.mergePolicy = policy
  }

  /// The person here: name, age, motto.
  var text: String { get throws { try Self.text(mine) } }

  private static func text(_ person: ManagedObject) throws -> String {
    try ["name", "age", "motto"].map { try person.value(forKey: $0).text }.joined(separator: " ")
  }

  /// The person as stored; nil when it is not there.
  func stored() throws -> String? {
    let fresh = scenario.newContext()
    let own = FetchComparison(.selfObject, .equal, .value(.reference(id.reference)))
    let found: [ManagedObject] = try fresh.fetch(FetchRequest("Person", where: .comparison(own)))
    return try found.first.map { try Self.text($0) }
  }

  /// Both the store and this context hold this, and nothing is left to save.
  func agree(on wanted: String, line: Int = #line, fileID: String = #fileID) throws {
    let stored = try stored() ?? "nothing"
    let policy = here.mergePolicy
    try expect(stored == wanted, "\(policy): stored \(stored), not \(wanted)", line: line, fileID: fileID)
    let text = try text
    try expect(text == wanted, "\(policy): here \(text), not \(wanted)", line: line, fileID: fileID)
    try expect(!here.hasChanges && !mine.hasChanges, "\(policy): changes left", line: line, fileID: fileID)
  }
}
