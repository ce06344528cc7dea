import Foundation
import Strongroom
import StrongroomData
import StrongroomPostgres
import Testing

@Suite("Containers over a server", .serverStoresOnly)
struct ServerContainerTests {
  @Test("A container hears of what another one saves, and its main context takes it in")
  @MainActor func others() async throws {
    let place = try Place()
    let (here, there) = (try place.container(for: Team.self), try place.container(for: Team.self))
    let (main, changes) = (here.mainContext, here.remoteChanges())
    let context = ModelContext(there)
    let team = Team(name: "Reds")
    team.players = [Player(name: "Ada")]
    context.insert(team)
    try context.save()
    for await configuration in changes {
      #expect(configuration.name == "postgres")
      break
    }
    let seen = try #require(try main.fetch(FetchDescriptor<Team>()).first)
    #expect(seen.name == "Reds" && seen.players.map(\.name) == ["Ada"])
    team.name = "Blues"
    try context.save()
    for _ in 0..<8000 where seen.name != "Blues" { try await Task.sleep(for: .milliseconds(5)) }
    #expect(seen.name == "Blues")
    context.delete(team)
    try context.save()
    for _ in 0..<8000 where !seen.isDeleted { try await Task.sleep(for: .milliseconds(5)) }
    #expect(seen.isDeleted)
    #expect(try main.fetchCount(FetchDescriptor<Player>()) == 0)
  }

  @Test("A save takes one round trip, a fetch one, and the players of all its teams two")
  func roundTrips() throws {
    let place = try Place()
    let container = try place.container(for: Team.self)
    let store = try #require(
      try container.persistentContainer.persistentStoreCoordinator.persistentStore as? PostgresStore)
    let context = ModelContext(container)
    func trips(_ body: () throws -> Void) throws -> Int {
      let start = try store.roundTripCount
      try body()
      return try store.roundTripCount - start
    }
    func save(_ name: String) throws {
      let team = Team(name: name)
      team.players = (0..<5).map { Player(name: "\(name) \($0)") }
      context.insert(team)
      try context.save()
    }
    try save("Reds")
    #expect(try trips { try save("Blues") } == 1)
    let teams = FetchDescriptor<Team>(
      predicate: #Predicate { $0.name != "Greens" }, sortBy: [SortDescriptor(\.founded)])
    let fresh = ModelContext(container)
    var found: [Team] = []
    #expect(try trips { found = try fresh.fetch(teams) } == 1)
    let each = try found.map { team in try trips { _ = team.players.map(\.name) } }
    #expect(each == [2, 0])
    #expect(found.map(\.players.count) == [5, 5])
  }

  @Test("A file and two schemas of one database are the stores of one container")
  func several() throws {
    let (file, one, two) = (try Place(), try Place(), try Place())
    func open() throws -> ModelContext {
      ModelContext(
        try ModelContainer(
          for: Schema([Page.self, Team.self, Dog.self, Keeper.self]),
          configurations: [
            one.configuration("teams", schema: Schema([Team.self])),
            ModelConfiguration(schema: Schema([Page.self]), url: file.url, keyVault: file.vault),
            two.configuration("zoo", schema: Schema([Dog.self, Keeper.self])),
          ]))
    }
    let context = try open()
    context.insert(Team(name: "Reds"))
    context.insert(Page("Title"))
    context.insert(Dog(name: "Rex", breed: "Spitz"))
    try context.save()
    let again = try open()
    #expect(try again.fetch(FetchDescriptor<Team>()).map(\.name) == ["Reds"])
    #expect(try again.fetch(FetchDescriptor<Page>()).map(\.title) == ["Title"])
    #expect(try again.fetch(FetchDescriptor<Animal>()).map(\.name) == ["Rex"])
    let container = again.container
    #expect(container.storeIdentifier(forConfigurationNamed: "zoo") != nil)
  }

  @Test("Two configurations of one schema are refused")
  func twice() throws {
    let place = try Place()
    func error(_ names: [String]) -> SwiftDataError? {
      #expect(throws: SwiftDataError.self) {
        try ModelContainer(
          for: Schema([Team.self, Dog.self, Keeper.self]),
          configurations: [
            place.configuration(names[0], schema: Schema([Team.self])),
            place.configuration(names[1], schema: Schema([Dog.self, Keeper.self])),
          ])
      }
    }
    #expect(error(["a", "a"]) == .duplicateConfiguration)
    let late = error(["a", "b"])
    #expect(late == .loadIssueModelContainer && late?.message.contains("two stores") == true)
  }

  @Test("A plan of which a stage cannot be inferred leaves the store as it was")
  func refusedPlan() throws {
    let place = try Place()
    func open(_ schema: Schema, _ plan: (any SchemaMigrationPlan.Type)?) throws -> ModelContext {
      ModelContext(
        try ModelContainer(for: schema, migrationPlan: plan, configurations: place.configuration()))
    }
    let context = try open(Schema([Team.self]), nil)
    context.insert(Team(name: "Reds"))
    try context.save()
    #expect(throws: SwiftDataError.unsupportedMigration) {
      try open(Schema(versionedSchema: SplitNames.After.self), SplitNames.Plan.self)
    }
    #expect(try open(Schema([Team.self]), nil).fetch(FetchDescriptor<Team>()).map(\.name) == ["Reds"])
  }

  @Test("A wrong address says what is wrong, without its password")
  func wrongAddress() throws {
    PersistentStoreCoordinator.registerStoreClass(PostgresStore.self)
    for (address, code) in [
      ("postgresql://ada:swordfish@127.0.0.1:1/library?sslmode=disable", StoreError.Code.serverUnreachable),
      ("postgresql://ada:swordfish@127.0.0.1:1/library?none=swordfish", .invalidValue),
    ] {
      let url = try #require(URL(string: address))
      let configuration = ModelConfiguration(url: url, keyVault: InMemoryVault())
      let error = #expect(throws: SwiftDataError.self) {
        try ModelContainer(for: Team.self, configurations: configuration)
      }
      #expect(error == .loadIssueModelContainer && (error?.cause as? StoreError)?.code == code)
      #expect(error.map { "\($0) \(String(reflecting: $0.cause))".contains("swordfish") } == false)
    }
  }

  @Test("Opening for reading makes no store")
  func readOnly() throws {
    let place = try Place()
    let error = #expect(throws: SwiftDataError.self) {
      try ModelContainer(for: Team.self, configurations: place.configuration(allowsSave: false))
    }
    #expect((error?.cause as? StoreError)?.code == .fileMissing)
  }
}
