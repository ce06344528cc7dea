import Dispatch
import Locks
import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit

extension ContextCheck {
  static let concurrency: [ContextCheck] = turns + crowds

  private static let turns: [ContextCheck] = [
    ContextCheck("what a background context's closure answers or throws comes out of it (perform)") {
      factory in
      struct Refusal: Error {}
      let scenario = try await ContextScenario(factory)
      let background = BackgroundContext(scenario.coordinator, name: "back")
      let (name, id) = try await background.perform { context in
        let person = try Fixtures.person(context, "Ada")
        try context.save()
        return (context.name, person.objectID)
      }
      try expect(name == "back" && !id.isTemporaryID, "an answer")
      let text = try Self.wait(background) { try Fixtures.text($0.existingObject(with: id)) }
      try expect(text == "Ada", "the answer of a closure that is waited for")
      do {
        try await background.perform { _ -> Void in throw Refusal() }
        try expect(false, "the error must come out")
      } catch is Refusal {}
      do {
        try Self.wait(background) { _ -> Void in throw Refusal() }
        try expect(false, "the error must come out of one that is waited for")
      } catch is Refusal {}
      let left = try await background.perform { try $0.count(for: FetchRequest("Person")) }
      try expect(left == 1, "it goes on after errors")
    },
    ContextCheck("closures nest: in the same context, and there through another one (performAndWait)") {
      factory in
      let scenario = try await ContextScenario(factory)
      let a = BackgroundContext(scenario.coordinator, name: "a")
      let b = BackgroundContext(scenario.coordinator, name: "b")
      try Self.nest(a, b)
      try await a.perform { _ in try Self.nest(a, b) }
      try await b.perform { _ in try Self.nest(a, b) }
      let child = BackgroundContext(parent: a, name: "child")
      try await child.perform { _ in try Self.nest(a, child) }
    },
    ContextCheck("closures of one background context come in the order they were given (perform)") {
      factory in
      let scenario = try await ContextScenario(factory)
      for attempt in 0..<3 {
        let order = try await Self.order(BackgroundContext(scenario.coordinator, name: "fifo"))
        if order == Array(0..<8) { return }
        // Whether the tasks came to give their closures in this order is the system's affair, but
        // seldom.
        if attempt == 2 { try expect(false, "three times out of order, at last \(order)") }
      }
    },
    ContextCheck("closures of one background context never run at the same time (perform)") { factory in
      let scenario = try await ContextScenario(factory)
      let background = BackgroundContext(scenario.coordinator, name: "back")
      let gauge = Gauge()
      let id = try await background.perform { context in
        let person = try Fixtures.person(context, "Ada", age: 0)
        try context.save()
        return person.objectID
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<40 {
          group.addTask {
            let body: @Sendable (ManagedObjectContext) throws -> Void = { context in
              gauge.enter()
              let person = try context.existingObject(with: id)
              try person.set("age", (Fixtures.number(person) ?? 0) + 1)
              try context.save()
              gauge.leave()
            }
            if number % 2 == 0 { try await background.perform(body) } else { try Self.wait(background, body) }
          }
        }
        try await group.waitForAll()
      }
      try expect(gauge.isAlone, "one at a time")
      let age = try await background.perform { try Fixtures.number($0.existingObject(with: id)) }
      try expect(age == 40, "no change was lost, got \(age ?? -1)")
    },
    ContextCheck("a background context that merges by itself does so at once, whether it is used or not") {
      factory in
      let scenario = try await ContextScenario(factory)
      let a = BackgroundContext(scenario.coordinator, name: "a")
      let b = BackgroundContext(scenario.coordinator, name: "b")
      let id = try await a.perform { context in
        context.automaticallyMergesChangesFromParent = true
        let person = try Fixtures.person(context, "Ada")
        try context.save()
        // A changed object is held by its context.
        try person.set("motto", "unsaved")
        return person.objectID
      }
      let told = try await a.perform { $0.didChangeObjects() }
      try await b.perform { context in
        try context.existingObject(with: id).set("name", "Grace")
        try context.save()
      }
      let changes = try await Fixtures.first(1, of: told)
      try expect(changes[0].refreshed == [id] || changes[0].updated == [id], "the object that b saved")
      let texts = try await a.perform { context in
        let person = context.registeredObject(for: id)
        return try [
          person.flatMap { try Fixtures.text($0) }, person.flatMap { try Fixtures.text($0, "motto") },
        ]
      }
      try expect(texts == ["Grace", "unsaved"], "under what a changed, got \(texts)")
    },
    ContextCheck("a snapshot of an object passes between isolations, and stays as it was taken") { factory in
      let scenario = try await ContextScenario(factory)
      let background = BackgroundContext(scenario.coordinator, name: "back")
      let (snapshot, id) = try await background.perform { context in
        let firm = try Fixtures.company(context, "Firm")
        let person = try Fixtures.person(context, "Ada", age: 36)
        try person.setObject(firm, forKey: "employer")
        try context.save()
        let snapshot = try person.snapshot()
        try person.set("name", "Grace")
        try context.save()
        return (snapshot, firm.objectID)
      }
      let texts = try await Task.detached {
        try [snapshot.get("name", as: String.self), snapshot.get("motto", as: String.self)]
      }.value
      try expect(texts == ["Ada", nil], "its values then")
      try expect(snapshot.get("age", as: Int.self) == 36, "as Swift values")
      try expect(snapshot.value(forKey: "employer") == .reference(id.reference), "and to-ones")
      try expectContextError(.unknownKey, "no such property") { _ = try snapshot.value(forKey: "nothing") }
      let fresh = scenario.newContext()
      let person = try fresh.existingObject(with: snapshot.objectID)
      try expect(Fixtures.text(person) == "Grace", "by its ID, the object itself")
    },
    ContextCheck("a background child saves into its parent, which saves into the store") { factory in
      let scenario = try await ContextScenario(factory)
      let parent = BackgroundContext(scenario.coordinator, name: "parent")
      let child = BackgroundContext(parent: parent, name: "child")
      try await child.perform { context in
        _ = try Fixtures.person(context, "Ada")
        try context.save()
      }
      let waiting = try await parent.perform { $0.insertedObjects.count }
      try expect(waiting == 1, "in the parent")
      try expect(scenario.newContext().count(for: FetchRequest("Person")) == 0, "not in the store")
      try await parent.perform { try $0.save() }
      try expect(scenario.newContext().count(for: FetchRequest("Person")) == 1, "in the store")
    },
    ContextCheck("a container has a context for the main actor, and makes background ones (viewContext)") {
      _ in
      let container = PersistentContainer(
        name: "ContextScenario", managedObjectModel: try ContextScenario.model(),
        persistentStoreDescription: PersistentStoreDescription(type: InMemoryStore.storeType))
      try await container.loadPersistentStores()
      let told = try await MainActor.run { () throws -> AsyncStream<ContextChanges> in
        let context = container.viewContext
        try expect(context === container.viewContext, "the same each time")
        context.automaticallyMergesChangesFromParent = true
        _ = try Fixtures.company(context, "Firm")
        try context.save()
        // A changed object is held by its context.
        try context.fetch(FetchRequest("Company"))[0].set("name", "unsaved")
        context.processPendingChanges()
        return context.didChangeObjects()
      }
      try await container.newBackgroundContext().perform { context in
        let firm = try context.fetch(FetchRequest("Company"))[0]
        try firm.add(try Fixtures.person(context, "Ada"), to: "employees")
        try context.save()
      }
      _ = try await Fixtures.first(1, of: told)
      let names = try await MainActor.run {
        try container.viewContext.updatedObjects.flatMap { try Fixtures.names($0.objects("employees")) }
      }
      try expect(names == ["Ada"], "taken in at once, got \(names)")
      try container.close()
    },
  ]

  /// Waits for a closure; not from a task's own code, where waiting is frowned upon.
  private static func wait<R: Sendable>(
    _ background: BackgroundContext, _ body: (ManagedObjectContext) throws -> R
  ) rethrows -> R {
    try background.performAndWait(body)
  }

  /// a in b in a in a.
  private static func nest(_ a: BackgroundContext, _ b: BackgroundContext) throws {
    try a.performAndWait { outer in
      let person = try Fixtures.person(outer, "outer")
      try b.performAndWait { middle in
        try expect(middle !== outer, "another context")
        try a.performAndWait { inner in
          try expect(inner === outer && person.isInserted, "the same context, as it was left")
          try a.performAndWait { innermost in
            try expect(innermost === outer, "once more")
            try person.set("name", "innermost")
          }
        }
        try expect(middle.insertedObjects.isEmpty, "nothing is mixed up")
      }
      try expect(Fixtures.text(person) == "innermost", "what the inner one did")
      outer.rollback()
    }
  }

  /// In which order eight closures ran that were given one after another while another one held the
  /// context.
  private static func order(_ background: BackgroundContext) async throws -> [Int] {
    let (ran, begun) = (Order(), Order())
    let gate = DispatchSemaphore(value: 0)
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        try await background.perform { _ in
          begun.note(-1)
          _ = gate.wait(timeout: .now() + 30)
        }
      }
      for number in 0..<8 {
        while begun.all.count <= number { try await Task.sleep(for: .milliseconds(1)) }
        // The one before has had time to give its closure.
        try await Task.sleep(for: .milliseconds(20))
        group.addTask {
          begun.note(number)
          try await background.perform { _ in ran.note(number) }
        }
      }
      while begun.all.count <= 8 { try await Task.sleep(for: .milliseconds(1)) }
      try await Task.sleep(for: .milliseconds(20))
      gate.signal()
      try await group.waitForAll()
      return ran.all
    }
  }

  /// How many are at it at the same time.
  private final class Gauge: Sendable {
    private let running = Fixtures.Count()
    private let crowds = Fixtures.Count()

    func enter() { if running.add() > 1 { crowds.add() } }
    func leave() { running.add(-1) }
    /// Whether there never was more than one.
    var isAlone: Bool { crowds.value == 0 }
  }

  /// Numbers in the order they came.
  private final class Order: Sendable {
    private let numbers = Locked<[Int]>([])
    func note(_ number: Int) { numbers.withLock { $0.append(number) } }
    var all: [Int] { numbers.withLock { $0 } }
  }
}
