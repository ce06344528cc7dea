import Foundation
import StrongroomData
import Testing

@Suite("A program's own store")
struct CustomStoreTests {
  private let place: Place
  private let file: URL

  init() throws {
    place = try Place()
    file = place.url.deletingLastPathComponent().appendingPathComponent("models.json")
  }

  private func container() throws -> ModelContainer {
    try ModelContainer(
      for: Team.self, Dog.self, Keeper.self,
      configurations: JSONStoreConfiguration(name: "json", fileURL: file))
  }

  private func fill(_ context: ModelContext) throws {
    for number in 1...3 {
      let team = Team(name: "Team \(number)", founded: Date(timeIntervalSinceReferenceDate: Double(number)))
      team.players = (1...number).map { Player(name: "Player \(number).\($0)") }
      team.sponsors = [Sponsor(name: "Sponsor \(number)")]
      context.insert(team)
    }
    try context.save()
  }

  @Test("Models are saved, get the store's identifiers, and are there at the next opening")
  func saving() throws {
    let context = ModelContext(try container())
    let team = Team(name: "Reds")
    let player = Player(name: "Ada", team: team)
    player.tags = ["a", "b"]
    player.home = Address(street: "Elm", number: 3)
    player.balance = Decimal(string: "12.34")!
    player.photo = Data([1, 2, 3])
    context.insert(team)
    #expect(team.persistentModelID.storeIdentifier == nil)
    try context.save()
    #expect(team.persistentModelID.storeIdentifier == "models.json")
    #expect(!context.hasChanges && team.players == [player])

    let again = ModelContext(try container())
    let found = try #require(try again.fetch(FetchDescriptor<Player>()).first)
    #expect(found.name == "Ada" && found.tags == ["a", "b"] && found.home == player.home)
    #expect(found.balance == player.balance && found.photo == player.photo && found.id == player.id)
    #expect(found.team?.name == "Reds" && found.team?.players == [found])
    #expect(found.persistentModelID == player.persistentModelID)
    #expect((again.model(for: player.persistentModelID) as? Player) === found)
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(text.contains("\"name\" : \"Ada\"") && text.contains("\"tags\" : ["))
  }

  @Test("Changes, deletions and links arrive at both ends")
  func changing() throws {
    let context = ModelContext(try container())
    try fill(context)
    let teams = try context.fetch(FetchDescriptor<Team>(sortBy: [SortDescriptor(\.name)]))
    let moved = try #require(teams[2].players.first)
    moved.team = teams[0]
    teams[1].name = "Second"
    teams[1].sponsors = (teams[1].sponsors ?? []) + (teams[0].sponsors ?? [])
    context.delete(teams[2])
    try context.save()

    let other = ModelContext(try container())
    let found = try other.fetch(FetchDescriptor<Team>(sortBy: [SortDescriptor(\.founded)]))
    #expect(found.map(\.name) == ["Team 1", "Second"])
    #expect(found.map(\.players.count) == [2, 2])
    #expect(found[0].players.contains { $0.name == moved.name })
    #expect(Set((found[1].sponsors ?? []).map(\.name)) == ["Sponsor 1", "Sponsor 2"])
    // The cascade went to two of three.
    #expect(try other.fetchCount(FetchDescriptor<Player>()) == 4)
    let sponsors = try other.fetch(FetchDescriptor<Sponsor>(sortBy: [SortDescriptor(\.name)]))
    #expect(sponsors.map(\.teams.count) == [2, 1, 0])
  }

  @Test("What the store prefers to leave is filtered, sorted and counted here")
  func inMemory() throws {
    let container = try container()
    try fill(ModelContext(container))
    let context = ModelContext(container)
    let named = #Predicate<Player> { $0.team?.name == "Team 3" && $0.age == 18 }
    var descriptor = FetchDescriptor(
      predicate: named, sortBy: [SortDescriptor(\Player.name, order: .reverse)])
    #expect(try context.fetch(descriptor).map(\.name) == ["Player 3.3", "Player 3.2", "Player 3.1"])
    descriptor.fetchLimit = 1
    descriptor.fetchOffset = 1
    #expect(try context.fetch(descriptor).map(\.name) == ["Player 3.2"])
    #expect(try context.fetchCount(FetchDescriptor(predicate: named)) == 3)
    #expect(try context.fetchIdentifiers(descriptor).count == 1)
    var first = FetchDescriptor<Team>(sortBy: [SortDescriptor(\.founded, order: .reverse)])
    first.fetchLimit = 2
    #expect(try context.fetch(first).map(\.name) == ["Team 3", "Team 2"])
    // Unsaved changes count.
    context.insert(Player(name: "New", team: try context.fetch(first)[0]))
    #expect(try context.fetchCount(FetchDescriptor(predicate: named)) == 4)
    let team = try context.fetch(first)[1]
    let identifier = team.persistentModelID
    #expect(
      try context.fetch(FetchDescriptor<Team>(predicate: #Predicate { $0.persistentModelID == identifier }))
        == [team])
    try context.delete(model: Player.self, where: #Predicate { $0.name.starts(with: "Player 3") })
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Player>()) == 4)
  }

  @Test("Submodels, undo, rollback, and contexts that see each other's saves")
  func contexts() throws {
    let container = try container()
    let context = ModelContext(container)
    let dog = Dog(name: "Rex", breed: "Boxer")
    context.insert(dog)
    context.insert(Animal(name: "Tom"))
    try context.save()
    let other = ModelContext(container)
    #expect(
      try other.fetch(FetchDescriptor<Animal>(sortBy: [SortDescriptor(\.name)])).map(\.name) == [
        "Rex", "Tom",
      ])
    let same = try #require(try other.fetch(FetchDescriptor<Dog>()).first)
    #expect(same.persistentModelID == dog.persistentModelID && same.breed == "Boxer")
    same.breed = "Poodle"
    other.rollback()
    #expect(same.breed == "Boxer")
    same.name = "Max"
    try other.save()
    #expect(try context.fetch(FetchDescriptor<Dog>()).map(\.name) == ["Max"])
    dog.breed = "Beagle"
    try context.save()
    #expect(try ModelContext(container).fetch(FetchDescriptor<Dog>()).map(\.breed) == ["Beagle"])
    #expect(throws: DataStoreError.unsupportedFeature) {
      try context.fetchHistory(HistoryDescriptor<DefaultHistoryTransaction>())
    }
    try container.erase()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Animal>()) == 0)
  }
}
