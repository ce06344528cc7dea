import Foundation
import StrongroomData
import Testing

enum Migration {
  enum ShopV1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }

    @Model final class Item {
      var name: String
      var price: Double

      init(name: String, price: Double) {
        self.name = name
        self.price = price
      }
    }
  }

  enum ShopV2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }

    @Model final class Item {
      @Attribute(.unique, originalName: "name") var title: String
      var price: Double
      var cents: Int = 0

      init(title: String, price: Double) {
        self.title = title
        self.price = price
      }
    }
  }

  enum ShopPlan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [ShopV1.self, ShopV2.self] }
    static var stages: [MigrationStage] { [oneToTwo] }

    static let oneToTwo = MigrationStage.custom(
      fromVersion: ShopV1.self, toVersion: ShopV2.self,
      willMigrate: { context in
        var seen: Set<String> = []
        for item in try context.fetch(FetchDescriptor<ShopV1.Item>()) {
          if !seen.insert(item.name).inserted { context.delete(item) }
        }
        try context.save()
      },
      didMigrate: { context in
        for item in try context.fetch(FetchDescriptor<ShopV2.Item>()) {
          item.cents = Int((item.price * 100).rounded())
        }
        try context.save()
      })
  }
}

extension Migration {
  @Suite("The manual: migration")
  struct Tests {
    @Test("A store goes through the stages of its plan, once")
    func plan() throws {
      let place = try Place()
      let (url, vault) = (place.file("shop.store"), place.vault)
      do {
        let context = ModelContext(
          try ModelContainer(
            for: Schema(versionedSchema: ShopV1.self),
            configurations: ModelConfiguration(url: url, keyVault: vault)))
        context.insert(ShopV1.Item(name: "Tea", price: 2.5))
        context.insert(ShopV1.Item(name: "Tea", price: 3))
        context.insert(ShopV1.Item(name: "Jam", price: 4.2))
        try context.save()
      }
      for _ in 1...2 {
        let container = try ModelContainer(
          for: Schema(versionedSchema: ShopV2.self), migrationPlan: ShopPlan.self,
          configurations: ModelConfiguration(url: url, keyVault: vault))
        let context = ModelContext(container)
        let items = try context.fetch(
          FetchDescriptor<ShopV2.Item>(sortBy: [SortDescriptor(\.title)]))
        #expect(items.map(\.title) == ["Jam", "Tea"] && items.map(\.cents) == [420, 250])
        #expect(
          container.migrationPlan == ShopPlan.self && container.schema.version == Schema.Version(2, 0, 0))
        items[0].price = 99  // a second run of the stage would show
        try context.save()
      }
    }

    enum Light: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [ShopV1.self, Renamed.self] }
      static var stages: [MigrationStage] {
        [.lightweight(fromVersion: ShopV1.self, toVersion: Renamed.self)]
      }
    }

    enum Renamed: VersionedSchema {
      static let versionIdentifier = Schema.Version(1, 1, 0)
      static var models: [any PersistentModel.Type] { [Item.self] }

      @Model final class Item {
        @Attribute(originalName: "name") var title: String
        var price: Double
        var isOnSale = true

        init(title: String, price: Double) {
          self.title = title
          self.price = price
        }
      }
    }

    @Test("What can be inferred needs no work, nor a plan", arguments: [false, true])
    func lightweight(hasPlan: Bool) throws {
      let place = try Place()
      let configuration = ModelConfiguration(url: place.file("shop.store"), keyVault: place.vault)
      do {
        let context = ModelContext(try ModelContainer(for: ShopV1.Item.self, configurations: configuration))
        context.insert(ShopV1.Item(name: "Tea", price: 2.5))
        try context.save()
      }
      let container = try ModelContainer(
        for: Schema(versionedSchema: Renamed.self), migrationPlan: hasPlan ? Light.self : nil,
        configurations: configuration)
      let context = ModelContext(container)
      let items = try context.fetch(FetchDescriptor<Renamed.Item>())
      #expect(items.map(\.title) == ["Tea"] && items[0].isOnSale)
    }

    enum Other: VersionedSchema {
      static let versionIdentifier = Schema.Version(3, 0, 0)
      static var models: [any PersistentModel.Type] { [Item.self] }

      @Model final class Item {
        var name: Int = 0
        var price: Double = 0
      }
    }

    @Test("What cannot be inferred leaves the store as it is")
    func refused() throws {
      let place = try Place()
      let configuration = ModelConfiguration(url: place.file("shop.store"), keyVault: place.vault)
      do {
        let context = ModelContext(try ModelContainer(for: ShopV1.Item.self, configurations: configuration))
        context.insert(ShopV1.Item(name: "Tea", price: 2.5))
        try context.save()
      }
      #expect(throws: SwiftDataError.unsupportedMigration) {
        try ModelContainer(for: Other.Item.self, configurations: configuration)
      }
      #expect(throws: SwiftDataError.unsupportedMigration) {
        try ModelContainer(
          for: Schema(versionedSchema: Other.self), migrationPlan: ShopPlan.self,
          configurations: configuration)
      }
      let again = ModelContext(try ModelContainer(for: ShopV1.Item.self, configurations: configuration))
      #expect(try again.fetch(FetchDescriptor<ShopV1.Item>()).map(\.name) == ["Tea"])
    }

    @Test("A store of a newer version is left to newer programs")
    func backward() throws {
      let place = try Place()
      let configuration = ModelConfiguration(url: place.file("shop.store"), keyVault: place.vault)
      do {
        _ = try ModelContainer(for: Schema(versionedSchema: ShopV2.self), configurations: configuration)
      }
      #expect(throws: SwiftDataError.backwardMigration) {
        try ModelContainer(
          for: Schema(versionedSchema: ShopV1.self), migrationPlan: ShopPlan.self,
          configurations: configuration)
      }
    }
  }
}
