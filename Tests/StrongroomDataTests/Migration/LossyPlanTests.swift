import Foundation
import StrongroomData
import Testing

/// Six versions, each without one more property of the first.
private enum Shrinking {
  enum V1: VersionedSchema {
    static let versionIdentifier = Schema.Version(1, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }
    @Model final class Item {
      var number = 0
      var a = ""
      var b = ""
      var c = ""
      var d = ""
      var e = ""
      var f = ""
      init(_ number: Int) { self.number = number }
    }
  }

  enum V2: VersionedSchema {
    static let versionIdentifier = Schema.Version(2, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }
    @Model final class Item {
      var number = 0
      var b = ""
      var c = ""
      var d = ""
      var e = ""
      var f = ""
      init(_ number: Int) { self.number = number }
    }
  }

  enum V3: VersionedSchema {
    static let versionIdentifier = Schema.Version(3, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }
    @Model final class Item {
      var number = 0
      var c = ""
      var d = ""
      var e = ""
      var f = ""
      init(_ number: Int) { self.number = number }
    }
  }

  enum V4: VersionedSchema {
    static let versionIdentifier = Schema.Version(4, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }
    @Model final class Item {
      var number = 0
      var d = ""
      var e = ""
      var f = ""
      init(_ number: Int) { self.number = number }
    }
  }

  enum V5: VersionedSchema {
    static let versionIdentifier = Schema.Version(5, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }
    @Model final class Item {
      var number = 0
      var e = ""
      var f = ""
      init(_ number: Int) { self.number = number }
    }
  }

  enum V6: VersionedSchema {
    static let versionIdentifier = Schema.Version(6, 0, 0)
    static var models: [any PersistentModel.Type] { [Item.self] }
    @Model final class Item {
      var number = 0
      var f = ""
      init(_ number: Int) { self.number = number }
    }
  }

  enum Plan: SchemaMigrationPlan {
    static var schemas: [any VersionedSchema.Type] { [V1.self, V2.self, V3.self, V4.self, V5.self, V6.self] }
    static var stages: [MigrationStage] {
      [
        .lightweight(fromVersion: V1.self, toVersion: V2.self),
        .lightweight(fromVersion: V2.self, toVersion: V3.self),
        .lightweight(fromVersion: V3.self, toVersion: V4.self),
        .lightweight(fromVersion: V4.self, toVersion: V5.self),
        .lightweight(fromVersion: V5.self, toVersion: V6.self),
      ]
    }
  }
}

@Suite("A plan of which several stages drop data")
struct LossyPlanTests {
  @Test("leaves one copy, of the store from before the first of them")
  func manyStages() throws {
    let place = try Place()
    func open(_ version: any VersionedSchema.Type, at url: URL? = nil) throws -> ModelContext {
      ModelContext(
        try ModelContainer(
          for: Schema(versionedSchema: version), migrationPlan: Shrinking.Plan.self,
          configurations: ModelConfiguration(url: url ?? place.url, keyVault: place.vault)))
    }
    do {
      let context = try open(Shrinking.V1.self)
      let item = Shrinking.V1.Item(1)
      (item.a, item.b, item.c, item.d, item.e, item.f) = ("a", "b", "c", "d", "e", "f")
      context.insert(item)
      try context.save()
    }
    do {
      let items = try open(Shrinking.V6.self).fetch(FetchDescriptor<Shrinking.V6.Item>())
      #expect(items.map(\.f) == ["f"])
    }
    let name = place.url.lastPathComponent + ".before-migration"
    let folder = place.url.deletingLastPathComponent()
    let copies = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
      $0.contains("before-migration")
    }
    #expect(copies == [name])
    let old = try open(Shrinking.V1.self, at: folder.appendingPathComponent(name))
    let items = try old.fetch(FetchDescriptor<Shrinking.V1.Item>())
    #expect(items.map { $0.a + $0.b + $0.c + $0.d + $0.e + $0.f } == ["abcdef"])
  }
}
