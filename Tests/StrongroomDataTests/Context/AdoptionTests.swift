import Foundation
import StrongroomData
import Testing

@Suite("Models before and after they are inserted", .everyStoreKind)
struct AdoptionTests {
  /// The time that the thread computes, whatever else the machine does meanwhile.
  private func timeOfThread(_ body: () -> Void) -> Duration {
    func now() -> Duration {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
    }
    let start = now()
    body()
    return now() - start
  }

  @Test("Ten thousand models linked in a line come in with the first, in linear time")
  func line() throws {
    func time(_ count: Int) throws -> Duration {
      let place = try Place()
      let context = ModelContext(try place.container(for: Player.self))
      let first = Player(name: "0")
      var last = first
      for number in 1..<count {
        let next = Player(name: "\(number)")
        last.mentor = next
        last = next
      }
      let duration = timeOfThread { context.insert(first) }
      #expect(context.insertedModelsArray.count == count)
      try context.save()
      #expect(try context.fetchCount(FetchDescriptor<Player>()) == count)
      return duration
    }
    let (small, large) = (try time(1000), try time(10_000))
    #expect(large < max(small, .milliseconds(5)) * 60, "\(small) for a thousand, \(large) for ten thousand")
  }

  @Test("A wide graph comes in from any of its models, each once")
  func wide() throws {
    let place = try Place()
    let context = ModelContext(try place.container(for: Team.self))
    let team = Team(name: "Reds")
    let sponsors = (0..<20).map { Sponsor(name: "Sponsor \($0)") }
    team.sponsors = sponsors
    team.players = (0..<10_000).map { Player(name: "\($0)") }
    // The team leads to it.
    let duration = timeOfThread { context.insert(sponsors[3]) }
    #expect(context.insertedModelsArray.count == 10_021)
    #expect(sponsors.allSatisfy { $0.teams == [team] })
    #expect(duration < .seconds(10))
    try context.save()
    #expect(team.players.count == 10_000 && team.players.allSatisfy { $0.team === team })
  }

  @Test("Linking a new model with one of a context inserts it there")
  func linking() throws {
    let place = try Place()
    let context = ModelContext(try place.container(for: Team.self))
    let team = Team(name: "Reds")
    context.insert(team)
    try context.save()

    let appended = Player(name: "appended")
    team.players.append(appended)
    #expect(appended.modelContext === context && appended.team === team)

    let set = Player(name: "set")
    set.team = team
    #expect(set.modelContext === context && team.players.contains(set))

    let made = Player(name: "made", team: team)
    #expect(context.hasChanges && team.players.contains(made))
    #expect(made.modelContext === context && team.players.first { $0 === made }?.name == "made")
    try context.save()
    #expect(try context.fetchCount(FetchDescriptor<Player>()) == 3)
  }

  @Test("An empty link of a new model overwrites nothing")
  func emptyLinks() throws {
    let place = try Place()
    let context = ModelContext(try place.container(for: Team.self))
    let player = Player(name: "Ada")
    let team = Team(name: "Reds")
    team.players = []
    player.team = team
    context.insert(player)
    context.insert(team)
    #expect(player.team === team && team.players == [player])
  }

  @Test("Relationships that are taken back before the model is inserted are not made")
  func takenBack() throws {
    let place = try Place()
    let context = ModelContext(try place.container(for: Team.self))
    let player = Player(name: "Ada", team: Team(name: "Reds"))
    player.team = nil
    #expect(player.team == nil)
    context.insert(player)
    #expect(context.insertedModelsArray.count == 1)
  }

  @Test("A model that was deleted before it was saved can be inserted again")
  func again() throws {
    let place = try Place()
    let context = ModelContext(try place.container(for: Team.self))
    let player = Player(name: "Ada")
    player.age = 30
    context.insert(player)
    context.delete(player)
    #expect(!context.hasChanges && player.modelContext == nil && player.name == "Ada")
    context.insert(player)
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Player>()).map(\.age) == [30])
  }

  @Test("Every kind of property keeps its value, before and after it is stored")
  func values() throws {
    let place = try Place()
    let player = Player(name: "Ada")
    player.nickname = "Countess"
    player.age = 36
    player.standing = .owner
    player.level = .high
    player.tags = ["new", "first"]
    player.home = Address(street: "St James's Square", number: 12)
    player.balance = Decimal(string: "12345678901234567890.12")!
    player.site = URL(string: "https://example.org/ada")
    player.photo = Data(repeating: 7, count: 200_000)
    player.score = 5
    func check(_ player: Player, isStored: Bool) {
      #expect(player.nickname == "Countess" && player.age == 36 && player.standing == .owner)
      #expect(player.level == .high && player.tags == ["new", "first"])
      #expect(player.home == Address(street: "St James's Square", number: 12))
      #expect(player.balance == Decimal(string: "12345678901234567890.12"))
      #expect(player.site == URL(string: "https://example.org/ada"))
      #expect(player.photo == Data(repeating: 7, count: 200_000))
      #expect(player.score == (isStored ? 0 : 5))
    }
    check(player, isStored: false)
    do {
      let context = ModelContext(try place.container(for: Player.self))
      context.insert(player)
      check(player, isStored: false)
      try context.save()
    }
    let context = ModelContext(try place.container(for: Player.self))
    let stored = try #require(try context.fetch(FetchDescriptor<Player>()).first)
    #expect(stored.id == player.id)
    check(stored, isStored: true)
    stored.nickname = nil
    stored.level = nil
    stored.home = nil
    stored.site = nil
    stored.photo = nil
    try context.save()
    let again = try #require(
      try ModelContext(place.container(for: Player.self)).fetch(FetchDescriptor<Player>()).first)
    #expect(again.nickname == nil && again.level == nil && again.home == nil && again.site == nil)
    #expect(again.photo == nil)
  }

  @Test("Models that reference an inserted graph are inserted with it, retained by the program or not")
  func followers() throws {
    let place = try Place()
    let context = ModelContext(try place.container(for: Team.self, Dog.self))
    let team = Team(name: "Reds")
    for number in 0..<5 {
      let player = Player(name: "\(number)", team: number < 3 ? team : nil)
      if number >= 2 { player.team = team }
      // One that leads on, and no longer here.
      if number == 4 {
        player.team = nil
        player.mentor = Player(name: "mentor", team: team)
      }
    }
    let keeper = Keeper(name: "Kay")
    let dog = Dog(name: "Rex", breed: "Terrier")
    dog.keeper = keeper
    context.insert(team)
    #expect(Set(team.players.map(\.name)) == ["0", "1", "2", "3", "mentor"])
    #expect(context.insertedModelsArray.count == 7, "the last player references a model that was inserted")
    context.insert(keeper)
    #expect(dog.modelContext === context && keeper.animals.map(\.name) == ["Rex"])
    try context.save()
    #expect(try ModelContext(context.container).fetchCount(FetchDescriptor<Player>()) == 6)
  }
}
