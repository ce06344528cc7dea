import Foundation
import StrongroomData
import Testing

@Model final class Ship {
  var name: String
  @Relationship(deleteRule: .cascade, inverse: \Cabin.ship) var cabins: [Cabin] = []

  init(name: String) { self.name = name }
}

@Model final class Cabin {
  var number: Int
  var key: UUID
  var price: Decimal
  var site: URL
  var standing: Standing
  var notes: [String]
  var ship: Ship

  init(number: Int, ship: Ship) {
    self.number = number
    key = UUID()
    price = 9
    site = URL(fileURLWithPath: "/cabin")
    standing = .owner
    notes = ["a"]
    self.ship = ship
  }
}

@Suite("Models that others deleted", .everyStoreKind)
struct DeletedElsewhereTests {
  private let place: Place
  private let container: ModelContainer
  private let (here, there): (ModelContext, ModelContext)

  init() throws {
    place = try Place()
    container = try place.container(for: Team.self, Ship.self)
    (here, there) = (ModelContext(container), ModelContext(container))
    let team = Team(name: "Reds")
    team.players = [Player(name: "Ada"), Player(name: "Bo")]
    there.insert(team)
    there.insert(Player(name: "Cy"))
    try there.save()
  }

  private func player(_ name: String, in context: ModelContext) throws -> Player {
    let found = try context.fetch(FetchDescriptor<Player>(predicate: #Predicate { $0.name == name }))
    return try #require(found.first)
  }

  private func team(in context: ModelContext) throws -> Team {
    try #require(try context.fetch(FetchDescriptor<Team>()).first)
  }

  /// Another context deletes the team, and nobody tells this one.
  private func deleteTeam() throws {
    let team = try team(in: there)
    team.players = []
    there.delete(team)
    try there.save()
  }

  @Test("read empty, and keep nothing from being saved")
  func reading() throws {
    let (ada, cy) = (try player("Ada", in: here), try player("Cy", in: here))
    cy.age = 50
    try deleteTeam()
    let team = try #require(ada.team)
    #expect(team.name == "" && team.players.isEmpty && team.sponsors?.isEmpty == true && team.isDeleted)
    #expect(here.deletedModelsArray.isEmpty && here.changedModelsArray.count == 1)
    team.name = "no"
    cy.team = team
    team.players.append(cy)
    here.delete(team)
    #expect(team.name == "" && cy.team == nil && !team.hasChanges)
    try here.save()
    #expect(!here.hasChanges)
    #expect(try player("Cy", in: ModelContext(container)).age == 50)
  }

  @Test("save by themselves what was edited beside them")
  @MainActor func autosave() async throws {
    let main = container.mainContext
    let (ada, cy) = (try player("Ada", in: main), try player("Cy", in: main))
    let id = try team(in: main).persistentModelID
    try deleteTeam()
    let team = try #require(main.model(for: id) as? Team)
    _ = (team.name, ada.team?.name)
    cy.age = 51
    ada.age = 52
    for _ in 0..<8000 where main.hasChanges { try await Task.sleep(for: .milliseconds(5)) }
    #expect(!main.hasChanges && main.autosaveFailure == nil)
    let fresh = ModelContext(container)
    #expect(try player("Cy", in: fresh).age == 51)
    #expect(try player("Ada", in: fresh).age == 52)
  }

  @Test("have no values by their identifier, of any type")
  func byIdentifier() throws {
    let cabin = Cabin(number: 3, ship: Ship(name: "Ark"))
    there.insert(cabin)
    try there.save()
    let id = cabin.persistentModelID
    there.delete(cabin)
    try there.save()
    let model = try #require(here.model(for: id) as? Cabin)
    #expect(!model.isDeleted)
    #expect(model.number == 0 && model.price == 0 && model.notes.isEmpty && model.isDeleted)
    #expect(model.key == UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
    _ = (model.site, model.standing)
    #expect(model.ship.name == "" && model.ship.isDeleted && model.ship.cabins.isEmpty)
    let gone: Cabin? = here.registeredModel(for: id)
    #expect(gone == nil && here.model(for: id) as? Cabin === model)
    here.insert(Player(name: "new"))
    try here.save()
    #expect(try here.fetchCount(FetchDescriptor<Player>()) == 4)
  }

  @Test("keep what was read of them, and tell those who track them")
  @MainActor func merged() async throws {
    let main = container.mainContext
    let team = try team(in: main)
    let ark = Ship(name: "Ark")
    let cabin = Cabin(number: 3, ship: ark)
    main.insert(cabin)
    try main.save()
    #expect(team.name == "Reds" && team.players.count == 2)
    let watch = Watch()
    _ = watch.track { team.name }
    try deleteTeam()
    for ship in try there.fetch(FetchDescriptor<Ship>()) { there.delete(ship) }
    try there.save()
    for _ in 0..<8000 where !team.isDeleted || !cabin.isDeleted {
      try await Task.sleep(for: .milliseconds(5))
    }
    #expect(team.isDeleted && team.name == "Reds" && watch.count == 1)
    #expect(
      cabin.isDeleted && cabin.number == 3 && cabin.ship === ark && ark.name == "Ark"
        && cabin.standing == .owner)
    let cy = try player("Cy", in: main)
    cy.team = team
    cy.age = 53
    try main.save()
    #expect(cy.team == nil && !main.hasChanges)
    #expect(try player("Cy", in: ModelContext(container)).age == 53)
  }

  @Test("are not referenced by a save that did not know of the deletion")
  func links() throws {
    let (cy, team) = (try player("Cy", in: here), try team(in: here))
    cy.team = team
    cy.age = 54
    let sponsor = Sponsor(name: "Acme")
    here.insert(sponsor)
    sponsor.teams = [team]
    let fresh = ModelContext(container)
    let fault = try #require(fresh.model(for: team.persistentModelID) as? Team)
    let other = try player("Cy", in: fresh)
    other.team = fault
    other.age = 55
    try deleteTeam()
    try fresh.save()
    #expect(try player("Cy", in: ModelContext(container)).age == 55)
    #expect(try player("Cy", in: ModelContext(container)).team == nil && other.team == nil)
    try here.save()
    #expect(!here.hasChanges)
    #expect(try player("Cy", in: ModelContext(container)).age == 54)
  }

  @Test("are left out of an enumeration")
  func enumerating() throws {
    var names: [String] = []
    try here.enumerate(FetchDescriptor<Player>(sortBy: [SortDescriptor(\.name)]), batchSize: 1) { player in
      names.append(player.name)
      if names == ["Ada"] {
        there.delete(try self.player("Bo", in: there))
        try there.save()
      }
    }
    #expect(names == ["Ada", "Cy"])
  }
}
