import Foundation
import StrongroomData
import Testing

@Suite("Models whose context was deallocated")
struct LostContextTests {
  /// A team with a player, saved, whose context is let go.
  private static func left() throws -> (Team, Player) {
    let context = ModelContext(
      try ModelContainer(
        for: Team.self, Dog.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true)))
    context.insert(Player(name: "Ada", team: Team(name: "Reds")))
    try context.save()
    let fresh = ModelContext(context.container)
    let team = try #require(try fresh.fetch(FetchDescriptor<Team>()).first)
    let player = try #require(team.players.first)
    _ = player.name
    player.age = 99
    return (team, player)
  }

  @Test("are read on, as they are stored")
  func reading() throws {
    let (team, player) = try Self.left()
    #expect(team.modelContext == nil && player.modelContext == nil)
    #expect(team.name == "Reds" && player.name == "Ada")
    #expect(player.age == 18)
    #expect(team.players.map(\.name) == ["Ada"] && player.team === team)
  }

  @Test("and their context go away with the last of them")
  func letGo() throws {
    let container = try ModelContainer(
      for: Team.self, Dog.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    weak var engine: AnyObject?
    weak var changed: Player?
    do {
      let context = ModelContext(container)
      let player = Player(name: "Ada", team: Team(name: "Reds"))
      context.insert(player)
      try context.save()
      player.age = 3
      context.insert(Player(name: "new"))
      changed = player
      engine = player._$object.managedObjectContext
      #expect(engine != nil)
    }
    #expect(engine == nil && changed == nil)
  }

  @Test("and their context are released though new ones reference each other")
  func letGoOfNew() throws {
    let container = try ModelContainer(
      for: Team.self, Dog.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    weak var engine: AnyObject?
    weak var inserted: Team?
    do {
      let context = ModelContext(container)
      let team = Team(name: "Reds")
      team.players = [Player(name: "Ada"), Player(name: "Bo")]
      context.insert(team)
      (inserted, engine) = (team, team._$object.managedObjectContext)
      #expect(engine != nil)
    }
    #expect(engine == nil && inserted == nil)
  }

  @Test("and their context go away, whatever could be undone and redone")
  func letGoOfUndone() throws {
    let container = try ModelContainer(
      for: Team.self, Dog.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    weak var engine: AnyObject?
    do {
      let context = ModelContext(container)
      context.undoManager = UndoManager()
      let player = Player(name: "Ada")
      context.insert(player)
      try context.save()
      player.name = "Bo"
      context.processPendingChanges()
      context.undoManager?.undo()
      #expect(player.name == "Ada" && !context.hasChanges && context.undoManager?.canRedo == true)
      engine = player._$object.managedObjectContext
      #expect(engine != nil)
    }
    #expect(engine == nil)
  }

  @Test("may be inserted again, when they were new")
  func insertedAgain() throws {
    let container = try ModelContainer(
      for: Team.self, Dog.self, configurations: ModelConfiguration(isStoredInMemoryOnly: true))
    let player = Player(name: "Ada")
    do {
      let context = ModelContext(container)
      context.insert(player)
      player.team = Team(name: "Reds")
    }
    player.age = 20
    let context = ModelContext(container)
    context.insert(player)
    try context.save()
    #expect(try context.fetch(FetchDescriptor<Player>()).map(\.age) == [20])
    #expect(player.name == "Ada" && player.team == nil)
  }

  @Test("stop the program when they are written, and say what to do")
  func writing() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (_, player) = try LostContextTests.left()
      player.name = "Bo"
    }
    let told = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(told.contains("retain the context"))
  }

  @Test("stop the program when they are written again")
  func writingAgain() async {
    await #expect(processExitsWith: .failure) {
      let (_, player) = try LostContextTests.left()
      player.age = 7
    }
  }

  @Test("stop the program when a relationship is set")
  func relationships() async {
    await #expect(processExitsWith: .failure) {
      let (team, player) = try LostContextTests.left()
      player.team = team
    }
  }
}
