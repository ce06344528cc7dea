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

  /// The model that a store describes itself with.
  /// - Throws: `ToolFailure` that tells what the file is when it cannot be opened and is no store.
  static func model(_ description: PersistentStoreDescription) async throws -> ManagedObjectModel {
    do {
      return try await SQLCipherStore.storedModel(description)
    } catch {
      let codes: [StoreError.Code] = [.keyMissing, .fileEmpty, .fileTruncated, .notWritable]
      let code = (error as? StoreError)?.code
      guard error is KeyringError || code.map(codes.contains) == true else { throw error }
      guard let path = description.url?.path,
        let reason = ForeignFile.reason(path, hasKey: code != .keyMissing)
      else { throw error }
      throw ToolFailure(reason.isCertain ? reason.text : "\(error); \(reason.text)")
    }
  }
}

/// Which store, for every command on one.
struct StoreArguments: ParsableArguments {
  @Argument(help: "The store's file.", completion: .file())
  var store: String

  @OptionGroup var keys: KeyArguments

  func description() -> PersistentStoreDescription { keys.description(store) }

  /// The store, opened with the model it describes itself with.
  /// - Parameter description: `description()` where the caller has asked for it, so that nothing is asked twice.
  func open(_ description: PersistentStoreDescription? = nil) async throws -> (
    container: PersistentContainer, store: SQLCipherStore
  ) {
    let description = description ?? self.description()
    let container = PersistentContainer(
      managedObjectModel: try await KeyArguments.model(description), description: description)
    try await container.loadPersistentStores()
    guard let store = try container.persistentStoreCoordinator.persistentStore as? SQLCipherStore else {
      throw ValidationError("\(self.store) is not an encrypted store")
    }
    return (container, store)
  }
}
