import Foundation
import Logging
import Strongroom
import StrongroomData
import Testing

/// What Deployment.md says of logging.
@Suite("Logging")
struct LoggingTests {
  @Test("A store has a logger")
  func logger() async throws {
    let place = try Place()
    let vault = InMemoryVault()
    var configuration = ModelConfiguration(url: place.file("visits.store"))
    configuration.keyVault = vault
    configuration.logger = Logger(label: "visits")
    _ = try ModelContainer(for: Visit.self, configurations: configuration)

    var description = PersistentStoreDescription(url: place.file("visits.store"), vault: vault)
    description.logger = Logger(label: "visits")
    description.logLabel = "visits of today"
    description.slowStatementMilliseconds = 250
    let model = try await SQLCipherStore.storedModel(description)
    let container = PersistentContainer(
      name: "visits", managedObjectModel: model, persistentStoreDescription: description)
    try await container.loadPersistentStores()
    #expect(container.persistentStoreDescription.slowStatementMilliseconds == 250)
  }
}
