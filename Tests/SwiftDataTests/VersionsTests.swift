// Over Models/Versions.swift: migration through every stage, and from the middle.

import Foundation
import SwiftData
import Testing

@Suite(.serialized)
final class VersionsTests {
  private let store: TestStore

  init() throws { store = try TestStore() }
  deinit { store.remove() }

  private let start = Date(timeIntervalSinceReferenceDate: 790_000_000)
  private let newest = Schema(versionedSchema: GardenSchemaV4.self)

  private func fillFirstVersion() throws {
    try store.session(for: Schema(versionedSchema: GardenSchemaV1.self)) { (context: ModelContext) throws in
      for (index, entry) in [("Rose", "East", 40), ("Rose", "West", 55), ("Sage", "East", 20)].enumerated() {
        context.insert(
          GardenSchemaV1.Plant(
            name: entry.0, planted: start + Double(index), bedName: entry.1, height: entry.2))
      }
      try context.save()
    }
  }

  @Test func versionsTellTheirModels() {
    #expect(GardenSchemaV1.versionIdentifier < GardenSchemaV2.versionIdentifier)
    #expect(GardenSchemaV4.versionIdentifier == Schema.Version(3, 0, 0))
    #expect(Set(newest.entities.map(\.name)) == ["Plant", "Watering", "Bed"])
    #expect(newest.version == GardenSchemaV4.versionIdentifier)
    #expect(GardenMigrationPlan.stages.count == GardenMigrationPlan.schemas.count - 1)
    #expect(Plant.self == GardenSchemaV4.Plant.self)
  }

  @Test func theFirstVersionGoesThroughEveryStage() throws {
    try fillFirstVersion()
    try store.session(for: newest, migrationPlan: GardenMigrationPlan.self) {
      (context: ModelContext) throws in
      let plants = try context.fetch(FetchDescriptor<Plant>(sortBy: [SortDescriptor(\.name)]))
      try #require(plants.map(\.name) == ["Rose", "Sage"])
      #expect(plants.map(\.heightInCentimetres) == [55, 20])
      #expect(plants.map(\.plantedOn) == [start + 1, start + 2])
      #expect(plants.map(\.notes) == ["Moved", "Moved"])
      #expect(plants.allSatisfy { $0.isThirsty })
      #expect(plants.map { $0.bed?.name } == ["West", "East"])
      let beds = try context.fetch(FetchDescriptor<Bed>(sortBy: [SortDescriptor(\.name)]))
      #expect(beds.map(\.name) == ["East", "West"])
      #expect(beds[0].plants.map(\.name) == ["Sage"])
    }
  }

  @Test func everyStageRunsOnce() throws {
    try fillFirstVersion()
    for _ in 1...3 {
      try store.session(for: newest, migrationPlan: GardenMigrationPlan.self) {
        (context: ModelContext) throws in
        #expect(try context.fetch(FetchDescriptor<Plant>()).allSatisfy { $0.notes == "Moved" })
        #expect(try context.count(of: Bed.self) == 2)
      }
    }
  }

  @Test func theSecondVersionKeepsWhatItHas() throws {
    try store.session(for: Schema(versionedSchema: GardenSchemaV2.self)) { (context: ModelContext) throws in
      let old = GardenSchemaV2.Plant(name: "Mint", plantedOn: start, bedName: "East")
      old.waterings = [GardenSchemaV2.Watering(litres: 9)]
      let mint = GardenSchemaV2.Plant(name: "Mint", plantedOn: start + 5, bedName: "", height: 3)
      mint.notes = "Spreads"
      mint.isThirsty = false
      mint.waterings = [GardenSchemaV2.Watering(litres: 1.5), GardenSchemaV2.Watering(litres: 2)]
      context.insert(old)
      context.insert(mint)
      try context.save()
    }
    try store.session(for: newest, migrationPlan: GardenMigrationPlan.self) {
      (context: ModelContext) throws in
      let mint = try #require(try context.fetch(FetchDescriptor<Plant>()).first)
      #expect(try context.count(of: Plant.self) == 1)
      #expect(mint.plantedOn == start + 5)
      #expect(mint.notes == "Spreads")
      #expect(!mint.isThirsty)
      #expect(mint.bed == nil)
      #expect(mint.waterings.reduce(0) { $0 + $1.litres } == 3.5)
      #expect(mint.waterings.allSatisfy { $0.plant === mint })
      #expect(try context.count(of: GardenSchemaV4.Watering.self) == 2)
    }
  }

  @Test func aPlanMayEndEarlier() throws {
    enum ShortPlan: SchemaMigrationPlan {
      static var schemas: [any VersionedSchema.Type] { [GardenSchemaV1.self, GardenSchemaV2.self] }
      static var stages: [MigrationStage] { [GardenMigrationPlan.migrateV1toV2] }
    }
    try fillFirstVersion()
    let second = Schema(versionedSchema: GardenSchemaV2.self)
    try store.session(for: second, migrationPlan: ShortPlan.self) { (context: ModelContext) throws in
      let heights = FetchDescriptor<GardenSchemaV2.Plant>(sortBy: [SortDescriptor(\.height)])
      #expect(try context.fetch(heights).map(\.bedName) == ["East", "East", "West"])
      #expect(try context.fetch(heights).map(\.plantedOn) == [start + 2, start, start + 1])
    }
    try store.session(for: newest, migrationPlan: GardenMigrationPlan.self) {
      (context: ModelContext) throws in
      #expect(try context.count(of: Plant.self) == 2)
    }
  }

  @Test func aMigratedStoreIsAStoreLikeAnother() throws {
    try fillFirstVersion()
    let configuration = store.configuration(for: newest)
    do {
      let container = try ModelContainer(
        for: Plant.self, Bed.self, migrationPlan: GardenMigrationPlan.self, configurations: configuration)
      let context = ModelContext(container)
      #expect(container.migrationPlan != nil)
      #expect(try context.fetch(Plant.thirsty).map(\.name) == ["Rose", "Sage"])
      let rose = try #require(try context.fetch(Plant.thirsty).first)
      rose.water(2)
      context.insert(Plant(name: "Sage", plantedOn: start + 100))
      context.insert(Plant(name: "Thyme", plantedOn: start, bed: rose.bed))
      try context.save()
    }
    try store.session(for: newest) { (context: ModelContext) throws in
      #expect(try context.fetch(Plant.thirsty).map(\.name) == ["Sage", "Thyme"])
      let sage = try #require(try context.fetch(Plant.thirsty).first)
      #expect(sage.plantedOn == start + 100)
      let west = try #require(try context.first(where: #Predicate<Bed> { $0.name == "West" }))
      #expect(Set(west.plants.map(\.name)) == ["Rose", "Thyme"])
      context.delete(west)
      try context.save()
      #expect(try context.count(of: Plant.self) == 3)
    }
  }
}
