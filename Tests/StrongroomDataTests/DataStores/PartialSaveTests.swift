import Foundation
import ObjectContext
import StrongroomData
import Testing

@Suite("A save of which one store fails when others have saved")
struct PartialSaveTests {
  private let first = Rogue("a")
  private let second = Rogue("b")
  private let container: ModelContainer

  init() throws {
    container = try ModelContainer(
      for: Schema([Quay.self, Barge.self, Buoy.self, Lamp.self]),
      configurations: [
        ModelConfiguration("mem \(UUID())", schema: Schema([Lamp.self]), isStoredInMemoryOnly: true),
        RogueConfiguration(first, Quay.self, Barge.self), RogueConfiguration(second, Buoy.self),
      ])
  }

  @Model final class Lamp {
    var name: String
    init(name: String) { self.name = name }
  }

  private func savePart(_ context: ModelContext, failing rogue: Rogue) throws -> ContextError {
    rogue.refuses = true
    defer { rogue.refuses = false }
    let error = try #require(throws: ContextError.self) { try context.save() }
    #expect(error.code == .partiallySaved)
    return error
  }

  private func names<T: PersistentModel>(_ name: KeyPath<T, String>) throws -> [String] {
    try ModelContext(container).fetch(FetchDescriptor<T>()).map { $0[keyPath: name] }.sorted()
  }

  /// A context whose lamp was changed elsewhere since it was read.
  private func conflicted() throws -> (ModelContext, Lamp) {
    let (context, other) = (ModelContext(container), ModelContext(container))
    let lamp = Lamp(name: "red")
    context.insert(lamp)
    try context.save()
    try #require(try other.fetch(FetchDescriptor<Lamp>()).first).name = "blue"
    try other.save()
    lamp.name = "green"
    return (context, lamp)
  }

  @Test("after a merge: what was saved is saved, is stored once, and can be deleted")
  func merged() throws {
    let (context, lamp) = try conflicted()
    let (new, barge) = (Lamp(name: "new"), Barge(name: "Anna"))
    context.insert(new)
    context.insert(barge)
    _ = try savePart(context, failing: first)
    #expect(context.insertedModelsArray.map { $0 as? Barge } == [barge] && context.changedModelsArray.isEmpty)
    #expect(try names(\Lamp.name) == ["green", "new"])
    context.delete(new)
    try context.save()
    #expect(try names(\Lamp.name) == ["green"])
    #expect(try names(\Barge.name) == ["Anna"])
    #expect(lamp.name == "green" && !context.hasChanges)
  }

  @Test("after a merge of programs' own stores: nothing is stored twice")
  func mergedOwn() throws {
    for round in 0..<2 {
      let (context, other) = (ModelContext(container), ModelContext(container))
      let (barge, buoy) = (Barge(name: "old \(round)"), Buoy(name: "old \(round)"))
      context.insert(barge)
      context.insert(buoy)
      try context.save()
      (other.model(for: barge.persistentModelID) as? Barge)?.name = "other \(round)"
      (other.model(for: buoy.persistentModelID) as? Buoy)?.name = "other \(round)"
      try other.save()
      (barge.name, buoy.name) = ("own \(round)", "own \(round)")
      context.insert(Barge(name: "new \(round)"))
      context.insert(Buoy(name: "new \(round)"))
      let failing = round == 0 ? first : second
      failing.refuses = true
      // Which one saves first follows from their identifiers: the failing one may be the first.
      for _ in 0..<2 { #expect(throws: (any Error).self) { try context.save() } }
      failing.refuses = false
      try context.save()
      let all = (0...round).flatMap { ["new \($0)", "own \($0)"] }.sorted()
      #expect(try names(\Barge.name) == all && names(\Buoy.name) == all)
      #expect(first.rows.count == all.count && second.rows.count == all.count && !context.hasChanges)
    }
  }

  @Test("of a model that was changed and then deleted: it is in no list any more")
  func changedAndDeleted() throws {
    let context = ModelContext(container)
    let lamp = Lamp(name: "red")
    context.insert(lamp)
    try context.save()
    lamp.name = "blue"
    context.delete(lamp)
    context.insert(Barge(name: "Anna"))
    _ = try savePart(context, failing: first)
    context.processPendingChanges()
    #expect(context.changedModelsArray.isEmpty && context.deletedModelsArray.isEmpty)
    try context.save()
    #expect(try names(\Lamp.name).isEmpty && names(\Barge.name) == ["Anna"] && !context.hasChanges)
  }

  @Test("shows what a store has set in the models that it saved")
  func reregistered() throws {
    let context = ModelContext(container)
    let (barge, buoy) = (Barge(name: "Anna"), Buoy(name: "red"))
    context.insert(barge)
    context.insert(buoy)
    for rogue in [first, second] {
      rogue.reregisters = { rows in
        rogue.rows = try rows.mapValues { row in
          let text = String(decoding: try JSONEncoder().encode(row), as: UTF8.self)
          let set = text.replacingOccurrences(of: "Anna", with: "Berta").replacingOccurrences(
            of: "\"red\"", with: "\"blue\"")
          return try JSONDecoder().decode(DefaultSnapshot.self, from: Data(set.utf8))
        }
        return rogue.rows
      }
    }
    let failing = try failingLast(context)
    #expect((barge.name, buoy.name) == (failing === first ? ("Anna", "blue") : ("Berta", "red")))
    try context.save()
    #expect((barge.name, buoy.name) == ("Berta", "blue"))
  }

  /// Saves a part of the programs' own stores, and says which one has failed.
  private func failingLast(_ context: ModelContext) throws -> Rogue {
    second.refuses = true
    defer { (first.refuses, second.refuses) = (false, false) }
    do { try context.save() } catch let error as ContextError where error.code == .partiallySaved {
      return second
    } catch is Rogue.Refusal {}
    second.refuses = false
    _ = try savePart(context, failing: first)
    return first
  }

  @Test("is posted, with what was saved alone, and with the histories of the stores that have saved")
  func posted() async throws {
    let context = ModelContext(container)
    var posted = NotificationCenter.default.notifications(named: ModelContext.didSave, object: context)
      .makeAsyncIterator()
    var saves = context.didSaveModels().makeAsyncIterator()
    let (lamp, barge, buoy) = (Lamp(name: "red"), Barge(name: "Anna"), Buoy(name: "blue"))
    context.insert(lamp)
    context.insert(barge)
    context.insert(buoy)
    (first.token, second.token) = (LedgerToken(tokenValue: 1), LedgerToken(tokenValue: 2))
    (first.refuses, second.refuses) = (true, true)
    _ = try savePart(context, failing: first)
    (first.refuses, second.refuses) = (false, false)
    try context.save()
    let parts = [[lamp.persistentModelID], [barge.persistentModelID, buoy.persistentModelID]]
    // One of the encrypted store, then one of each own one.
    for (part, tokens) in zip(parts, [[nil], [1, 2]]) {
      let info = try #require(await posted.next()).userInfo
      let ids = info?[ModelContext.NotificationKey.insertedIdentifiers] as? [PersistentIdentifier]
      #expect(ids == part)
      let places = info?[ModelContext.NotificationKey.historyTokens] as? [any HistoryToken] ?? []
      let own = places.map { ($0 as? LedgerToken)?.tokenValue }
      #expect(Set(own) == Set(tokens) && own.count == tokens.count)
      #expect(try await saves.next()?.insertedIdentifiers == part)
    }
  }
}
