import Foundation
import MinimalStore
import ObjectContext
import ObjectModel
import ObjectQuery
import StoreContract
import StoreTestKit
import Testing

/// Contexts that work in between each other's reads and saves, in an order that the seed decides.
@Suite("Contexts that save in between each other's reads and saves")
struct InterleavingTests {
  /// The first twelve, or those of `STRONGROOM_INTERLEAVINGS=FIRST-LAST`.
  private static let seeds: ClosedRange<UInt64> = {
    let wanted = ProcessInfo.processInfo.environment["STRONGROOM_INTERLEAVINGS"] ?? "0-11"
    let ends = wanted.split(separator: "-").compactMap { UInt64($0) }
    return (ends.first ?? 0)...(ends.last ?? 11)
  }()

  @Test("leave both ends of every link in the store", arguments: seeds)
  func bothEnds(seed: UInt64) async throws {
    let factory = ForgetfulFactory {
      MinimalStore(model: $0, description: PersistentStoreDescription(type: "Minimal"))
    }
    let scenario = try await ContextScenario(factory)
    try Crowd(scenario, seed: seed).work(rounds: 120)
  }
}

/// Contexts of one store, of which one works while another one waits for the store.
private final class Crowd: @unchecked Sendable {
  // @unchecked: everything is done on the thread of the test.
  private static let entities = [
    "Person", "Person", "Person", "Desk", "Task", "Tag", "Company", "Address", "Node",
  ]

  private let scenario: ContextScenario
  private let store: MinimalStore
  private var contexts: [ManagedObjectContext] = []
  private var dice: Fixtures.Dice
  private var busy: Set<Int> = []
  private var isChecking = false
  private var saves = 0
  private var failure: (any Error)?

  init(_ scenario: ContextScenario, seed: UInt64) throws {
    self.scenario = scenario
    store = try #require(scenario.store as? MinimalStore)
    dice = Fixtures.Dice(seed: seed)
    let policies: [MergePolicy] = [
      .mergeByPropertyObjectTrump, .overwrite, .mergeByPropertyStoreTrump, .rollback, .error,
    ]
    for number in 0..<5 {
      // The last one saves into the first.
      let context = number == 4 ? ManagedObjectContext(parent: contexts[0]) : scenario.newContext()
      context.mergePolicy = policies[dice.chance(2) ? 0 : dice.below(policies.count)]
      context.automaticallyMergesChangesFromParent = dice.chance(2)
      if dice.chance(3) { context.undoManager = UndoManager() }
      contexts.append(context)
    }
    let maker = scenario.newContext()
    for number in 0..<24 { try insert(Self.entities[number % Self.entities.count], in: maker, number, &dice) }
    try maker.save()
  }

  func work(rounds: Int) throws {
    store.interruption.withLock { $0 = .init { [unowned self] in interrupt() } }
    defer { store.interruption.withLock { $0 = nil } }
    for round in 0..<rounds {
      let before = saves
      try work(dice.below(contexts.count), round)
      if let failure { throw failure }
      if saves > before { try check(round) }
    }
  }

  private func interrupt() {
    guard !isChecking, busy.count < 4, dice.chance(8) else { return }
    do { try work(dice.below(contexts.count), 1000) } catch { failure = error }
  }

  /// A few changes in one context, unless it is waiting itself, and most often their save.
  private func work(_ number: Int, _ round: Int) throws {
    // A child reads through its parent.
    if number == 4 && busy.contains(0) || number == 0 && busy.contains(4) { return }
    guard busy.insert(number).inserted else { return }
    defer { busy.remove(number) }
    let context = contexts[number]
    var own = Fixtures.Dice(seed: UInt64(dice.below(1_000_000_000)))
    do {
      for _ in 0...own.below(3) { try change(context, round, &own) }
      if own.chance(6) { try context.undo() }
      if own.chance(2) {
        try context.save()
        saves += 1
      }
    } catch let error as ContextError
      where [.conflict, .objectNotFound, .noContext, .objectOfAnotherContext, .validation].contains(
        error.code)
    {
      context.rollback()
    }
  }

  private func insert(
    _ entity: String, in context: ManagedObjectContext, _ number: Int, _ dice: inout Fixtures.Dice
  ) throws {
    switch entity {
    case "Person": _ = try Fixtures.person(context, "person \(number)")
    case "Company": _ = try Fixtures.company(context, "firm \(number)")
    case "Task":
      let people = try context.fetch(FetchRequest("Person"))
      guard let owner = dice.element(people) else { return }
      try Fixtures.task("task \(number)", of: owner, in: context)
    default: _ = try context.insert(entity)
    }
  }

  private func change(_ context: ManagedObjectContext, _ round: Int, _ dice: inout Fixtures.Dice) throws {
    let entity = Self.entities[dice.below(Self.entities.count)]
    let objects = try context.fetch(FetchRequest(entity))
    guard objects.count > 2, let object = dice.element(objects) else {
      return try insert(entity, in: context, round, &dice)
    }
    switch dice.below(12) {
    case 0: try insert(entity, in: context, round, &dice)
    case 1 where objects.count > 3: try context.delete(object)
    case 2, 3: if entity == "Person" { try object.set("age", dice.below(100)) }
    case 4: try context.refresh(object, mergeChanges: dice.chance(2))
    default:
      guard let relationship = dice.element(object.entity.relationships) else { return }
      try relink(object, relationship, in: context, &dice)
    }
  }

  private func relink(
    _ object: ManagedObject, _ relationship: RelationshipDescription, in context: ManagedObjectContext,
    _ dice: inout Fixtures.Dice
  ) throws {
    let ends = try context.fetch(FetchRequest(relationship.destination.name))
    guard let end = dice.element(ends) else { return }
    if !relationship.isToMany {
      try object.setObject(dice.chance(5) ? nil : end, forKey: relationship.name)
    } else if dice.chance(3), let own = dice.element(Array(try object.objects(relationship.name))) {
      try object.remove(own, from: relationship.name)
    } else {
      try object.add(end, to: relationship.name)
    }
  }

  private func check(_ round: Int) throws {
    isChecking = true
    defer { isChecking = false }
    let fresh = scenario.newContext()
    let all = try Set(Self.entities).sorted().flatMap { try fresh.fetchObjectIDs(FetchRequest($0)) }
    try ToOneConflict.agree(fresh, all, "after round \(round)")
  }
}
