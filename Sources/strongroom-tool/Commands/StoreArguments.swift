import ArgumentParser
import Strongroom

/// How the keyring and other vaults are asked, for every command.
struct KeyArguments: ParsableArguments {
  @Option(name: .customLong("vault"), help: VaultName.help) var vaultNames: [VaultName] = []

  @Option(help: "A file whose first line is the passphrase.", completion: .file())
  var passphraseFile: String?

  @Flag(help: "Let the keyring ask for its password when it is locked.")
  var prompt = false

  func description(_ store: String, create: Bool = false) -> PersistentStoreDescription {
    var description = PersistentStoreDescription(
      type: SQLCipherStore.storeType, url: URL(fileURLWithPath: store))
    let names = vaultNames.isEmpty ? [VaultName(.keyring)] : vaultNames
    description.keyVaults = names.map {
      $0.vault(for: store, passphraseFile: passphraseFile, isNew: create)
    }
    description.createsIfMissing = create
    description.keyInteraction = prompt ? .prompt : .silent
    return description
  }
}

/// Which store, for every command on one.
struct StoreArguments: ParsableArguments {
  @Argument(help: "The store's file.", completion: .file())
  var store: String

  @OptionGroup var keys: KeyArguments

  func description() -> PersistentStoreDescription { keys.description(store) }

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
