import Foundation
import StrongroomData
import Testing

@Suite("A program's own store over SQLite")
struct SQLiteStoreTests {
  private let place: Place
  private let file: URL
  private let log = StatementLog()

  init() throws {
    place = try Place()
    file = place.url.deletingLastPathComponent().appendingPathComponent("models.sqlite")
  }

  private func container() throws -> ModelContainer {
    try ModelContainer(
      for: Team.self, Dog.self, Keeper.self, configurations: SQLiteConfiguration(url: file, trace: log.note))
  }

  private func fill(_ context: ModelContext) throws {
    for number in 1...3 {
      let team = Team(name: "Team \(number)", founded: Date(timeIntervalSinceReferenceDate: Double(number)))
      team.players = (1...number).map { Player(name: "Player \(number).\($0)") }
      for player in team.players { player.age = 10 * number }
      team.sponsors = [Sponsor(name: "Sponsor \(number)")]
      context.insert(team)
    }
    try context.save()
  }

  @Test("Models are saved, and are there at the next opening")
  func saving() throws {
    let context = ModelContext(try container())
    let team = Team(name: "Reds")
    let player = Player(name: "Ada", team: team)
    player.tags = ["a", "b"]
    player.home = Address(street: "Elm", number: 3)
    player.balance = Decimal(string: "12.34")!
    player.photo = Data([1, 2, 3])
    player.level = .high
    player.site = URL(string: "https://example.org/a")
    let sponsor = Sponsor(name: "Acme")
    sponsor.teams = [team]
    context.insert(team)
    context.insert(sponsor)
    try context.save()
    #expect(team.persistentModelID.storeIdentifier == file.path && !context.hasChanges)

    let again = ModelContext(try container())
    let found = try #require(try again.fetch(FetchDescriptor<Player>()).first)
    #expect(found.name == "Ada" && found.tags == ["a", "b"] && found.home == player.home)
    #expect(found.balance == player.balance && found.photo == player.photo && found.id == player.id)
    #expect(found.level == .high && found.site == player.site && found.standing == .guest)
    #expect(found.team?.players == [found] && found.team?.sponsors?.map(\.name) == ["Acme"])
    #expect(found.team?.sponsors?.first?.teams.first === found.team)
    #expect(found.persistentModelID == player.persistentModelID)
  }

  @Test("Conditions, orders and limits are the store's, and counts and identifiers, too")
  func inSQL() throws {
    let container = try container()
    try fill(ModelContext(container))
    let context = ModelContext(container)
    func statement<R>(_ body: () throws -> R) rethrows -> (R, String) {
      _ = log.take()
      let result = try body()
      return (result, log.take().joined(separator: "; "))
    }
    var descriptor = FetchDescriptor<Player>(
      predicate: #Predicate { ($0.age >= 20 && $0.name.contains("er 3")) || !($0.name != "Player 1.1") },
      sortBy: [SortDescriptor(\.age, order: .reverse), SortDescriptor(\.name, comparator: .lexical)])
    var (players, sql) = try statement { try context.fetch(descriptor) }
    #expect(players.map(\.name) == ["Player 3.1", "Player 3.2", "Player 3.3", "Player 1.1"])
    #expect(sql.contains("WHERE ((") && sql.contains("NOT (") && sql.contains("\"age\" DESC, \"name\" ASC"))
    #expect(!sql.contains(";"))
    descriptor.fetchLimit = 2
    descriptor.fetchOffset = 1
    (players, sql) = try statement { try context.fetch(descriptor) }
    #expect(players.map(\.name) == ["Player 3.2", "Player 3.3"] && sql.contains("LIMIT 2 OFFSET 1"))
    let (count, counting) = try statement { try context.fetchCount(descriptor) }
    #expect(count == 2 && counting.contains("count(*)") && !counting.contains(";"))
    let (identifiers, naming) = try statement { try context.fetchIdentifiers(descriptor) }
    #expect(identifiers == players.map(\.persistentModelID) && naming.hasPrefix("SELECT _id FROM"))

    let starting = #Predicate<Player> { $0.name.starts(with: "Player 2") && $0.nickname == nil }
    #expect(try context.fetchCount(FetchDescriptor(predicate: starting)) == 2)
    let key = players[0].persistentModelID
    #expect(
      try context.fetch(FetchDescriptor<Player>(predicate: #Predicate { $0.persistentModelID == key })) == [
        players[0]
      ])
    let founded = Date(timeIntervalSinceReferenceDate: 2)
    let since = #Predicate<Team> { $0.founded >= founded }
    #expect(try context.fetchCount(FetchDescriptor(predicate: since)) == 2)
  }

  @Test("What it has no SQL for is filtered and sorted in memory")
  func inMemory() throws {
    let container = try container()
    try fill(ModelContext(container))
    let context = ModelContext(container)
    _ = log.take()
    var descriptor = FetchDescriptor<Player>(
      predicate: #Predicate { $0.team?.name == "Team 3" }, sortBy: [SortDescriptor(\.name, order: .reverse)])
    #expect(try context.fetch(descriptor).map(\.name) == ["Player 3.3", "Player 3.2", "Player 3.1"])
    #expect(!log.take().contains { $0.contains("WHERE \"name\"") || $0.contains("\"name\" DESC") })
    descriptor.fetchLimit = 1
    #expect(try context.fetch(descriptor).map(\.name) == ["Player 3.3"])
    #expect(try context.fetchCount(FetchDescriptor(predicate: descriptor.predicate)) == 3)
    // Filtered there, sorted here.
    _ = log.take()
    var sorted = FetchDescriptor<Player>(
      predicate: #Predicate { $0.age == 30 }, sortBy: [SortDescriptor(\.name, order: .reverse)])
    sorted.fetchLimit = 2
    #expect(try context.fetch(sorted).map(\.name) == ["Player 3.3", "Player 3.2"])
    #expect(log.take().contains { $0.contains("WHERE (\"age\" IS ?)") })
    // Two tables.
    let dog = Dog(name: "Rex", breed: "Boxer")
    dog.keeper = Keeper(name: "Ann")
    context.insert(dog)
    context.insert(Animal(name: "Tom"))
    context.insert(Dog(name: "Ajax", breed: "Poodle"))
    try context.save()
    let other = ModelContext(try self.container())
    var animals = FetchDescriptor<Animal>(sortBy: [SortDescriptor(\.name)])
    #expect(try other.fetch(animals).map(\.name) == ["Ajax", "Rex", "Tom"])
    animals.fetchLimit = 1
    animals.fetchOffset = 1
    #expect(try other.fetch(animals).map(\.name) == ["Rex"])
    let named = #Predicate<Dog> { $0.name == "Rex" && $0.breed == "Boxer" }
    let rex = try #require(try other.fetch(FetchDescriptor(predicate: named)).first)
    #expect(rex.keeper?.name == "Ann" && rex.keeper?.animals == [rex])
  }

  @Test("Changes and deletions arrive at both ends, and in another context")
  func changing() throws {
    let container = try container()
    let (context, watching) = (ModelContext(container), ModelContext(container))
    try fill(context)
    let order = FetchDescriptor<Team>(sortBy: [SortDescriptor(\.founded)])
    let seen = try watching.fetch(order)
    #expect(seen.map(\.players.count) == [1, 2, 3])
    let teams = try context.fetch(order)
    let moved = try #require(teams[2].players.first)
    moved.team = teams[0]
    teams[1].name = "Second"
    teams[1].sponsors = (teams[1].sponsors ?? []) + (teams[0].sponsors ?? [])
    context.delete(teams[2])
    try context.save()
    #expect(try watching.fetch(order).map(\.name) == ["Team 1", "Second"])
    #expect(seen[1].name == "Second")

    let other = ModelContext(try self.container())
    let found = try other.fetch(order)
    #expect(found.map(\.name) == ["Team 1", "Second"] && found.map(\.players.count) == [2, 2])
    #expect(Set((found[1].sponsors ?? []).map(\.name)) == ["Sponsor 1", "Sponsor 2"])
    #expect(try other.fetchCount(FetchDescriptor<Player>()) == 4)
    let sponsors = try other.fetch(FetchDescriptor<Sponsor>(sortBy: [SortDescriptor(\.name)]))
    #expect(sponsors.map(\.teams.count) == [2, 1, 0])
  }

  @Test("Deleting by a condition is one statement of the store, where no rule needs more")
  func batches() throws {
    let container = try container()
    let (context, watching) = (ModelContext(container), ModelContext(container))
    let keeper = Keeper(name: "Ann")
    for number in 1...4 {
      let dog = Dog(name: "Dog \(number)", breed: number > 2 ? "Boxer" : "Poodle")
      dog.keeper = keeper
      context.insert(dog)
    }
    context.insert(Animal(name: "Tom"))
    try context.save()
    let dogs = try context.fetch(FetchDescriptor<Dog>(sortBy: [SortDescriptor(\.breed)]))
    let seen = try #require(try watching.fetch(FetchDescriptor<Keeper>()).first)
    #expect(seen.animals.count == 4 && keeper.animals.count == 4)
    _ = log.take()
    try context.delete(model: Dog.self, where: #Predicate { $0.breed == "Boxer" })
    #expect(log.take().contains { $0.hasPrefix("DELETE FROM \"Dog\" WHERE (\"breed\" IS ?)") })
    #expect(!context.hasChanges && dogs.map(\.isDeleted) == [true, true, false, false])
    #expect(keeper.animals.count == 2)
    #expect(try watching.fetch(FetchDescriptor<Animal>()).count == 3)
    #expect(seen.animals.count == 2)
    dogs[2].breed = "Beagle"
    try context.save()
    #expect(try ModelContext(try self.container()).fetchCount(FetchDescriptor<Dog>()) == 2)

    // With unsaved changes, and where rules follow, it is the container's.
    context.insert(Animal(name: "Kit"))
    try context.delete(model: Animal.self, includeSubclasses: false)
    #expect(context.hasChanges)
    context.rollback()
    #expect(try context.fetchCount(FetchDescriptor<Animal>()) == 3)
    try fill(context)
    try context.delete(model: Team.self, where: #Predicate { $0.name == "Team 2" })
    #expect(context.hasChanges)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Player>()) == 4)
  }

  @Test("A to-many skips what a batch deleted, also at the next opening and after a save")
  func skipping() throws {
    let context = ModelContext(try container())
    let keeper = Keeper(name: "Ann")
    context.insert(keeper)
    keeper.animals = (1...3).map { Dog(name: "Dog \($0)", breed: $0 == 2 ? "Boxer" : "Poodle") }
    try context.save()
    try context.delete(model: Dog.self, where: #Predicate { $0.breed == "Boxer" })
    for name in ["Bea", "Cat"] {
      let other = ModelContext(try container())
      let found = try #require(try other.fetch(FetchDescriptor<Keeper>()).first)
      let two = FetchDescriptor<Keeper>(predicate: #Predicate { $0.animals.count == 2 })
      #expect(try other.fetchCount(two) == 1)
      #expect(Set(found.animals.map(\.name)) == ["Dog 1", "Dog 3"])
      found.name = name
      try other.save()
    }
    // All keepers lead to-one from animals, which is the container's to follow.
    try context.delete(model: Keeper.self)
    #expect(context.hasChanges)
  }

  @Test("A condition that only Swift can evaluate is evaluated model by model")
  func evaluated() throws {
    let container = try container()
    try fill(ModelContext(container))
    let context = ModelContext(container)
    let loud = #Predicate<Player> { $0.shout == "PLAYER 3.1" || $0.shout == "PLAYER 3.2" }
    var descriptor = FetchDescriptor(predicate: loud, sortBy: [SortDescriptor(\Player.name, order: .reverse)])
    #expect(try context.fetch(descriptor).map(\.name) == ["Player 3.2", "Player 3.1"])
    descriptor.fetchOffset = 1
    #expect(try context.fetch(descriptor).map(\.name) == ["Player 3.1"])
    #expect(try context.fetchCount(descriptor) == 1 && context.fetchIdentifiers(descriptor).count == 1)
    try context.delete(model: Player.self, where: loud)
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Player>()) == 4)
  }
}
