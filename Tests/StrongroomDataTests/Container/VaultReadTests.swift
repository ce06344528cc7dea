import CountingVault
import Foundation
import StrongroomData
import Testing

/// A plan with stages of both kinds.
private enum Growing {
  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }
    @Model final class Item {
      var number = 0
      init(_ number: Int) { self.number = number }
    }
  }

  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }
    @Model final class Item {
      var number = 0
      var a = ""
      init(_ number: Int) { self.number = number }
    }
  }

  enum V3: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }
    @Model final class Item {
      var number = 0
      var a = ""
      var b = ""
      init(_ number: Int) { self.number = number }
    }
  }

  enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self, V3.self] }
    static var stages: [MigrationStage] {
      [
        .lightweight(fromVersion: V1.self, toVersion: V2.self),
        .custom(fromVersion: V2.self, toVersion: V3.self, willMigrate: { _ in }, didMigrate: { _ in }),
      ]
    }
  }
}

@Suite("A staged migration")
struct VaultReadTests {
  @Test("reads the vaults once, whatever its stages do")
  func stages() async throws {
    let place = try Place()
    let vault = CountingVault(place.vault)
    func open(_ version: any VersionedSchema.Type) throws -> ModelContext {
      ModelContext(
        try ModelContainer(
          for: Schema(versionedSchema: version), migrationPlan: Growing.Plan.self,
          configurations: ModelConfiguration(url: place.url, keyVault: vault)))
    }
    do {
      let context = try open(Growing.V1.self)
      context.insert(Growing.V1.Item(1))
      try context.save()
    }
    let reads = try await vault.reads {
      let items = try open(Growing.V3.self).fetch(FetchDescriptor<Growing.V3.Item>())
      #expect(items.map(\.number) == [1])
    }
    #expect(reads == 1)
    let later = try await vault.reads {
      let count = try open(Growing.V3.self).fetchCount(FetchDescriptor<Growing.V3.Item>())
      #expect(count == 1)
    }
    #expect(later == 1)
  }
}
