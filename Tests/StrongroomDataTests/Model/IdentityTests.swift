import Foundation
import StrongroomData
import Testing

@Suite("One instance for each model", .everyStoreKind)
struct IdentityTests {
  private func filled() throws -> (Place, ModelContainer) {
    let place = try Place()
    let container = try place.container(for: Team.self)
    let context = ModelContext(container)
    let team = Team(name: "Reds")
    for number in 0..<10 { team.players.append(Player(name: "Player \(number)")) }
    context.insert(team)
    try context.save()
    return (place, container)
  }

  @Test("Fetching, walking and looking up bring the same instance")
  func sameInstance() throws {
    let (place, container) = try filled()
    defer { withExtendedLifetime(place) {} }
    let context = ModelContext(container)
    let team = try #require(try context.fetch(FetchDescriptor<Team>()).first)
    let players = try context.fetch(FetchDescriptor<Player>())
    #expect(players.count == 10 && players.allSatisfy { $0.team === team })
    for player in players {
      player.isShown = true
      #expect(context.model(for: player.persistentModelID) as? Player === player)
      let registered: Player? = context.registeredModel(for: player.persistentModelID)
      #expect(registered === player)
    }
    #expect(team.players.allSatisfy { $0.isShown })
    #expect(Set(team.players) == Set(players))
  }

  @Test("Contexts have instances of their own, with equal identifiers")
  func otherContext() throws {
    let (place, container) = try filled()
    defer { withExtendedLifetime(place) {} }
    let (one, other) = (ModelContext(container), ModelContext(container))
    let player = try #require(try one.fetch(FetchDescriptor<Player>()).first)
    let twin = try #require(other.model(for: player.persistentModelID) as? Player)
    #expect(twin !== player && twin != player && twin.name == player.name)
    #expect(twin.persistentModelID == player.persistentModelID)
    let absent: Player? = ModelContext(container).registeredModel(for: player.persistentModelID)
    #expect(absent == nil)
  }

  @Test("An identifier survives coding, and finds its model in a reopened store")
  func coding() throws {
    let (place, container) = try filled()
    let identifier = try #require(
      try ModelContext(container).fetchIdentifiers(FetchDescriptor<Player>()).first)
    let data = try JSONEncoder().encode(identifier)
    let back = try JSONDecoder().decode(PersistentIdentifier.self, from: data)
    #expect(back == identifier && back.hashValue == identifier.hashValue && back.id == identifier.id)
    #expect(back.entityName == "Player" && back.storeIdentifier == identifier.storeIdentifier)
    let context = ModelContext(try place.container(for: Team.self))
    #expect((context.model(for: back) as? Player)?.name.isEmpty == false)
    let players = try context.fetch(FetchDescriptor<Player>())
    #expect(players.map(\.persistentModelID).sorted().first == players.map(\.persistentModelID).min())
  }

  @Test("Identifiers are in the order of insertion, in fetches too", .configuredStores)
  func order() throws {
    let (place, container) = try filled()
    defer { withExtendedLifetime(place) {} }
    let context = ModelContext(container)
    let stored = try context.fetch(FetchDescriptor<Player>())
    let new = ["One", "Two", "Three"].map { Player(name: $0) }
    for player in new { context.insert(player) }
    let all = stored + new
    #expect(all.reversed().map(\.persistentModelID).sorted() == all.map(\.persistentModelID))
    let forward = FetchDescriptor<Player>(sortBy: [SortDescriptor(\.persistentModelID)])
    let reverse = FetchDescriptor<Player>(sortBy: [SortDescriptor(\.persistentModelID, order: .reverse)])
    let last = FetchDescriptor<Player>(
      sortBy: [SortDescriptor(\.age), SortDescriptor(\.persistentModelID, order: .reverse)])
    for _ in 0..<2 {
      #expect(try context.fetch(forward) == all)
      #expect(try context.fetch(last) == all.reversed())
      #expect(try context.fetch(reverse) == all.reversed())
      #expect(try context.fetchIdentifiers(reverse) == all.reversed().map(\.persistentModelID))
      try context.save()
    }
    var newest = reverse
    newest.fetchLimit = 2
    #expect(try context.fetch(newest).map(\.name) == ["Three", "Two"])
  }

  @Test("A new model has a temporary identifier until it is saved")
  func temporary() throws {
    let (place, container) = try filled()
    defer { withExtendedLifetime(place) {} }
    let context = ModelContext(container)
    let player = Player(name: "New")
    #expect(player.persistentModelID.isTemporary && player.hasChanges)
    context.insert(player)
    let before = player.persistentModelID
    #expect(context.model(for: before) as? Player === player)
    try context.save()
    #expect(!player.persistentModelID.isTemporary && player.persistentModelID != before && !player.hasChanges)
    #expect(context.model(for: player.persistentModelID) as? Player === player)
  }

  @Test("A class's own id stands in for the identifier")
  func ownID() {
    let player = Player(name: "Ada")
    let id: UUID = player.id
    #expect(id == player.id)
    let team = Team(name: "Reds")
    let own: PersistentIdentifier = team.id
    #expect(own == team.persistentModelID)
  }
}
