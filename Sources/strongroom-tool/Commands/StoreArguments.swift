import ArgumentParser
import Foundation
import Strongroom

/// The options that say which vaults are asked for a key, for every command.
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

  /// The command that shows what opens a store when its key is lost.
  func recoveryCommand(_ store: String) -> String {
    (["strongroom", "key", "recovery", "show"] + vaultNames.flatMap { ["--vault", $0.argument] } + [store])
      .map(\.shellWord).joined(separator: " ")
  }

  /// The model that is stored in a store.
  /// - Throws: `ToolFailure` that says what the file is when it is not a store; otherwise the
  ///   error of opening it.
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

extension String {
  /// The text as one word of a shell's command line.
  var shellWord: String {
    let isPlain = allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/._-:+,=@".contains($0)) }
    return isPlain && !isEmpty ? self : "'\(replacing("'", with: "'\\''"))'"
  }
}

/// The arguments that name a store, for every command on one.
struct StoreArguments: ParsableArguments {
  @Argument(help: "The store's file.", completion: .file())
  var store: String

  @OptionGroup var keys: KeyArguments

  func description() -> PersistentStoreDescription { keys.description(store) }

  /// Opens the store with the model that is stored in it; for reading only, where its file cannot be
  /// written to.
  ///
  /// - Parameter description: The caller's `description()`, if it has one, so that a passphrase is
  ///   not asked for twice.
  /// - Returns: The container, and the one store in it.
  /// - Throws: what opening throws.
  func open(_ description: PersistentStoreDescription? = nil) async throws -> (
    container: PersistentContainer, store: SQLCipherStore
  ) {
    var description = description ?? self.description()
    if !FileManager.default.isWritableFile(atPath: store) { description.isReadOnly = true }
    let container = PersistentContainer(
      managedObjectModel: try await KeyArguments.model(description), description: description)
    try await container.loadPersistentStores()
    guard let store = try container.persistentStoreCoordinator.persistentStore as? SQLCipherStore else {
      throw ValidationError("\(self.store) is not an encrypted store")
    }
    return (container, store)
  }
}
