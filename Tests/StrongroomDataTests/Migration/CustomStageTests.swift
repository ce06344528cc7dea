import Foundation
import StrongroomData
import Synchronization
import Testing

/// A stage that splits a name, with what it knew kept in memory in between, as people write it.
enum SplitNames {
  enum Before: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Person.self] }
    @Model final class Person {
      var number = 0
      var name = ""
      init(_ number: Int, _ name: String) {
        self.number = number
        self.name = name
      }
    }
  }

  enum After: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Person.self] }
    @Model final class Person {
      var number = 0
      var first = ""
      var last = ""
      init(_ number: Int) { self.number = number }
    }
  }

  struct Interrupted: Error {}

  enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [Before.self, After.self] }
    static var stages: [MigrationStage] {
      [.custom(fromVersion: Before.self, toVersion: After.self, willMigrate: will, didMigrate: did)]
    }
  }

  static let names = Mutex<[Int: String]>([:])
  static let interruptions = Mutex(0)

  @Sendable static func will(_ context: ModelContext) throws {
    let people = try context.fetch(FetchDescriptor<Before.Person>())
    names.withLock { names in for person in people { names[person.number] = person.name } }
  }

  @Sendable static func did(_ context: ModelContext) throws {
    let isInterrupted = interruptions.withLock { left in
      left -= 1
      return left >= 0
    }
    for person in try context.fetch(FetchDescriptor<After.Person>()) {
      let parts = names.withLock { $0[person.number] ?? "" }.split(separator: " ").map(String.init)
      (person.first, person.last) = (parts.first ?? "", parts.last ?? "")
    }
    try context.save()
    if isInterrupted { throw Interrupted() }
  }
}

@Suite("A stage with work of the program's own is done whole or not at all", .configuredStores)
struct CustomStageTests {
  private func open(_ place: Place, _ version: any VersionedSchema.Type) throws -> ModelContext {
    ModelContext(
      try ModelContainer(
        for: Schema(versionedSchema: version), migrationPlan: SplitNames.Plan.self,
        configurations: place.configuration()))
  }

  @Test(
    "Values that a stage saves in memory survive a program that was stopped during the migration")
  func interrupted() throws {
    let place = try Place()
    SplitNames.names.withLock { $0 = [:] }
    do {
      let context = try open(place, SplitNames.Before.self)
      context.insert(SplitNames.Before.Person(1, "Ada Lovelace"))
      context.insert(SplitNames.Before.Person(2, "Jane Austen"))
      try context.save()
    }
    // A forecast calls none of the program's work.
    let forecast = try ModelContainer.migrationForecast(
      for: Schema(versionedSchema: SplitNames.After.self), migrationPlan: SplitNames.Plan.self,
      configuration: place.configuration())
    #expect(forecast.stages.map(\.kind) == [.custom] && forecast.stages.map(\.unknowns.count) == [3])
    #expect(SplitNames.names.withLock { $0.isEmpty })
    SplitNames.interruptions.withLock { $0 = 1 }
    #expect(throws: (any Error).self) { try open(place, SplitNames.After.self) }
    // As another process finds it: nothing in memory, and the store as it was.
    SplitNames.names.withLock { $0 = [:] }
    #expect(try place.copies().isEmpty)
    do {
      let before = try open(place, SplitNames.Before.self)
      let people = try before.fetch(
        FetchDescriptor<SplitNames.Before.Person>(sortBy: [SortDescriptor(\.number)]))
      #expect(people.map(\.name) == ["Ada Lovelace", "Jane Austen"])
    }
    let people = try open(place, SplitNames.After.self).fetch(
      FetchDescriptor<SplitNames.After.Person>(sortBy: [SortDescriptor(\.number)]))
    #expect(people.map(\.first) == ["Ada", "Jane"])
    #expect(people.map(\.last) == ["Lovelace", "Austen"])
    // The names that have no place any more are in the store from before, under a name of its own.
    let copies = try place.copies()
    #expect(copies.count == 1 && copies.allSatisfy { $0.contains("before") })
  }
}
