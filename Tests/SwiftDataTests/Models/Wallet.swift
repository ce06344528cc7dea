// Stands for: versions of a model that a test of the program goes through on the main actor in one
// go: it fills the first version's store by `mainContext`, lets it go, and opens the same file with
// the plan.

import Foundation
import SwiftData

enum WalletV1: VersionedSchema {
  static let versionIdentifier = Schema.Version(1, 0, 0)
  static var models: [any PersistentModel.Type] { [Coin.self] }

  @Model
  final class Coin {
    var title: String
    var amount: Double

    init(title: String, amount: Double) {
      self.title = title
      self.amount = amount
    }
  }
}

enum WalletV2: VersionedSchema {
  static let versionIdentifier = Schema.Version(2, 0, 0)
  static var models: [any PersistentModel.Type] { [Coin.self, Purse.self] }

  @Model
  final class Coin {
    #Unique<Coin>([\.name])
    @Attribute(originalName: "title") var name: String
    var amount: Double
    var cents: Int = 0
    var purse: Purse?

    init(name: String, cents: Int) {
      self.name = name
      self.amount = Double(cents) / 100
      self.cents = cents
    }
  }

  @Model
  final class Purse {
    @Relationship(deleteRule: .cascade, inverse: \Coin.purse) var coins: [Coin] = []
    init() {}
  }
}

enum WalletPlan: SchemaMigrationPlan {
  static var schemas: [any VersionedSchema.Type] { [WalletV1.self, WalletV2.self] }
  static var stages: [MigrationStage] { [toCents] }

  static let toCents = MigrationStage.custom(
    fromVersion: WalletV1.self, toVersion: WalletV2.self,
    willMigrate: { context in
      var seen: Swift.Set<String> = []
      for coin in try context.fetch(FetchDescriptor<WalletV1.Coin>(sortBy: [SortDescriptor(\.amount)]))
      where !seen.insert(coin.title).inserted {
        context.delete(coin)
      }
      try context.save()
    },
    didMigrate: { context in
      for coin in try context.fetch(FetchDescriptor<WalletV2.Coin>()) {
        coin.cents = Int((coin.amount * 100).rounded())
      }
      try context.save()
    })
}

/// Opens a wallet's file.
@MainActor
func openWallet<Schemas: VersionedSchema>(
  _ version: Schemas.Type, migrationPlan: (any SchemaMigrationPlan.Type)? = nil,
  _ configuration: any DataStoreConfiguration
) throws -> ModelContainer {
  try ModelContainer(
    for: Schema(versionedSchema: version), migrationPlan: migrationPlan, configurations: [configuration])
}

/// The saves of a context, as many coins as each inserted.
@MainActor
func coinsSaved(by context: ModelContext) -> some AsyncSequence<Int, Never> {
  NotificationCenter.default.notifications(named: ModelContext.didSave, object: context).map { note in
    let inserted = note.userInfo?[ModelContext.NotificationKey.insertedIdentifiers.rawValue]
    return (inserted as? [PersistentIdentifier])?.count ?? 0
  }
}
