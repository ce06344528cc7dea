import ArgumentParser
import Strongroom

/// Which store, for every command.
struct StoreArguments: ParsableArguments {
  @Argument(help: "The store's file.", completion: .file())
  var store: String

  @Flag(help: "Let the keyring ask for its password when it is locked.")
  var prompt = false

  func description(create: Bool = false) -> PersistentStoreDescription {
    var description = PersistentStoreDescription(
      url: URL(fileURLWithPath: store), vault: SecretServiceVault())
    description.createsIfMissing = create
    description.keyInteraction = prompt ? .prompt : .silent
    return description
  }

  /// The store, opened with the model it describes itself with.
  func open() async throws -> (container: PersistentContainer, store: SQLCipherStore) {
    let description = description()
    let container = PersistentContainer(
      model: try await SQLCipherStore.storedModel(description), description: description)
    try await container.load()
    guard let store = try container.coordinator.store as? SQLCipherStore else {
      throw ValidationError("\(self.store) is not an encrypted store")
    }
    return (container, store)
  }
}
