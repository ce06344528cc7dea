import Locks
import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract

extension ContextCheck {
  static let severalContexts: [ContextCheck] = siblings + streams + families + pinnedReads

  private static let siblings: [ContextCheck] = [
    ContextCheck("contexts of one coordinator do not see each other's unsaved changes") { factory in
      let office = try await Office(factory)
      let (one, two) = (office.newContext(), office.newContext())
      let person = try Staff.person(one, "Ada")
      try expect(two.count(for: FetchRequest("Person")) == 0, "an unsaved object is its context's own")
      try expectContextError(.foreignObject, "so is a temporary ID") {
        _ = try two.object(with: person.objectID)
      }
      try one.save()
      let copy = try two.existingObject(with: person.objectID)
      try expect(copy !== person, "an object of its own in each context")
      try copy.set("name", "Grace")
      try two.delete(try Staff.person(two, "New"))
      try expect(Staff.text(person) == "Ada", "an unsaved value")
      try two.delete(copy)
      try expect(!person.isDeleted && one.count(for: FetchRequest("Person")) == 1, "an unsaved deletion")
      two.rollback()
      try expectContextError(.foreignObject, "objects are not mixed") {
        try person.setObject(copy, for: "spouse")
      }
    },
    ContextCheck(
      "mergeChanges(from:) by hand brings what another context saved (mergeChangesFromContextDidSave)"
    ) { factory in
      let office = try await Office(factory)
      let (here, there) = (office.newContext(), office.newContext())
      let firm = try Staff.company(here, "Firm")
      let old = try (0..<3).map { try Staff.person(here, "p\($0)") }
      try firm.add(contentsOf: old, to: "employees")
      try here.save()
      try expect(Staff.names(firm.objects("employees")).count == 3, "as read here")
      let copies = try old.map { try there.existingObject(with: $0.objectID) }
      try copies[0].set("name", "changed")
      try there.delete(copies[1])
      let new = try Staff.person(there, "new")
      try new.setObject(try there.existingObject(with: firm.objectID), for: "employer")
      let told = office.coordinator.saves()
      try there.save()
      try expect(Staff.text(old[0]) == "p0", "a held object stays as it was read")
      let changes = try await Staff.first(1, of: told)[0]
      try here.mergeChanges(from: changes)
      try expect(Staff.text(old[0]) == "changed", "an updated object")
      try expect(old[1].managedObjectContext == nil || old[1].isDeleted, "a deleted object")
      let employees = try Staff.names(firm.objects("employees")).sorted()
      try expect(employees == ["changed", "new", "p2"], "the relationship that leads to them")
      try expect(!here.hasChanges, "nothing to save")
    },
    ContextCheck("a merge leaves local changes on top, and saving them is no conflict then") { factory in
      let rivals = try Rivals(try await Office(factory))
      let told = rivals.office.coordinator.saves()
      try rivals.mine.set("name", "Mine")
      try rivals.theirs.set("name", "Theirs")
      try rivals.theirs.set("age", 31)
      try rivals.there.save()
      let changes = try await Staff.first(1, of: told)[0]
      try rivals.here.mergeChanges(from: changes)
      try expect(rivals.text == "Mine 31 m", "own changes over the new row")
      try expect(rivals.mine.isUpdated && rivals.mine.committedValues()["name"] == "Theirs", "still a change")
      try rivals.here.save()
      try rivals.agree(on: "Mine 31 m")
      try expect(rivals.mine.version == 3, "one version after theirs")
    },
    ContextCheck("a changed object deleted elsewhere stays after the merge, and its save is a conflict") {
      factory in
      let rivals = try Rivals(try await Office(factory))
      rivals.here.automaticallyMergesChangesFromParent = true
      try rivals.mine.set("name", "Mine")
      try rivals.there.delete(rivals.theirs)
      try rivals.there.save()
      try rivals.here.mergeChanges()
      try expect(rivals.mine.managedObjectContext === rivals.here && rivals.text == "Mine 30 m", "still here")
      let error = try expectContextError(.conflict, "its row is gone") { try rivals.here.save() }
      try expect(error.conflicts.map(\.objectID) == [rivals.id], "the object")
      rivals.here.mergePolicy = .overwrite
      try rivals.here.save()
      try rivals.agree(on: "Mine 30 m")
    },
    ContextCheck(
      "a context merges by itself before its next look, if asked (automaticallyMergesChangesFromParent)"
    ) { factory in
      let office = try await Office(factory)
      let (here, aside, there) = (office.newContext(), office.newContext(), office.newContext())
      let person = try Staff.person(there, "v0")
      try there.save()
      let mine = try here.existingObject(with: person.objectID)
      let other = try aside.existingObject(with: person.objectID)
      here.automaticallyMergesChangesFromParent = true
      let looks: [(String, (ManagedObjectContext) throws -> Void)] = [
        ("processPendingChanges", { $0.processPendingChanges() }),
        ("mergeChanges", { try $0.mergeChanges() }),
        ("fetch", { _ = try $0.fetch(FetchRequest("Company")) }),
        ("save", { try $0.save() }),
      ]
      for (number, (name, look)) in looks.enumerated() {
        try expect(Staff.text(mine) == "v\(number)", "before \(name)")
        try person.set("name", "v\(number + 1)")
        try there.save()
        try expect(Staff.text(mine) == "v\(number)", "nothing changes under one's hands before \(name)")
        try look(here)
        try look(aside)
        try expect(Staff.text(mine) == "v\(number + 1)", "after \(name)")
        try expect(Staff.text(other) == "v0", "not where it is off, after \(name)")
      }
      try there.delete(person)
      try there.save()
      here.processPendingChanges()
      try expect(mine.managedObjectContext == nil || mine.isDeleted, "a deleted object")
    },
    ContextCheck("several saves that a context has not looked at yet are merged in one go") { factory in
      let office = try await Office(factory)
      let (here, there) = (office.newContext(), office.newContext())
      here.automaticallyMergesChangesFromParent = true
      let held = try (0..<5).map { try Staff.person(here, "p\($0)") }
      try here.save()
      for round in 0..<6 {
        for (index, person) in held.enumerated() where index >= round {
          let copy = try there.existingObject(with: person.objectID)
          if index == round { try there.delete(copy) } else { try copy.set("age", 30 + round) }
        }
        _ = try Staff.person(there, "new \(round)", age: 90)
        try there.save()
      }
      try here.mergeChanges()
      try expect(held.allSatisfy { $0.managedObjectContext == nil || $0.isDeleted }, "all were deleted")
      let names = try Staff.names(here.fetch(FetchRequest("Person", sort: [FetchSort("name")])))
      try expect(names == (0..<6).map { "new \($0)" }, "the new ones")
    },
  ]

  private static let streams: [ContextCheck] = [
    ContextCheck(
      "a context tells of each save before and after it (NSManagedObjectContextWillSave, DidSave)"
    ) { factory in
      let office = try await Office(factory)
      let context = office.newContext()
      context.name = "desk"
      let people = try (0..<2).map { try Staff.person(context, "p\($0)") }
      try context.save()
      try people[0].set("age", 40)
      try context.delete(people[1])
      let new = try Staff.person(context, "new")
      let gone = people[1].objectID
      let (before, after, again) = (context.willSaves(), context.saves(), context.saves())
      try context.save()
      try context.save()
      try people[0].set("age", 41)
      try context.save()
      let will = try await Staff.first(2, of: before)
      try expect(will[0].inserted.count == 1 && will[0].contextName == "desk", "before")
      try expect(will[0].updated == [people[0].objectID] && will[0].deleted == [gone], "what is to be saved")
      for stream in [after, again] {
        let did = try await Staff.first(2, of: stream)
        try expect(did[0].inserted == [new.objectID] && !new.objectID.isTemporaryID, "the new object")
        try expect(did[0].updated == [people[0].objectID], "the changed one")
        try expect(did[0].deleted == [gone] && did[0].contextName == "desk", "the deleted one")
        try expect(did[1].updated == [people[0].objectID], "a save of nothing is not told")
        try expect(did[1].inserted.isEmpty && did[1].deleted.isEmpty, "each save its own")
      }
    },
    ContextCheck("a refused save is told before, and not after") { factory in
      let office = try await Office(factory)
      let context = office.newContext()
      let person = try Staff.person(context, "Ada", age: 500)
      let (before, after) = (context.willSaves(), context.saves())
      try expectContextError(.validation, "too old") { try context.save() }
      try person.set("age", 50)
      try context.save()
      _ = try await Staff.first(2, of: before)
      let saved = try await Staff.first(1, of: after)
      try expect(saved[0].inserted == [person.objectID], "the save that went through")
    },
    ContextCheck(
      "a context tells what changed at the end of an event (NSManagedObjectContextObjectsDidChange)"
    ) { factory in
      let office = try await Office(factory)
      let context = office.newContext()
      var told = context.objectChanges()
      let person = try Staff.person(context, "Ada")
      let other = try Staff.person(context, "Grace")
      let temporary = Set([person, other].map(\.objectID))
      context.processPendingChanges()
      let inserted = try await Staff.first(1, of: told)[0]
      try expect(Set(inserted.inserted) == temporary && inserted.deleted.isEmpty, "insertions")
      try context.save()
      told = context.objectChanges()
      context.processPendingChanges()
      try person.set("age", 30)
      try person.set("age", 31)
      context.processPendingChanges()
      try context.delete(other)
      context.processPendingChanges()
      try context.refresh(person, mergeChanges: false)
      context.processPendingChanges()
      let events = try await Staff.first(3, of: told)
      try expect(events[0].updated == [person.objectID] && events[0].inserted.isEmpty, "an update, once")
      try expect(events[1].deleted == [other.objectID], "a deletion")
      try expect(events[2].refreshed == [person.objectID], "a refresh")
    },
    ContextCheck("a coordinator tells of the saves of all its contexts in their order") { factory in
      let office = try await Office(factory)
      let told = office.coordinator.saves()
      var wanted: [ManagedObjectID] = []
      for number in 0..<6 {
        let context = office.newContext()
        context.name = "context \(number)"
        let person = try Staff.person(context, "p\(number)")
        try context.save()
        wanted.append(person.objectID)
      }
      let saves = try await Staff.first(6, of: told)
      try expect(saves.map(\.inserted) == wanted.map { [$0] }, "one after another")
      try expect(saves.map(\.contextName) == (0..<6).map { "context \($0)" }, "with their names")
    },
  ]
}

/// The hand tools of the checks of contexts.
enum Staff {
  static func person(_ context: ManagedObjectContext, _ name: String, age: Int = 18) throws -> ManagedObject {
    let person = try context.insert("Person")
    try person.set("name", name)
    if age != 18 { try person.set("age", age) }
    return person
  }

  static func company(_ context: ManagedObjectContext, _ name: String) throws -> ManagedObject {
    let company = try context.insert("Company")
    try company.set("name", name)
    return company
  }

  static func tag(
    _ context: ManagedObjectContext, _ name: String, colour: String? = nil, rank: Int? = nil
  ) throws -> ManagedObject {
    let tag = try context.insert("Tag")
    try tag.set("name", name)
    if let colour { try tag.set("colour", colour) }
    if let rank { try tag.set("rank", rank) }
    return tag
  }

  @discardableResult
  static func task(_ title: String, of owner: ManagedObject, in context: ManagedObjectContext) throws
    -> ManagedObject
  {
    let task = try context.insert("Task")
    try task.set("title", title)
    try task.setObject(owner, for: "owner")
    return task
  }

  static func text(_ object: ManagedObject, _ name: String = "name") throws -> String? {
    try object.get(name, as: String.self)
  }

  static func number(_ object: ManagedObject, _ name: String = "age") throws -> Int? {
    try object.get(name, as: Int.self)
  }

  /// A text of each object; "-" where it has none.
  static func names(_ objects: some Sequence<ManagedObject>, _ name: String = "name") throws -> [String] {
    try objects.map { try text($0, name) ?? "-" }
  }

  /// A tag's colour and rank.
  static func look(_ tag: ManagedObject) throws -> String {
    try "\(text(tag, "colour") ?? "") \(number(tag, "rank").map { "\($0)" } ?? "")"
  }

  /// The first elements of a stream; fails when they do not come.
  static func first<T: Sendable>(
    _ count: Int, of stream: AsyncStream<T>, line: Int = #line, fileID: String = #fileID
  ) async throws -> [T] {
    try await withThrowingTaskGroup(of: [T].self) { group in
      group.addTask {
        var elements: [T] = []
        for await element in stream {
          elements.append(element)
          if elements.count == count { break }
        }
        return elements
      }
      group.addTask {
        try await Task.sleep(for: .seconds(30))
        return []
      }
      let elements = try await group.next() ?? []
      group.cancelAll()
      try expect(elements.count == count, "a stream told too little", line: line, fileID: fileID)
      return elements
    }
  }

  /// A number that code on any isolation raises and lowers.
  final class Count: Sendable {
    private let number = Locked(0)

    var value: Int { number.withLock { $0 } }

    /// Answers the number after.
    @discardableResult
    func add(_ step: Int = 1) -> Int {
      number.withLock { (number: inout Int) -> Int in
        number += step
        return number
      }
    }
  }

  /// SplitMix64: the same numbers for the same seed everywhere.
  struct Dice {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func below(_ bound: Int) -> Int {
      state &+= 0x9E37_79B9_7F4A_7C15
      var z = state
      z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
      z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
      return Int((z ^ (z >> 31)) % UInt64(bound))
    }

    /// True once in so many times.
    mutating func chance(_ times: Int) -> Bool { below(times) == 0 }

    mutating func element<T>(_ list: [T]) -> T? { list.isEmpty ? nil : list[below(list.count)] }
  }
}
