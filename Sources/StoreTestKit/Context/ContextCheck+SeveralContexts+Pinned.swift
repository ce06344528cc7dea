import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract

extension ContextCheck {
  static let pinnedReads: [ContextCheck] = [
    ContextCheck("a pinned context reads one moment while others write (NSQueryGenerationToken)") { factory in
      guard let office = try await PinnedOffice(factory) else { return }
      let pinned = office.pinned
      try expect(pinned.queryGenerationToken != nil, "a generation")
      try office.change()
      let byName = FetchRequest("Person", sortDescriptors: [FetchSortDescriptor("name")])
      for _ in 0..<2 {
        try expect(Staff.names(pinned.fetch(byName)) == ["p0", "p1", "p2"], "objects")
        try expect(pinned.count(for: byName) == 3, "their number")
        try expect(pinned.fetchObjectIDs(byName) == office.ids, "their IDs")
        let old = FetchRequest("Person", where: .compare("name", .equal, "p1"))
        try expect(pinned.count(for: old) == 1, "conditions on what was stored")
        pinned.refreshAllObjects()
      }
      try expectContextError(.objectNotFound, "stored later") {
        _ = try pinned.existingObject(with: try office.newest())
      }
    },
    ContextCheck("faults and relationships of a pinned context that fire late bring the old moment too") {
      factory in
      guard let office = try await PinnedOffice(factory) else { return }
      let pinned = office.pinned
      let faults = try office.ids.map { try pinned.object(with: $0) }
      let firm = try pinned.object(with: office.firm)
      try office.change()
      try expect(Staff.names(faults) == ["p0", "p1", "p2"], "values, of a deleted row too")
      try expect(Set(firm.objects("employees")) == Set(faults), "a to-many over to-ones")
      try expect(faults[0].objects("tags").map { try Staff.text($0) } == ["t"], "a many-to-many")
      try expect(faults[1].object("employer") === firm, "a to-one")
    },
    ContextCheck("a moment taken from one context pins another, and stays as it was taken") { factory in
      guard let office = try await PinnedOffice(factory) else { return }
      let moment = office.pinned.queryGenerationToken
      try office.change()
      let other = office.office.newContext()
      try other.setQueryGenerationFrom(moment)
      let byName = FetchRequest("Person", sortDescriptors: [FetchSortDescriptor("name")])
      try expect(Staff.names(other.fetch(byName)) == ["p0", "p1", "p2"], "the first one's moment")
      try office.pinned.setQueryGenerationFrom(nil)
      try expect(Staff.names(other.fetch(byName)) == ["p0", "p1", "p2"], "also when the first lets go of it")
      let later = office.office.newContext()
      try later.setQueryGenerationFrom(.current)
      try expect(Staff.names(later.fetch(byName)) == ["changed", "new", "p2"], "a moment of its own")
    },
    ContextCheck("a context that is pinned no more reads what is stored now") { factory in
      guard let office = try await PinnedOffice(factory) else { return }
      let pinned = office.pinned
      let held = try pinned.existingObject(with: office.ids[0])
      try office.change()
      try expect(Staff.text(held) == "p0", "pinned")
      try pinned.setQueryGenerationFrom(nil)
      try expect(pinned.queryGenerationToken == nil, "no generation")
      let names = try Staff.names(
        pinned.fetch(FetchRequest("Person", sortDescriptors: [FetchSortDescriptor("name")])))
      try expect(names == ["changed", "new", "p2"], "as stored")
      try pinned.refresh(held, mergeChanges: false)
      try expect(Staff.text(held) == "changed", "a held object, once it is refreshed")
    },
    ContextCheck("a pinned context saves into the store of now, and is pinned to that then") { factory in
      guard let office = try await PinnedOffice(factory) else { return }
      let pinned = office.pinned
      let faults = try office.ids.map { try pinned.existingObject(with: $0) }
      try office.change()
      try faults[2].set("age", 70)
      try pinned.save()
      let byName = FetchRequest("Person", sortDescriptors: [FetchSortDescriptor("name")])
      try expect(Staff.names(pinned.fetch(byName)) == ["changed", "new", "p2"], "what others saved before")
      try office.other.existingObject(with: office.ids[2]).set("name", "later")
      try office.other.save()
      pinned.refreshAllObjects()
      try expect(Staff.names(pinned.fetch(byName)) == ["changed", "new", "p2"], "not what they save after")
      let fresh = office.office.newContext()
      let stored = try fresh.existingObject(with: office.ids[2])
      try expect(Staff.text(stored) == "later" && Staff.number(stored) == 70, "both are stored")
    },
    ContextCheck("what others changed since a context was pinned is a conflict as ever") { factory in
      guard let office = try await PinnedOffice(factory) else { return }
      let person = try office.pinned.existingObject(with: office.ids[0])
      try office.change()
      try person.set("name", "mine")
      let error = try expectContextError(.conflict, "changed since") { try office.pinned.save() }
      try expect(error.conflicts.map(\.objectID) == [office.ids[0]], "the object")
      try expect(error.conflicts[0].persistedSnapshot?["name"] == "changed", "as stored now")
      office.pinned.mergePolicy = .mergeByPropertyObjectTrump
      try office.pinned.save()
      let fresh = office.office.newContext()
      let stored = try fresh.existingObject(with: office.ids[0])
      try expect(Staff.text(stored) == "mine", "saved with a policy")
    },
    ContextCheck("merging pins a context to what is stored then") { factory in
      guard let office = try await PinnedOffice(factory) else { return }
      let person = try office.pinned.existingObject(with: office.ids[0])
      let told = office.office.coordinator.didSaveObjects()
      try office.change()
      let changes = try await Staff.first(1, of: told)[0]
      try expect(Staff.text(person) == "p0", "before")
      try office.pinned.mergeChanges(from: changes)
      try expect(Staff.text(person) == "changed", "after")
      try expect(office.pinned.queryGenerationToken != nil, "still pinned")
    },
  ]
}

/// A firm, its three people and a context pinned to them.
struct PinnedOffice {
  let office: Office
  let other: ManagedObjectContext
  let pinned: ManagedObjectContext
  let firm: ManagedObjectID
  let ids: [ManagedObjectID]

  /// Nil when the store cannot keep a moment.
  init?(_ factory: any StoreFactory) async throws {
    let office = try await Office(factory)
    let (other, pinned) = (office.newContext(), office.newContext())
    let firm = try Staff.company(other, "Firm")
    let people = try (0..<3).map { try Staff.person(other, "p\($0)") }
    try firm.add(contentsOf: people, to: "employees")
    try people[0].add(try Staff.tag(other, "t"), to: "tags")
    try other.save()
    (self.office, self.other, self.pinned) = (office, other, pinned)
    self.firm = firm.objectID
    ids = people.map(\.objectID)
    do {
      try pinned.setQueryGenerationFrom(.current)
    } catch let error as StoreError where error.code == .unsupportedRequest {
      try expect(!Self.mustPin(office.store), "this store has to keep moments")
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
    let new = try Staff.person(other, "new")
    try new.setObject(try other.existingObject(with: firm), forKey: "employer")
    try other.save()
  }

  /// The person that was added.
  func newest() throws -> ManagedObjectID {
    let fresh = office.newContext()
    let new = FetchRequest("Person", where: .compare("name", .equal, "new"))
    return try fresh.fetchObjectIDs(new)[0]
  }
}
