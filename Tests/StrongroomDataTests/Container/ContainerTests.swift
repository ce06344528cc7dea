import Foundation
import Locks
import StrongroomData
import Testing

@Suite("Containers and configurations")
struct ContainerTests {
  @Test("In memory, nothing is written, and each container has models of its own")
  func inMemory() throws {
    let configuration = ModelConfiguration(isStoredInMemoryOnly: true)
    let container = try ModelContainer(for: Team.self, configurations: configuration)
    let context = ModelContext(container)
    context.insert(Team(name: "Reds"))
    try context.save()
    #expect(try ModelContext(container).fetchCount(FetchDescriptor<Team>()) == 1)
    let other = try ModelContainer(for: Team.self, configurations: configuration)
    #expect(try ModelContext(other).fetchCount(FetchDescriptor<Team>()) == 0)
    #expect(container.configurations.count == 1 && container.schema.entitiesByName["Player"] != nil)
    #expect(context.container == container && container != other)
  }

  @Test("A store is kept in the user's data folder unless a place is given")
  func places() throws {
    let named = ModelConfiguration("Notes", applicationIdentifier: "org.example.notes")
    #expect(named.url.path.hasSuffix("/org.example.notes/Notes.store") && named.name == "Notes")
    #expect(ModelConfiguration(applicationIdentifier: "a").url.lastPathComponent == "default.store")
    let url = URL(fileURLWithPath: "/tmp/some/where.store")
    #expect(ModelConfiguration(url: url).url == url && ModelConfiguration(url: url).name == "where")
    #expect(
      ModelConfiguration("x", groupContainer: .identifier("group.example"), applicationIdentifier: "a").url
        .path
        .hasSuffix("/group.example/x.store"))
  }

  @Test("Stores have identifiers by the names of their configurations, until the container is invalidated")
  func identifiers() throws {
    let container = try ModelContainer(
      for: Team.self, configurations: ModelConfiguration("teams", isStoredInMemoryOnly: true))
    let context = ModelContext(container)
    let team = Team(name: "Reds")
    context.insert(team)
    try context.save()
    let identifier = try #require(container.storeIdentifier(forConfigurationNamed: "teams"))
    #expect(team.persistentModelID.storeIdentifier == identifier)
    #expect(container.configurationName(forStoreIdentifier: identifier) == "teams")
    #expect(container.storeIdentifier(forConfigurationNamed: "others") == nil)
    container.invalidate()
    #expect(container.storeIdentifier(forConfigurationNamed: "teams") == nil)
    #expect(container.configurationName(forStoreIdentifier: identifier) == nil)
    #expect(throws: (any Error).self) { try ModelContext(container).fetch(FetchDescriptor<Team>()) }
  }

  @Test("Configurations that cannot be are refused")
  func refused() throws {
    let cloud = ModelConfiguration(
      isStoredInMemoryOnly: true, cloudKitDatabase: .private("iCloud.example"))
    #expect(throws: SwiftDataError.unsupportedConfiguration) {
      try ModelContainer(for: Team.self, configurations: cloud)
    }
    #expect(throws: SwiftDataError.configurationFileNameContainsInvalidCharacters) {
      try ModelContainer(
        for: Team.self, configurations: ModelConfiguration("a/b", isStoredInMemoryOnly: true))
    }
    #expect(throws: SwiftDataError.configurationFileNameTooLong) {
      try ModelContainer(
        for: Team.self,
        configurations: ModelConfiguration(String(repeating: "x", count: 300), isStoredInMemoryOnly: true))
    }
    #expect(throws: SwiftDataError.duplicateConfiguration) {
      try ModelContainer(
        for: Team.self,
        configurations: ModelConfiguration("a", isStoredInMemoryOnly: true),
        ModelConfiguration("a", isStoredInMemoryOnly: true))
    }
    let plain = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try Data("SQLite format 3\0 and more, until it is long enough to be looked at".utf8).write(to: plain)
    defer { try? FileManager.default.removeItem(at: plain) }
    do {
      _ = try ModelContainer(
        for: Team.self, configurations: ModelConfiguration(url: plain, keyVault: InMemoryVault()))
      Issue.record("a plain file was opened")
    } catch let error as SwiftDataError {
      #expect(error == .loadIssueModelContainer && error.cause != nil)
    }
  }

  @Test("Several stores, each with classes of its own", .configuredStores)
  func several() throws {
    let (one, other) = (try Place(), try Place())
    func open() throws -> ModelContainer {
      try ModelContainer(
        for: Schema([Team.self, Keeper.self, Dog.self]),
        configurations: [
          one.configuration("teams", schema: Schema([Team.self])),
          other.configuration("zoo", schema: Schema([Keeper.self, Dog.self])),
        ])
    }
    let context = ModelContext(try open())
    context.insert(Team(name: "Reds"))
    context.insert(Dog(name: "Rex", breed: "Spitz"))
    try context.save()
    let again = ModelContext(try open())
    #expect(try again.fetch(FetchDescriptor<Team>()).map(\.name) == ["Reds"])
    #expect(try again.fetch(FetchDescriptor<Dog>()).map(\.breed) == ["Spitz"])
  }

  @Test("A store opened for reading refuses to save", .configuredStores)
  func readOnly() throws {
    let place = try Place()
    let context = ModelContext(try place.container(for: Team.self))
    context.insert(Team(name: "Reds"))
    try context.save()
    let reading = ModelContext(
      try ModelContainer(for: Team.self, configurations: place.configuration(allowsSave: false)))
    let team = try #require(try reading.fetch(FetchDescriptor<Team>()).first)
    team.name = "Blues"
    #expect(throws: (any Error).self) { try reading.save() }
    #expect(
      try ModelContext(place.container(for: Team.self)).fetch(FetchDescriptor<Team>()).map(\.name) == ["Reds"]
    )
  }

  enum Older: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Note.self] }
    @Model final class Note {
      var title = ""
      init() {}
    }
  }

  enum Newer: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Note.self] }
    @Model final class Note {
      var title = ""
      var body = ""
      init() {}
    }
  }

  enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [Older.self, Newer.self] }
    static var stages: [MigrationStage] { [.lightweight(fromVersion: Older.self, toVersion: Newer.self)] }
  }

  @Test(
    "A store of an older version follows its plan, and one of a newer version is left as it is",
    .configuredStores)
  func versions() throws {
    let place = try Place()
    do {
      let context = ModelContext(
        try ModelContainer(
          for: Schema(versionedSchema: Older.self), migrationPlan: Plan.self,
          configurations: place.configuration()))
      context.insert(Older.Note())
      try context.save()
    }
    do {
      let context = ModelContext(
        try ModelContainer(
          for: Schema(versionedSchema: Newer.self), migrationPlan: Plan.self,
          configurations: place.configuration()))
      #expect(try context.fetch(FetchDescriptor<Newer.Note>()).map(\.body) == [""])
    }
    #expect(throws: SwiftDataError.backwardMigration) {
      try ModelContainer(
        for: Schema(versionedSchema: Older.self), migrationPlan: Plan.self,
        configurations: place.configuration())
    }
    var configuration = try place.configuration()
    configuration.opensNewerStoreReadOnly = true
    if StoreKind.current == .server {
      #expect(throws: SwiftDataError.unsupportedMigration) {
        try ModelContainer(for: Schema(versionedSchema: Older.self), configurations: configuration)
      }
      return
    }
    let before = try Data(contentsOf: place.url)
    for plan in [Plan.self, nil] as [(any SchemaMigrationPlan.Type)?] {
      let context = ModelContext(
        try ModelContainer(
          for: Schema(versionedSchema: Older.self), migrationPlan: plan, configurations: configuration))
      let note = try #require(try context.fetch(FetchDescriptor<Older.Note>()).first)
      note.title = "changed"
      #expect(throws: (any Error).self) { try context.save() }
    }
    #expect(try Data(contentsOf: place.url) == before)
  }

  enum TwoStores: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Tea.self, Cup.self] }
    @Model final class Tea {
      var name = ""
      init(name: String) { self.name = name }
    }
    @Model final class Cup {
      var size = 0
      init(size: Int) { self.size = size }
    }
  }

  enum TwoNewerStores: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Tea.self, Cup.self] }
    @Model final class Tea {
      var name = ""
      var origin = ""
      init(name: String) { self.name = name }
    }
    @Model final class Cup {
      var size = 0
      var handle = true
      init(size: Int) { self.size = size }
    }
  }

  enum PlanOfTwo: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [TwoStores.self, TwoNewerStores.self] }
    static var stages: [MigrationStage] {
      [
        .custom(
          fromVersion: TwoStores.self, toVersion: TwoNewerStores.self, willMigrate: nil,
          didMigrate: { context in
            for tea in try context.fetch(FetchDescriptor<TwoNewerStores.Tea>()) { tea.origin = "told" }
            try context.save()
          })
      ]
    }
  }

  @Test("Several stores follow a plan, each with its own models", .configuredStores)
  func versionsOfSeveral() throws {
    let (one, other) = (try Place(), try Place())
    func open(
      _ version: any VersionedSchema.Type, _ first: any PersistentModel.Type,
      _ second: any PersistentModel.Type
    ) throws -> ModelContext {
      ModelContext(
        try ModelContainer(
          for: Schema(versionedSchema: version), migrationPlan: PlanOfTwo.self,
          configurations: [
            one.configuration("tea", schema: Schema([first])),
            other.configuration("cups", schema: Schema([second])),
          ]))
    }
    do {
      let context = try open(TwoStores.self, TwoStores.Tea.self, TwoStores.Cup.self)
      context.insert(TwoStores.Tea(name: "Assam"))
      context.insert(TwoStores.Cup(size: 2))
      try context.save()
    }
    let context = try open(TwoNewerStores.self, TwoNewerStores.Tea.self, TwoNewerStores.Cup.self)
    #expect(try context.fetch(FetchDescriptor<TwoNewerStores.Tea>()).map(\.origin) == ["told"])
    #expect(try context.fetch(FetchDescriptor<TwoNewerStores.Cup>()).map(\.handle) == [true])
  }

  @Test(
    "A store of one among several configurations opens with its own classes alone, and with all again",
    .configuredStores)
  func oneOfSeveral() throws {
    let (one, other) = (try Place(), try Place())
    func open(_ count: Int) throws -> ModelContext {
      let configurations = [
        try one.configuration("teams", schema: Schema([Team.self])),
        try other.configuration("zoo", schema: Schema([Dog.self])),
      ]
      return ModelContext(
        try ModelContainer(
          for: Schema(count == 1 ? [Team.self] : [Team.self, Dog.self]),
          configurations: Array(configurations.prefix(count))))
    }
    do {
      let context = try open(2)
      context.insert(Team(name: "Reds"))
      context.insert(Dog(name: "Rex", breed: "Spitz"))
      try context.save()
    }
    #expect(try open(1).fetch(FetchDescriptor<Team>()).map(\.name) == ["Reds"])
    let again = try open(2)
    #expect(try again.fetch(FetchDescriptor<Team>()).map(\.name) == ["Reds"])
    #expect(try again.fetch(FetchDescriptor<Dog>()).map(\.name) == ["Rex"])
  }

  @Test("A new store's key goes into every vault, and its recovery code is shown once")
  func keys() throws {
    let place = try Place()
    let file = KeyFileVault(url: place.url.deletingLastPathComponent().appendingPathComponent("keys"))
    let codes = Locked<[Int]>([])
    var configuration = ModelConfiguration(url: place.url, keyVault: place.vault)
    configuration.keyVaults.append(file)
    configuration.recoveryCodeHandler = { code in
      codes.withLock { $0.append(code.withText { $0.count }) }
    }
    #expect(configuration.keyVaults.count == 2 && configuration.keyVault.name == place.vault.name)
    for _ in 0..<2 { _ = try ModelContainer(for: Team.self, configurations: configuration) }
    #expect(codes.withLock { $0 }.count == 1 && codes.withLock { $0 }.allSatisfy { $0 >= 60 })
    // Either vault alone opens it.
    for vault in configuration.keyVaults {
      let alone = ModelConfiguration(url: place.url, keyVault: vault)
      #expect(
        try ModelContext(ModelContainer(for: Team.self, configurations: alone)).registeredModelCount == 0)
    }
  }

  @Test(
    "The keyring has the key under the program's name, and a search for the store finds it",
    .enabled(if: ProcessInfo.processInfo.environment["STRONGROOM_PRIVATE_KEYRING"] == "1"))
  func keyring() async throws {
    let place = try Place()
    var configuration = ModelConfiguration(url: place.url)
    configuration.applicationIdentifier = "org.example.teams"
    _ = try ModelContainer(for: Team.self, configurations: configuration)
    let head = try Data(contentsOf: place.url).prefix(16)
    let store = UUID(uuid: head.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
    let vault = SecretServiceVault()
    let keys = try await vault.keys(for: store, interaction: .silent)
    #expect(keys.count == 1)
    let plain = ModelConfiguration(url: place.url)
    _ = try ModelContainer(for: Team.self, configurations: plain)
    for key in keys { try await vault.remove(key.identifier, for: store, interaction: .silent) }
    #expect(try await configuration.keyVault.keys(for: store, interaction: .silent).isEmpty)
  }

  @Test("Opening holds none of the threads that tasks share", .configuredStores)
  func manyAtOnce() async throws {
    let place = try Place()
    _ = try place.container(for: Team.self)
    let counts = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<24 {
        group.addTask {
          try ModelContext(place.container(for: Team.self)).fetchCount(FetchDescriptor<Team>())
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(counts == Array(repeating: 0, count: 24))
  }
}
