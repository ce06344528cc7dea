import Foundation
import ObjectContext
import ObjectModel
import StoreContract
import StoreTestKit

extension ContextCheck {
  static let metadata: [ContextCheck] = [
    ContextCheck(
      "a store's metadata says what it is, beside what the program wrote (metadataForPersistentStore:)"
    ) {
      factory in
      let scenario = try await ContextScenario(factory)
      let (coordinator, store) = (scenario.coordinator, scenario.store)
      func own(_ scenario: ContextScenario) throws -> [String: String] {
        let metadata = scenario.coordinator.metadata(for: scenario.store)
        try expect(metadata["NSStoreUUID"] == scenario.store.identifier.uuidString, "the UUID")
        try expect(metadata["NSStoreType"] == type(of: scenario.store).storeType, "the type")
        let hashes = try JSONDecoder().decode(
          [String: Data].self, from: Data((metadata["NSStoreModelVersionHashes"] ?? "").utf8))
        let wanted = scenario.model.entities.map { ($0.name, $0.versionHash) }
        try expect(hashes == Dictionary(uniqueKeysWithValues: wanted), "the hashes")
        try expect(scenario.store.entityVersionHashes == hashes, "the same as data")
        try expect(metadata["NSStoreModelVersionIdentifiers"] == "[]", "the version's names")
        return metadata.filter { !$0.key.hasPrefix("NSStore") }
      }
      try expect(own(scenario).isEmpty, "nothing of the program's")
      try coordinator.setMetadata(["colour": "blue", "NSStoreUUID": "none"], for: store)
      try expect(own(scenario) == ["colour": "blue"], "the program's own, and no other UUID")
      let context = scenario.newContext()
      try Fixtures.make("Desk", ["number": 1], in: context)
      try context.save()
      try expect(own(scenario) == ["colour": "blue"], "a save leaves it")
      try coordinator.setMetadata(coordinator.metadata(for: store).merging(["size": "1"]) { $1 }, for: store)
      try expect(own(scenario) == ["colour": "blue", "size": "1"], "written back with more")
      try coordinator.setMetadata(["size": "2"], for: store)
      try expect(own(scenario) == ["size": "2"], "in place of the old")
      if let again = try await scenario.reopened() { try expect(own(again) == ["size": "2"], "it lasts") }
      let stranger = try await ContextScenario(factory)
      try expectContextError(.noStore, "another coordinator's store") {
        try coordinator.setMetadata([:], for: stranger.store)
      }
      try expect(
        PersistentStoreCoordinator.registeredStoreTypes["InMemory"] == InMemoryStore.self, "the types")
    }
  ]
}
