// Stands for: schemas in versions with models nested in enumerations and in their extensions,
// identifiers as constants and computed, a plan with a lightweight and two custom stages, renaming
// with `originalName`, clean-up before a unique constraint, values moved into a new model, type
// aliases to the newest version.

import Foundation
import SwiftData

typealias Plant = GardenSchemaV4.Plant
typealias Bed = GardenSchemaV4.Bed

// MARK: - Version 1

enum GardenSchemaV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)

  static var models: [any PersistentModel.Type] {
    [Plant.self]
  }

  @Model
  final class Plant {
    var name: String
    var planted: Date
    var bedName: String
    var height: Int

    init(name: String, planted: Date, bedName: String, height: Int = 0) {
      self.name = name
      self.planted = planted
      self.bedName = bedName
      self.height = height
    }
  }
}

// MARK: - Version 2: notes, and a better name for the date

enum GardenSchemaV2: VersionedSchema {
  static var versionIdentifier: Schema.Version { .init(1, 1, 0) }
  static var models: [any PersistentModel.Type] { [GardenSchemaV2.Plant.self, Watering.self] }
}

extension GardenSchemaV2 {
  @Model
  final class Plant {
    var name: String
    @Attribute(originalName: "planted") var plantedOn: Date
    var bedName: String
    var height: Int
    var notes: String = ""
    var isThirsty: Bool = true

    @Relationship(deleteRule: .cascade, inverse: \Watering.plant)
    var waterings: [Watering] = []

    init(name: String, plantedOn: Date, bedName: String, height: Int = 0) {
      self.name = name
      self.plantedOn = plantedOn
      self.bedName = bedName
      self.height = height
    }
  }

  @Model
  final class Watering {
    var litres: Double
    var plant: Plant?

    init(litres: Double) { self.litres = litres }
  }
}

// MARK: - Version 3: one plant of a name

enum GardenSchemaV3: VersionedSchema {
  static let versionIdentifier: Schema.Version = .init(2, 0, 0)
  static let models: [any PersistentModel.Type] = [GardenSchemaV3.Plant.self, GardenSchemaV3.Watering.self]

  @Model
  final class Plant {
    @Attribute(.unique) var name: String
    var plantedOn: Date
    var bedName: String
    var height: Int
    var notes: String = ""
    var isThirsty: Bool = true

    @Relationship(deleteRule: .cascade, inverse: \Watering.plant)
    var waterings: [Watering] = []

    init(name: String, plantedOn: Date, bedName: String, height: Int = 0) {
      self.name = name
      self.plantedOn = plantedOn
      self.bedName = bedName
      self.height = height
    }
  }

  @Model
  final class Watering {
    var litres: Double
    var plant: Plant?

    init(litres: Double) { self.litres = litres }
  }
}

// MARK: - Version 4: beds are models

enum GardenSchemaV4: VersionedSchema {
  static let versionIdentifier = Schema.Version(3, 0, 0)
  static var models: [any PersistentModel.Type] { [Plant.self, Watering.self, Bed.self] }

  @Model
  final class Plant {
    #Unique<Plant>([\.name])

    var name: String
    var plantedOn: Date
    /// Kept for the stage that makes the beds.
    var bedName: String
    @Attribute(originalName: "height") var heightInCentimetres: Int
    var notes: String = ""
    var isThirsty: Bool = true
    var bed: Bed?

    @Relationship(deleteRule: .cascade, inverse: \Watering.plant)
    var waterings: [Watering] = []

    init(name: String, plantedOn: Date = .now, bed: Bed? = nil) {
      self.name = name
      self.plantedOn = plantedOn
      self.bedName = bed?.name ?? ""
      self.heightInCentimetres = 0
      self.bed = bed
    }
  }

  @Model
  final class Watering {
    var litres: Double
    var plant: Plant?

    init(litres: Double) { self.litres = litres }
  }

  @Model
  final class Bed {
    @Attribute(.unique) var name: String
    @Relationship(inverse: \Plant.bed) var plants: [Plant] = []

    init(name: String) { self.name = name }
  }
}

// MARK: - The plan

enum GardenMigrationPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] {
    [GardenSchemaV1.self, GardenSchemaV2.self, GardenSchemaV3.self, GardenSchemaV4.self]
  }

  static var stages: [MigrationStage] {
    [migrateV1toV2, migrateV2toV3, migrateV3toV4]
  }

  static let migrateV1toV2 = MigrationStage.lightweight(
    fromVersion: GardenSchemaV1.self, toVersion: GardenSchemaV2.self)

  static let migrateV2toV3 = MigrationStage.custom(
    fromVersion: GardenSchemaV2.self,
    toVersion: GardenSchemaV3.self,
    willMigrate: { context in
      let plants = try context.fetch(
        FetchDescriptor<GardenSchemaV2.Plant>(
          sortBy: [SortDescriptor(\.name), SortDescriptor(\.plantedOn, order: .reverse)]))
      var seen: Set<String> = []
      for plant in plants where !seen.insert(plant.name).inserted {
        context.delete(plant)
      }
      try context.save()
    },
    didMigrate: nil
  )

  static var migrateV3toV4: MigrationStage {
    .custom(
      fromVersion: GardenSchemaV3.self, toVersion: GardenSchemaV4.self, willMigrate: nil,
      didMigrate: { context in
        var beds: [String: Bed] = [:]
        for plant in try context.fetch(FetchDescriptor<Plant>()) where !plant.bedName.isEmpty {
          let bed = beds[plant.bedName] ?? Bed(name: plant.bedName)
          beds[plant.bedName] = bed
          plant.bed = bed
          plant.notes += plant.notes.isEmpty ? "Moved" : "; moved"
        }
        try context.save()
      })
  }
}

extension Plant {
  static var thirsty: FetchDescriptor<Plant> {
    FetchDescriptor(predicate: #Predicate { $0.isThirsty }, sortBy: [SortDescriptor(\.name)])
  }

  func water(_ litres: Double) {
    waterings.append(GardenSchemaV4.Watering(litres: litres))
    isThirsty = false
  }
}
