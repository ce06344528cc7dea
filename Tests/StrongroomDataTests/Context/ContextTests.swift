import Foundation
import Locks
import StrongroomData
import Testing

@Suite("A context's work", .everyStoreKind)
struct ContextTests {
  private func open() throws -> (Place, ModelContainer, ModelContext) {
    let place = try Place()
    let container = try place.container(for: Team.self, Dog.self, Keeper.self)
    return (place, container, ModelContext(container))
  }

  private func fill(_ context: ModelContext, teams: Int = 2, players: Int = 3) throws {
    for number in 0..<teams {
      let team = Team(name: "Team \(number)")
      team.players = (0..<players).map { Player(name: "Player \(number).\($0)") }
      context.insert(team)
    }
    try context.save()
  }

  @Test("Deleting follows the rules: a cascade, and what forgets")
  func deleting() throws {
    let (place, container, context) = try open()
    defer { withExtendedLifetime(place) {} }
    try fill(context)
    let sponsor = Sponsor(name: "Acme")
    let teams = try context.fetch(FetchDescriptor<Team>(sortBy: [SortDescriptor(\.name)]))
    sponsor.teams = teams
    try context.save()
    context.delete(teams[0])
    #expect(teams[0].isDeleted && context.deletedModelsArray.count == 4)
    #expect(sponsor.teams == [teams[1]])
    try context.save()
    let other = ModelContext(container)
    #expect(try other.fetchCount(FetchDescriptor<Team>()) == 1)
    #expect(try other.fetchCount(FetchDescriptor<Player>()) == 3)
    #expect(try other.fetch(FetchDescriptor<Sponsor>()).map(\.teams.count) == [1])
  }

  @Test("Deleting by a condition waits for the save", .configuredStores)
  func deletingByCondition() throws {
    let (place, container, context) = try open()
    defer { withExtendedLifetime(place) {} }
    try fill(context)
    try context.delete(model: Player.self, where: #Predicate { $0.name.starts(with: "Player 0") })
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Player>()) == 6)
    #expect(try context.fetchCount(FetchDescriptor<Player>()) == 3)
    context.rollback()
    #expect(try context.fetchCount(FetchDescriptor<Player>()) == 6)
    try context.delete(model: Team.self)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Player>()) == 0)
    try fill(context)
    try container.erase()
    #expect(try context.fetchCount(FetchDescriptor<Team>()) == 0)
  }

  @Test("A unique value that is stored already changes the stored model", .configuredStores)
  func upsert() throws {
    let (place, container, context) = try open()
    defer { withExtendedLifetime(place) {} }
    context.insert(Team(name: "Reds", founded: Date(timeIntervalSinceReferenceDate: 1)))
    try context.save()
    let second = ModelContext(container)
    second.insert(Team(name: "Reds", founded: Date(timeIntervalSinceReferenceDate: 2)))
    try second.save()
    let teams = try ModelContext(container).fetch(FetchDescriptor<Team>())
    #expect(teams.map(\.founded) == [Date(timeIntervalSinceReferenceDate: 2)])
  }

  @Test("The lists of changes, and taking them back")
  func changes() throws {
    let (place, _, context) = try open()
    defer { withExtendedLifetime(place) {} }
    try fill(context, teams: 1)
    let team = try #require(try context.fetch(FetchDescriptor<Team>()).first)
    let player = try #require(team.players.first)
    let new = Player(name: "New")
    context.insert(new)
    player.age = 40
    context.delete(team.players[1])
    #expect(context.insertedModelsArray.first as? Player === new && context.insertedModelsArray.count == 1)
    #expect(context.changedModelsArray.contains { $0 as? Player === player })
    #expect(context.deletedModelsArray.count == 1 && context.hasChanges)
    context.rollback()
    #expect(!context.hasChanges && player.age == 18 && team.players.count == 3 && new.modelContext == nil)
    try context.transaction { player.age = 41 }
    #expect(!context.hasChanges && player.age == 41)
    struct Refusal: Error {}
    #expect(throws: Refusal.self) {
      try context.transaction {
        player.age = 42
        throw Refusal()
      }
    }
    #expect(context.hasChanges)
  }

  @Test("Undo and redo")
  func undo() throws {
    let (place, _, context) = try open()
    defer { withExtendedLifetime(place) {} }
    context.undoManager = UndoManager()
    let team = Team(name: "Reds")
    context.insert(team)
    context.processPendingChanges()
    team.players.append(Player(name: "Ada"))
    context.processPendingChanges()
    context.undoManager?.undo()
    #expect(team.players.isEmpty && team.modelContext === context)
    context.undoManager?.redo()
    #expect(team.players.map(\.name) == ["Ada"])
    context.undoManager?.undo()
    context.undoManager?.undo()
    #expect(team.modelContext == nil && !context.hasChanges)
  }

  @Test("The main context saves by itself, and others do not")
  @MainActor func autosave() async throws {
    let (place, container, context) = try open()
    defer { withExtendedLifetime(place) {} }
    let main = container.mainContext
    #expect(main.autosaveEnabled && !context.autosaveEnabled)
    context.insert(Team(name: "Unsaved"))
    main.insert(Team(name: "Saved"))
    for _ in 0..<8000 where main.hasChanges { try await Task.sleep(for: .milliseconds(5)) }
    #expect(!main.hasChanges && context.hasChanges)
    #expect(try ModelContext(container).fetch(FetchDescriptor<Team>()).map(\.name) == ["Saved"])
    let team = try #require(try main.fetch(FetchDescriptor<Team>()).first)
    team.players.append(Player(name: "Ada"))
    for _ in 0..<8000 where main.hasChanges { try await Task.sleep(for: .milliseconds(5)) }
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Player>()) == 1)
    main.autosaveEnabled = false
    team.name = "Other"
    try await Task.sleep(for: .milliseconds(50))
    #expect(main.hasChanges)
  }

  @Test("The main context saves what undoing does to models that it has saved")
  @MainActor func autosaveOfUndo() async throws {
    let (place, container, _) = try open()
    defer { withExtendedLifetime(place) {} }
    let main = container.mainContext
    main.undoManager = UndoManager()
    func saved() async throws -> [String] {
      for _ in 0..<8000 where main.hasChanges { try await Task.sleep(for: .milliseconds(5)) }
      return try ModelContext(container).fetch(FetchDescriptor<Team>()).map(\.name)
    }
    let team = Team(name: "Reds")
    main.insert(team)
    #expect(try await saved() == ["Reds"])
    main.delete(team)
    #expect(try await saved().isEmpty)
    main.undoManager?.undo()
    #expect(try await saved() == ["Reds"], "a deletion that was saved")
    main.undoManager?.undo()
    #expect(try await saved().isEmpty, "an insertion that was saved")
    main.undoManager?.redo()
    #expect(try await saved() == ["Reds"])
  }

  @Test("Enumerating keeps one batch in memory")
  func enumerating() throws {
    let (place, container, context) = try open()
    defer { withExtendedLifetime(place) {} }
    try fill(context, teams: 1, players: 2500)
    let other = ModelContext(container)
    var (seen, most) = (0, 0)
    try other.enumerate(
      FetchDescriptor<Player>(sortBy: [SortDescriptor(\.name, comparator: .lexical)]), batchSize: 100
    ) { player in
      seen += player.name.isEmpty ? 0 : 1
      most = max(most, other.registeredModelCount)
    }
    #expect(seen == 2500 && most <= 200, "\(most) at once")
    #expect(throws: SwiftDataError.self) {
      try other.enumerate(FetchDescriptor<Player>(), batchSize: 100) { $0.age += 1 }
    }
    other.rollback()
    try other.enumerate(FetchDescriptor<Player>(), batchSize: 100, allowEscapingMutations: true) {
      $0.age += 1
    }
    try other.save()
    #expect(try context.fetchCount(FetchDescriptor<Player>(predicate: #Predicate { $0.age == 19 })) == 2500)
  }

  @Test("Saves come by notification and by stream")
  func news() async throws {
    let (place, container, context) = try open()
    defer { withExtendedLifetime(place) {} }
    context.author = "tests"
    let told = Locked<[String: [PersistentIdentifier]]>([:])
    let token = NotificationCenter.default.addObserver(
      forName: ModelContext.didSave, object: context, queue: nil
    ) { note in
      for key in ModelContext.NotificationKey.allCases {
        if let list = note.userInfo?[key.rawValue] as? [PersistentIdentifier] {
          told.withLock { $0[key.rawValue] = list }
        }
      }
    }
    defer { NotificationCenter.default.removeObserver(token) }
    let saves = container.didSaveModels()
    let team = Team(name: "Reds")
    context.insert(team)
    try context.save()
    #expect(told.withLock { $0["insertedIdentifiers"] } == [team.persistentModelID])
    for await first in saves {
      #expect(first.insertedIdentifiers == [team.persistentModelID] && first.author == "tests")
      break
    }
    team.name = "Blues"
    try context.save()
    #expect(told.withLock { $0["updatedIdentifiers"] } == [team.persistentModelID])
    context.delete(team)
    let identifier = team.persistentModelID
    try context.save()
    #expect(told.withLock { $0["deletedIdentifiers"] } == [identifier])
  }

  @Test("Subclasses are fetched with their superclass, as what they are")
  func inheritance() throws {
    let (place, container, context) = try open()
    defer { withExtendedLifetime(place) {} }
    let keeper = Keeper(name: "Ada")
    let dog = Dog(name: "Rex", breed: "Spitz")
    dog.legs = 3
    dog.keeper = keeper
    #expect(dog.name == "Rex" && dog.breed == "Spitz" && dog.legs == 3 && dog.keeper === keeper)
    context.insert(dog)
    context.insert(Animal(name: "Cat"))
    try context.save()
    let other = ModelContext(container)
    let animals = try other.fetch(FetchDescriptor<Animal>(sortBy: [SortDescriptor(\.name)]))
    #expect(animals.map(\.name) == ["Cat", "Rex"] && animals[1] is Dog && !(animals[0] is Dog))
    #expect((animals[1] as? Dog)?.breed == "Spitz" && animals[1].legs == 3)
    let dogs = try other.fetch(
      FetchDescriptor<Dog>(
        predicate: #Predicate { $0.name == "Rex" && $0.breed == "Spitz" }, sortBy: [SortDescriptor(\.legs)]))
    #expect(dogs.count == 1 && dogs[0] === animals[1])
    #expect(dogs[0].keeper?.animals.first === dogs[0])
    try other.delete(model: Animal.self, includeSubclasses: false)
    try other.save()
    #expect(try context.fetchCount(FetchDescriptor<Animal>()) == 1)
  }

  @Test("Inserting a model that was deleted and not saved takes the deletion back")
  func deletedAndInserted() throws {
    let (place, container, context) = try open()
    defer { withExtendedLifetime(place) {} }
    try fill(context, teams: 1, players: 2)
    let team = try #require(try context.fetch(FetchDescriptor<Team>()).first)
    let player = try #require(team.players.first)
    context.delete(team)
    context.insert(team)
    #expect(player.isDeleted, "a cascade stays")
    #expect(!team.isDeleted && !context.deletedModelsArray.contains { $0 is Team })
    #expect(try context.fetch(FetchDescriptor<Team>()) == [team])
    team.name = "Again"
    context.insert(player)
    player.team = team
    try context.save()
    let other = ModelContext(container)
    #expect(try other.fetch(FetchDescriptor<Team>()).map(\.name) == ["Again"])
    #expect(try other.fetch(FetchDescriptor<Team>()).first?.players.map(\.name) == [player.name])
    #expect(team.persistentModelID == (try other.fetch(FetchDescriptor<Team>()).first?.persistentModelID))
    context.delete(team)
    try context.save()
    #expect(try other.fetchCount(FetchDescriptor<Team>()) == 0)
  }

  @Test("A limit of 0 is none")
  func limitOfZero() throws {
    let (place, _, context) = try open()
    defer { withExtendedLifetime(place) {} }
    try fill(context, teams: 3, players: 0)
    var descriptor = FetchDescriptor<Team>()
    descriptor.fetchLimit = 0
    #expect(try context.fetch(descriptor).count == 3)
    #expect(try context.fetchCount(descriptor) == 3)
  }
}
