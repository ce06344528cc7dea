import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit

extension ContextCheck {
  static let crowds: [ContextCheck] = [
    ContextCheck("many contexts that save at the same time lose nothing, and agree in the end") {
      factory in
      let scenario = try await ContextScenario(factory)
      let maker = scenario.newContext()
      let shared = try (0..<6).map { try Fixtures.person(maker, "shared \($0)") }
      try maker.save()
      let ids = shared.map(\.objectID)
      let workers = (0..<8).map { Worker(number: $0, shared: ids, scenario: scenario) }
      let tallies = try await withThrowingTaskGroup(of: Worker.Tally.self) { group in
        for worker in workers { group.addTask { try await worker.work() } }
        var all = Worker.Tally()
        for try await tally in group { all.add(tally) }
        return all
      }
      let fresh = scenario.newContext()
      let everybody = FetchRequest("Person")
      let wanted = ids.count + tallies.born - tallies.died
      try expect(fresh.count(for: everybody) == wanted, "as many as were inserted and not deleted")
      let versions = try ids.map { try fresh.existingObject(with: $0).version - 1 }
      try expect(versions.reduce(0, +) == 8 * 40, "every save of a shared object counts, got \(versions)")
      let names = try Fixtures.names(
        fresh.fetch(FetchRequest("Person", sortDescriptors: [FetchSortDescriptor("name")])))
      for worker in workers {
        let own = try await worker.names()
        try expect(own == names, "\(worker.number) agrees")
      }
      guard let again = try await scenario.reopened() else { return }
      try expect(again.newContext().count(for: everybody) == wanted, "after reopening")
    },
    ContextCheck("contexts that insert, change and delete each other's objects end in one consistent whole") {
      factory in
      let scenario = try await ContextScenario(factory)
      let maker = scenario.newContext()
      let firms = try (0..<3).map { try Fixtures.company(maker, "firm \($0)") }
      for number in 0..<20 {
        let person = try Fixtures.person(maker, "p\(number)")
        if number < 6 { try person.setObject(try maker.insert("Desk"), forKey: "desk") }
        if number < 3 { try person.setObject(firms[number], forKey: "employer") }
        try Fixtures.task("t\(number)", of: person, in: maker)
        if number < 3 { _ = try Fixtures.tag(maker, "tag \(number)") }
      }
      try maker.save()
      let firmIDs = firms.map(\.objectID)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<8 {
          let background = BackgroundContext(scenario.coordinator, name: "crowd \(number)")
          group.addTask { try await Self.stir(background, firmIDs, seed: UInt64(number)) }
        }
        try await group.waitForAll()
      }
      let fresh = scenario.newContext()
      let people = try fresh.fetch(FetchRequest("Person", sortDescriptors: [FetchSortDescriptor("name")]))
      try expect(fresh.count(for: FetchRequest("Person")) == people.count, "counted as fetched")
      let employed = try people.filter { try $0.object("employer") != nil }
      let employees = try firmIDs.flatMap { try Array(fresh.existingObject(with: $0).objects("employees")) }
      try expect(Set(employees) == Set(employed), "both ends of every link")
      try expect(employees.count == employed.count, "each once")
      var everything: [ManagedObjectID] = []
      for name in ["Person", "Company", "Desk", "Tag", "Task"] {
        everything += try fresh.fetchObjectIDs(FetchRequest(name))
      }
      try ToOneConflict.agree(fresh, everything, "in the end")
      for name in ["employer", "spouse", "desk"] {
        let count = try people.count { try $0.object(name) != nil }
        try expect(count > 0, "some have a \(name)")
      }
    },
  ]

  /// Forty saves of changes to anybody.
  ///
  /// What others deleted meanwhile cannot be led to, and is left alone.
  private static func stir(
    _ background: BackgroundContext, _ firms: [ManagedObjectID], seed: UInt64
  ) async throws {
    try await background.perform { context in
      context.mergePolicy = .mergeByPropertyObjectTrump
      context.automaticallyMergesChangesFromParent = true
    }
    for round in 0..<40 {
      try await background.perform { context in
        var dice = Fixtures.Dice(seed: seed * 1000 + UInt64(round))
        do {
          try changeAnybody(context, firms, "new \(seed) \(round)", &dice)
          try context.save()
        } catch let error as ContextError
          where [.conflict, .objectNotFound, .noContext, .objectOfAnotherContext].contains(error.code)
        {
          context.rollback()
        }
      }
    }
  }

  private static func changeAnybody(
    _ context: ManagedObjectContext, _ firms: [ManagedObjectID], _ name: String, _ dice: inout Fixtures.Dice
  ) throws {
    let people = try context.fetch(FetchRequest("Person", sortDescriptors: [FetchSortDescriptor("name")]))
    guard let person = dice.element(people), let other = dice.element(people), !dice.chance(4) else {
      _ = try Fixtures.person(context, name)
      return
    }
    switch dice.below(12) {
    case 0: try context.delete(person)
    case 1, 2: try person.set("age", dice.below(100))
    case 3, 4: if other !== person { try person.setObject(other, forKey: "spouse") }
    case 5: try person.setObject(dice.element(context.fetch(FetchRequest("Desk"))), forKey: "desk")
    case 6: if other !== person { try person.add(other, to: "friends") }
    case 7:
      if let tag = dice.element(try context.fetch(FetchRequest("Tag"))) { try person.add(tag, to: "tags") }
    case 8: try dice.element(context.fetch(FetchRequest("Task")))?.setObject(person, forKey: "owner")
    default:
      let firm = try dice.element(firms).map { try context.existingObject(with: $0) }
      try person.setObject(dice.chance(3) ? nil : firm, forKey: "employer")
    }
  }
}

/// Works on people of its own, and on shared ones that others work on too.
private struct Worker: Sendable {
  /// What was done.
  struct Tally: Sendable {
    var born = 0
    var died = 0

    mutating func add(_ other: Tally) {
      born += other.born
      died += other.died
    }
  }

  let number: Int
  let shared: [ManagedObjectID]
  let background: BackgroundContext

  init(number: Int, shared: [ManagedObjectID], scenario: ContextScenario) {
    self.number = number
    self.shared = shared
    background = BackgroundContext(scenario.coordinator, name: "worker \(number)")
  }

  func work() async throws -> Tally {
    try await background.perform { context in
      context.mergePolicy = .mergeByPropertyObjectTrump
      context.automaticallyMergesChangesFromParent = true
    }
    var dice = Fixtures.Dice(seed: UInt64(100 + number))
    var tally = Tally()
    var own: [ManagedObjectID] = []
    for round in 0..<40 {
      let births = dice.below(3)
      let victim = dice.chance(2) && !own.isEmpty ? own.remove(at: dice.below(own.count)) : nil
      let changed = dice.element(own)
      let touched = shared[dice.below(shared.count)]
      let age = dice.below(100)
      let number = number
      own += try await background.perform { context in
        let new = try (0..<births).map { try Fixtures.person(context, "w \(number) \(round) \($0)") }
        if let victim { try context.delete(try context.existingObject(with: victim)) }
        if let changed { try context.existingObject(with: changed).set("age", age) }
        try context.existingObject(with: touched).set("motto", "w \(number) \(round)")
        try context.save()
        return new.map(\.objectID)
      }
      tally.born += births
      tally.died += victim == nil ? 0 : 1
    }
    return tally
  }

  /// Everybody's names, as this worker's context sees them.
  func names() async throws -> [String] {
    try await background.perform { context in
      try Fixtures.names(
        context.fetch(FetchRequest("Person", sortDescriptors: [FetchSortDescriptor("name")])))
    }
  }
}
