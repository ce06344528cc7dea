import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit

extension ContextCheck {
  static let pinnedReads: [ContextCheck] = [
    ContextCheck("a pinned context reads one query generation while others write (NSQueryGenerationToken)") {
      factory in
      guard let scenario = try await PinnedOffice(factory) else { return }
      let pinned = scenario.pinned
      try expect(pinned.queryGenerationToken != nil, "a generation")
      try scenario.change()
      let byName = FetchRequest("Person", sortDescriptors: [FetchSortDescriptor("name")])
      for _ in 0..<2 {
        try expect(Fixtures.names(pinned.fetch(byName)) == ["p0", "p1", "p2"], "objects")
        try expect(pinned.count(for: byName) == 3, "their number")
        try expect(pinned.fetchObjectIDs(byName) == scenario.ids, "their IDs")
        let old = FetchRequest("Person", where: .compare("name", .equal, "p1"))
        try expect(pinned.count(for: old) == 1, "conditions on what was stored")
        pinned.refreshAllObjects()
      }
      try expectContextError(.objectNotFound, "stored later") {
        _ = try pinned.existingObject(with: try scenario.newest())
      }
    },
    ContextCheck("faults and relationships of a pinned context that fire late read the query generation too")
    {
      factory in
      guard let scenario = try await PinnedOffice(factory) else { return }
      let pinned = scenario.pinned
      let faults = try scenario.ids.map { try pinned.object(with: $0) }
      let firm = try pinned.object(with: scenario.firm)
      try scenario.change()
      try expect(Fixtures.names(faults) == ["p0", "p1", "p2"], "values, of a deleted row too")
      try expect(Set(firm.objects("employees")) == Set(faults), "a to-many over to-ones")
      try expect(faults[0].objects("tags").map { try Fixtures.text($0) } == ["t"], "a many-to-many")
      try expect(faults[1].object("employer") === firm, "a to-one")
    },
    ContextCheck("a query generation of one context pins another, and does not change") { factory in
      guard let scenario = try await PinnedOffice(factory) else { return }
      let moment = scenario.pinned.queryGenerationToken
      try scenario.change()
      let other = scenario.scenario.newContext()
      try other.setQueryGenerationFrom(moment)
      let byName = FetchRequest("Person", sortDescriptors: [FetchSortDescriptor("name")])
      try expect(
        Fixtures.names(other.fetch(byName)) == ["p0", "p1", "p2"], "the first one's query generation")
      try scenario.pinned.setQueryGenerationFrom(nil)
      try expect(
        Fixtures.names(other.fetch(byName)) == ["p0", "p1", "p2"], "also when the first lets go of it")
      let later = scenario.scenario.newContext()
      try later.setQueryGenerationFrom(.current)
      try expect(
        Fixtures.names(later.fetch(byName)) == ["changed", "new", "p2"], "a query generation of its own")
    },
    ContextCheck("a context that is pinned no more reads what is stored now") { factory in
      guard let scenario = try await PinnedOffice(factory) else { return }
      let pinned = scenario.pinned
      let held = try pinned.existingObject(with: scenario.ids[0])
      try scenario.change()
      try expect(Fixtures.text(held) == "p0", "pinned")
      try pinned.setQueryGenerationFrom(nil)
      try expect(pinned.queryGenerationToken == nil, "no generation")
      let names = try Fixtures.names(
        pinned.fetch(FetchRequest("Person", sortDescriptors: [FetchSortDescriptor("name")])))
      try expect(names == ["changed", "new", "p2"], "as stored")
      try pinned.refresh(held, mergeChanges: false)
      try expect(Fixtures.text(held) == "changed", "a registered object, once it is refreshed")
    },
    ContextCheck("a pinned context saves into the store of now, and is pinned to that then") { factory in
      guard let scenario = try await PinnedOffice(factory) else { return }
      let pinned = scenario.pinned
      let faults = try scenario.ids.map { try pinned.existingObject(with: $0) }
      try scenario.change()
      try faults[2].set("age", 70)
      try pinned.save()
      let byName = FetchRequest("Person", sortDescriptors: [FetchSortDescriptor("name")])
      try expect(
        Fixtures.names(pinned.fetch(byName)) == ["changed", "new", "p2"], "what others saved before")
      try scenario.other.existingObject(with: scenario.ids[2]).set("name", "later")
      try scenario.other.save()
      pinned.refreshAllObjects()
      try expect(
        Fixtures.names(pinned.fetch(byName)) == ["changed", "new", "p2"], "not what they save after")
      let fresh = scenario.scenario.newContext()
      let stored = try fresh.existingObject(with: scenario.ids[2])
      try expect(Fixtures.text(stored) == "later" && Fixtures.number(stored) == 70, "both are stored")
    },
    ContextCheck("what others changed since a context was pinned is a conflict as ever") { factory in
      guard let scenario = try await PinnedOffice(factory) else { return }
      let person = try scenario.pinned.existingObject(with: scenario.ids[0])
      try scenario.change()
      try person.set("name", "mine")
      let error = try expectContextError(.conflict, "changed since") { try scenario.pinned.save() }
      try expect(error.conflicts.map(\.objectID) == [scenario.ids[0]], "the object")
      try expect(error.conflicts[0].persistedSnapshot?["name"] == "changed", "as stored now")
      scenario.pinned.mergePolicy = .mergeByPropertyObjectTrump
      try scenario.pinned.save()
      let fresh = scenario.scenario.newContext()
      let stored = try fresh.existingObject(with: scenario.ids[0])
      try expect(Fixtures.text(stored) == "mine", "saved with a policy")
    },
    ContextCheck("merging pins a context to what is stored then") { factory in
      guard let scenario = try await PinnedOffice(factory) else { return }
      let person = try scenario.pinned.existingObject(with: scenario.ids[0])
      let told = scenario.scenario.coordinator.didSaveObjects()
      try scenario.change()
      let changes = try await Fixtures.first(1, of: told)[0]
      try expect(Fixtures.text(person) == "p0", "before")
      try scenario.pinned.mergeChanges(from: changes)
      try expect(Fixtures.text(person) == "changed", "after")
      try expect(scenario.pinned.queryGenerationToken != nil, "still pinned")
    },
  ]
}

/// A firm, its three people and a context pinned to them.
struct PinnedOffice {
  let scenario: ContextScenario
  let other: ManagedObjectContext
  let pinned: ManagedObjectContext
  let firm: ManagedObjectID
  let ids: [ManagedObjectID]

  /// Nil when the store cannot keep a moment.
  init?(_ factory: any StoreFactory) async throws {
    let scenario = try await ContextScenario(factory)
    let (other, pinned) = (scenario.newContext(), scenario.newContext())
    let firm = try Fixtures.company(other, "Firm")
    let people = try (0..<3).map { try Fixtures.person(other, "p\($0)") }
    try firm.add(contentsOf: people, to: "employees")
    try people[0].add(try Fixtures.tag(other, "t"), to: "tags")
    try other.save()
    (self.scenario, self.other, self.pinned) = (scenario, other, pinned)
    self.firm = firm.objectID
    ids = people.map(\.objectID)
    do {
      try pinned.setQueryGenerationFrom(.current)
    } catch let error as StoreError where error.code == .unsupportedRequest {
      try expect(!Self.mustPin(scenario.store), "this store has to keep moments")
      return nil
    }
  }

  /// Whether a store has to be able to keep a moment: ours do, a stranger's need not.
  static func mustPin(_ store: any IncrementalStore) -> Bool {
    ["InMemory", "SQLCipher"].contains(type(of: store).storeType)
  }

  /// Changes one person, deletes another and adds a third, elsewhere.
  func change() throws {
    let people = try ids.map { try other.existingObject(with: $0) }
    try people[0].set("name", "changed")
    try people[0].setObjects([], forKey: "tags")
    try other.delete(people[1])
    let new = try Fixtures.person(other, "new")
    try new.setObject(try other.existingObject(with: firm), forKey: "employer")
    try other.save()
  }

  /// The person that was added.
  func newest() throws -> ManagedObjectID {
    let fresh = scenario.newContext()
    let new = FetchRequest("Person", where: .compare("name", .equal, "new"))
    return try fresh.fetchObjectIDs(new)[0]
  }
}
