import Foundation
import ObjectContext
import StoreContract
import StrongroomData
import Testing

@Model final class Quay {
  var name: String
  @Relationship(inverse: \Barge.quay) var ships: [Barge] = []
  init(name: String) { self.name = name }
}

@Model final class Barge {
  var name: String
  var quay: Quay?
  init(name: String) { self.name = name }
}

@Model final class Buoy {
  var name: String
  init(name: String) { self.name = name }
}

@Suite("A store of a program that misbehaves")
struct RogueStoreTests {
  private func names(_ context: ModelContext) throws -> [String] {
    try context.fetch(FetchDescriptor<Buoy>()).map(\.name).sorted()
  }

  /// Ships in one store and buoys in another.
  private func pair(_ ships: any DataStoreConfiguration, _ buoys: any DataStoreConfiguration) throws
    -> ModelContext
  {
    ModelContext(
      try ModelContainer(for: Schema([Quay.self, Barge.self, Buoy.self]), configurations: [ships, buoys]))
  }

  private func encrypted(_ types: any PersistentModel.Type...) -> ModelConfiguration {
    ModelConfiguration("mem \(UUID())", schema: Schema(types), isStoredInMemoryOnly: true)
  }

  // MARK: Saves of several stores

  @Test("that refuses while another one has saved: nothing is saved twice, and the rest is saved again")
  func partialSave() throws {
    for round in 0..<4 {
      let (first, second) = (Rogue("a \(round)"), Rogue("b \(round)"))
      let context = try pair(
        RogueConfiguration(first, Quay.self, Barge.self), RogueConfiguration(second, Buoy.self))
      let (ship, buoy) = (Barge(name: "Anna"), Buoy(name: "red"))
      context.insert(ship)
      context.insert(buoy)
      (first.refuses, second.refuses) = (round % 2 == 0, round % 2 == 1)
      var isPartial = false
      for _ in 0..<3 {
        do { try context.save() } catch let error as ContextError {
          #expect(error.code == .partiallySaved && error.savedStores.count == 1)
          isPartial = true
        } catch is Rogue.Refusal {}
      }
      let saved = isPartial ? (round % 2 == 0 ? second : first) : nil
      #expect(saved?.rows.count ?? 1 == 1)
      (first.refuses, second.refuses) = (false, false)
      try context.save()
      #expect(!context.hasChanges)
      #expect(first.rows.count == 1 && second.rows.count == 1)
      #expect(try names(context) == ["red"])
      ship.name = "Berta"
      context.delete(buoy)
      try context.save()
      #expect(first.rows.count == 1 && second.rows.isEmpty)
    }
  }

  @Test("is saved after encrypted stores, whatever their identifiers are")
  func order() throws {
    for _ in 0..<6 {
      let rogue = Rogue(UUID().uuidString)
      let context = try pair(encrypted(Quay.self, Barge.self), RogueConfiguration(rogue, Buoy.self))
      let (ship, buoy) = (Barge(name: "Anna"), Buoy(name: "red"))
      context.insert(ship)
      context.insert(buoy)
      rogue.refuses = true
      let error = #expect(throws: ContextError.self) { try context.save() }
      #expect(error?.code == .partiallySaved)
      #expect(!ship.hasChanges && ship.persistentModelID.storeIdentifier != nil, "the ship is saved")
      let container = context.container
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Barge>()) == 1)
      // What was saved is an ordinary model from then on.
      context.delete(ship)
      rogue.refuses = false
      try context.save()
      #expect(try ModelContext(container).fetchCount(FetchDescriptor<Barge>()) == 0)
      #expect(rogue.rows.count == 1)
    }
  }

  @Test("uses the encrypted stores of the container while it saves")
  func otherStores() throws {
    let rogue = Rogue("log")
    let context = try pair(encrypted(Quay.self, Barge.self), RogueConfiguration(rogue, Buoy.self))
    let container = context.container
    context.insert(Barge(name: "Anna"))
    context.insert(Buoy(name: "red"))
    var found = -1
    rogue.didStore = {
      let other = ModelContext(container)
      found = try other.fetchCount(FetchDescriptor<Barge>())
      other.insert(Barge(name: "Berta"))
      try other.save()
    }
    try context.save()
    #expect(found == 1, "it is saved before")
    #expect(try context.fetchCount(FetchDescriptor<Barge>()) == 2)
  }

  @Test("changes the context that is saved, and nothing of that is lost")
  func reentrance() throws {
    let rogue = Rogue("notes")
    let context = ModelContext(
      try ModelContainer(for: Schema([Buoy.self]), configurations: [RogueConfiguration(rogue)]))
    let old = Buoy(name: "old")
    context.insert(old)
    try context.save()
    context.insert(Buoy(name: "new"))
    var refusal: (any Error)?
    rogue.didStore = {
      context.insert(Buoy(name: "late"))
      context.delete(old)
      do { try context.save() } catch { refusal = error }
    }
    try context.save()
    #expect(refusal != nil, "a context that is being saved is not saved again")
    #expect(context.hasChanges)
    rogue.didStore = {}
    try context.save()
    #expect(rogue.rows.count == 2)
    #expect(try names(context) == ["late", "new"])
  }

  @Test("fetches what it has just written: the fetch throws, and the save is whole")
  func fetchInSave() throws {
    let rogue = Rogue("notes")
    let container = try ModelContainer(for: Schema([Buoy.self]), configurations: [RogueConfiguration(rogue)])
    let context = ModelContext(container)
    context.insert(Buoy(name: "red"))
    var refusal: (any Error)?
    rogue.didStore = {
      do { _ = try ModelContext(container).fetch(FetchDescriptor<Buoy>()) } catch { refusal = error }
    }
    try context.save()
    #expect((refusal as? StoreError)?.code == .unsupportedRequest)
    rogue.didStore = {}
    try context.save()
    #expect(try names(context) == ["red"] && rogue.rows.count == 1)
  }

  // MARK: Identifiers

  @Test("gives wrong identifiers: none of the save's models is renamed")
  func wrongNames() throws {
    let rogue = Rogue("notes")
    let container = try ModelContainer(for: Schema([Buoy.self]), configurations: [RogueConfiguration(rogue)])
    for kind in 0..<3 {
      let context = ModelContext(container)
      let buoys = (0..<4).map { Buoy(name: "b\($0)") }
      for buoy in buoys { context.insert(buoy) }
      rogue.renames = { names in
        var names = names
        let known = names.keys.sorted { "\($0)" < "\($1)" }
        names[known[3]] =
          switch kind {
          case 0: nil
          case 1: names[known[0]]
          default: try .identifier(for: "notes", entityName: "Barge", primaryKey: "x")
          }
        return names
      }
      #expect(throws: StoreError.self) { try context.save() }
      #expect(buoys.allSatisfy { $0.persistentModelID.storeIdentifier == nil }, "kind \(kind)")
      rogue.rows = [:]
      rogue.renames = { $0 }
      try context.save()
      for buoy in buoys { buoy.name += "!" }
      try context.save()
      #expect(rogue.rows.count == 4)
      #expect(try names(ModelContext(container)) == ["b0!", "b1!", "b2!", "b3!"])
      rogue.rows = [:]
    }
  }

  private struct Number: Codable, Comparable, Hashable, CustomStringConvertible {
    let value: Int
    init(_ value: Int) { self.value = value }
    init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Int.self) }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(value)
    }
    static func < (left: Self, right: Self) -> Bool { left.value < right.value }
    var description: String { "\(value)" }
  }

  @Test("has a number as key: the same one whatever its type is, also when it is read again")
  func numbers() throws {
    for store in [UUID().uuidString, "notes"] {
      let all: [PersistentIdentifier] = [
        try .identifier(for: store, entityName: "Buoy", primaryKey: 5),
        try .identifier(for: store, entityName: "Buoy", primaryKey: Int8(5)),
        try .identifier(for: store, entityName: "Buoy", primaryKey: 5.0),
        try .identifier(for: store, entityName: "Buoy", primaryKey: Number(5)),
      ]
      let read = try JSONDecoder().decode([PersistentIdentifier].self, from: JSONEncoder().encode(all))
      #expect(Set(all + read).count == 1, "\(store)")
      #expect(try .identifier(for: store, entityName: "Buoy", primaryKey: "5") != all[0])
    }
  }

  @Test("gives a key again after its model was deleted")
  func keysAgain() throws {
    let rogue = Rogue("notes")
    rogue.key = { _ in "natural" }
    let container = try ModelContainer(for: Schema([Buoy.self]), configurations: [RogueConfiguration(rogue)])
    let context = ModelContext(container)
    for name in ["a", "b", "c"] {
      let buoy = Buoy(name: name)
      context.insert(buoy)
      try context.save()
      #expect(try names(ModelContext(container)) == [name])
      context.delete(buoy)
      if name == "b" { continue }
      try context.save()
    }
  }

  @Test("has a deleted model again by undo, though its identifier was asked for meanwhile")
  func storedAgain() throws {
    let rogue = Rogue("notes")
    let container = try ModelContainer(
      for: Schema([Buoy.self]), configurations: [RogueConfiguration(rogue)])
    let context = ModelContext(container)
    context.undoManager = UndoManager()
    let buoy = Buoy(name: "red")
    context.insert(buoy)
    try context.save()
    let identifier = buoy.persistentModelID
    context.delete(buoy)
    try context.save()
    let other = ModelContext(container)
    #expect(other.registeredModel(for: identifier) as Buoy? == nil)
    #expect(
      try other.fetch(FetchDescriptor<Buoy>(predicate: #Predicate { $0.persistentModelID == identifier }))
        .isEmpty)
    context.undoManager?.undo()
    try context.save()
    #expect(rogue.rows.count == 1)
    #expect(try names(ModelContext(container)) == ["red"])
    context.undoManager?.undo()
    try context.save()
    #expect(rogue.rows.isEmpty)
  }

  @Test("has the identifier of another store: the container does not open")
  func oneIdentifier() throws {
    let identifier = UUID().uuidString
    #expect(throws: (any Error).self) {
      try pair(
        RogueConfiguration(Rogue(identifier), Quay.self, Barge.self),
        RogueConfiguration(Rogue(identifier.lowercased()), Buoy.self))
    }
  }

  // MARK: Snapshots

  @Test("leads to a model of another class: the fetch throws, and says by which property")
  func wrongEnd() throws {
    let rogue = Rogue("harbour")
    let schema = Schema([Quay.self, Barge.self])
    let container = try ModelContainer(for: schema, configurations: [RogueConfiguration(rogue)])
    let context = ModelContext(container)
    let ship = Barge(name: "Anna")
    ship.quay = Quay(name: "1")
    context.insert(ship)
    try context.save()
    rogue.finds = { found in
      found.map { snapshot in
        guard let own = found.first(where: { $0.persistentIdentifier.entityName == "Barge" }) else {
          return snapshot
        }
        let map = Dictionary(
          uniqueKeysWithValues: found.map { ($0.persistentIdentifier, own.persistentIdentifier) })
        return snapshot.copy(persistentIdentifier: snapshot.persistentIdentifier, remappedIdentifiers: map)
      }
    }
    let error = #expect(throws: StoreError.self) {
      try ModelContext(ModelContainer(for: schema, configurations: [RogueConfiguration(rogue)])).fetch(
        FetchDescriptor<Barge>())
    }
    #expect(error?.code == .invalidValue && error?.message.contains("quay") == true)
  }

  @Test("finds a model twice, or more than were asked for: each is there once, and no more")
  func doubled() throws {
    let rogue = Rogue("notes")
    let container = try ModelContainer(for: Schema([Buoy.self]), configurations: [RogueConfiguration(rogue)])
    let context = ModelContext(container)
    for name in ["a", "b", "c"] { context.insert(Buoy(name: name)) }
    try context.save()
    rogue.finds = { $0 + $0 }
    #expect(try names(ModelContext(container)) == ["a", "b", "c"])
    rogue.finds = { $0 }
    var two = FetchDescriptor<Buoy>()
    two.fetchLimit = 2
    let other = ModelContext(container)
    #expect(try other.fetch(two).count == 2 && other.fetchCount(two) == 2)
    #expect(try other.fetchIdentifiers(two).count == 2)
  }

  @Test("has no history beside a store that has: that one is asked")
  func histories() throws {
    let rogue = Rogue("notes")
    let context = try pair(encrypted(Quay.self, Barge.self), RogueConfiguration(rogue, Buoy.self))
    context.insert(Barge(name: "Anna"))
    try context.save()
    #expect(try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>()).count == 1)
  }

  @Test("cannot be read once: the context says so until the program has seen it")
  func readFailure() throws {
    let rogue = Rogue("notes")
    let container = try ModelContainer(for: Schema([Buoy.self]), configurations: [RogueConfiguration(rogue)])
    let context = ModelContext(container)
    context.insert(Buoy(name: "red"))
    try context.save()
    let id = try #require(rogue.rows.keys.first)
    let other = ModelContext(
      try ModelContainer(for: Schema([Buoy.self]), configurations: [RogueConfiguration(rogue)]))
    let buoy = try #require(other.model(for: id) as? Buoy)
    rogue.refusesReads = true
    #expect(buoy.name.isEmpty)
    rogue.refusesReads = false
    #expect(other.readFailure is Rogue.Refusal && buoy.name == "red")
    buoy.name += "!"
    #expect(throws: Rogue.Refusal.self) { try other.save() }
    other.clearReadFailure()
    try other.save()
    #expect(try names(context) == ["red!"])
  }
}
