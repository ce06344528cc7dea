import Foundation
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

  @Test("Several stores, each with classes of its own")
  func several() throws {
    let (one, other) = (try Place(), try Place())
    func open() throws -> ModelContainer {
      try ModelContainer(
        for: Schema([Team.self, Keeper.self, Dog.self]),
        configurations: [
          ModelConfiguration("teams", schema: Schema([Team.self]), url: one.url, keyVault: one.vault),
          ModelConfiguration(
            "zoo", schema: Schema([Keeper.self, Dog.self]), url: other.url, keyVault: other.vault),
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

  @Test("A store opened for reading refuses to save")
  func readOnly() throws {
    let place = try Place()
    let context = ModelContext(try place.container(for: Team.self))
    context.insert(Team(name: "Reds"))
    try context.save()
    let reading = ModelContext(
      try ModelContainer(
        for: Team.self,
        configurations: ModelConfiguration(url: place.url, allowsSave: false, keyVault: place.vault)))
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

  @Test("A store of an older version follows its plan, and one of a newer version is left as it is")
  func versions() throws {
    let place = try Place()
    do {
      let context = ModelContext(
        try ModelContainer(
          for: Schema(versionedSchema: Older.self), migrationPlan: Plan.self,
          configurations: ModelConfiguration(url: place.url, keyVault: place.vault)))
      context.insert(Older.Note())
      try context.save()
    }
    do {
      let context = ModelContext(
        try ModelContainer(
          for: Schema(versionedSchema: Newer.self), migrationPlan: Plan.self,
          configurations: ModelConfiguration(url: place.url, keyVault: place.vault)))
      #expect(try context.fetch(FetchDescriptor<Newer.Note>()).map(\.body) == [""])
    }
    #expect(throws: SwiftDataError.backwardMigration) {
      try ModelContainer(
        for: Schema(versionedSchema: Older.self), migrationPlan: Plan.self,
        configurations: ModelConfiguration(url: place.url, keyVault: place.vault))
    }
  }

  @Test("Opening holds none of the threads that tasks share")
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
