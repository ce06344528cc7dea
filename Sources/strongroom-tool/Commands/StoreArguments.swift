import ArgumentParser
import Foundation
import StoreContract
import Strongroom
import StrongroomPostgres

/// The options that say which vaults are asked for a key, for every command.
struct KeyArguments: ParsableArguments {
  @Option(name: .customLong("vault"), help: VaultName.help) var vaultNames: [VaultName] = []

  @Option(help: "A file whose first line is the passphrase.", completion: .file())
  var passphraseFile: String?

  @Flag(help: "Let the keyring ask for its password when it is locked.")
  var prompt = false

  /// A store of either kind: a file, or one on a server.
  func description(_ store: String, create: Bool = false) throws -> PersistentStoreDescription {
    guard ServerAddressText(store) != nil else { return file(store, create) }
    PersistentStoreCoordinator.registerStoreClass(PostgresStore.self)
    var description = try PersistentStoreDescription(serverAddress: store)
    description.createsIfMissing = create
    return description
  }

  /// A store in a file.
  /// - `otherwise`: Why a server does not do, and what does.
  /// - Throws: `ValidationError` for the address of a server.
  func file(
    _ store: String, create: Bool = false, otherwise reason: String
  ) throws -> PersistentStoreDescription {
    guard ServerAddressText(store) == nil else {
      throw ValidationError("this command takes a file and no server: \(reason)")
    }
    return file(store, create)
  }

  private func file(_ store: String, _ create: Bool) -> PersistentStoreDescription {
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
      return try await description.storeClass.storedModel(description)
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

extension PersistentStoreDescription {
  var isOnServer: Bool { type == PostgresStore.storeType }

  /// The class of the two kinds of store that the tool knows.
  var storeClass: any (MigratableStore & FillableStore).Type {
    isOnServer ? PostgresStore.self : SQLCipherStore.self
  }
}

extension String {
  /// The text as one word of a shell's command line, without the password of an address.
  var shellWord: String {
    let text = ServerAddressText(self) == nil ? self : ServerAddressText.redacted(self, [self])
    let isPlain = text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/._-:+,=@".contains($0)) }
    return isPlain && !isEmpty ? text : "'\(text.replacing("'", with: "'\\''"))'"
  }
}

/// The arguments that name a store, for every command on one.
struct StoreArguments: ParsableArguments {
  @Argument(
    help: "The store's file, or for most commands its server: postgresql://user@host/database?schema=name.",
    completion: .file())
  var store: String

  @OptionGroup var keys: KeyArguments

  /// The arguments of a command that names several stores.
  static func at(_ store: String, _ keys: KeyArguments) -> StoreArguments {
    var arguments = StoreArguments()
    (arguments.store, arguments.keys) = (store, keys)
    return arguments
  }

  func description() throws -> PersistentStoreDescription { try keys.description(store) }

  /// The store, which has to be a file.
  func file(otherwise reason: String) throws -> PersistentStoreDescription {
    try keys.file(store, otherwise: reason)
  }

  /// The store, which has to have a key.
  func keyedFile() throws -> PersistentStoreDescription {
    try file(otherwise: "a server asks for a user and a password, and has no key of its stores")
  }

  /// Opens the store with the model that is stored in it; for reading only, where its file cannot be
  /// written to.
  ///
  /// - Parameters:
  ///   - description: The caller's `description()`, if it has one, so that a passphrase is not asked for
  ///     twice.
  ///   - model: The model that it has to have; nil for its own.
  /// - Returns: The container, and the one store in it.
  /// - Throws: what opening throws.
  func open(
    _ description: PersistentStoreDescription? = nil, model: ManagedObjectModel? = nil
  ) async throws -> (container: PersistentContainer, store: any IncrementalStore) {
    let given = try description ?? self.description()
    var description = given
    if !given.isOnServer, !FileManager.default.isWritableFile(atPath: store) { description.isReadOnly = true }
    description.shouldMigrateStoreAutomatically = false
    let own = try await KeyArguments.model(description)
    let container = PersistentContainer(managedObjectModel: model ?? own, description: description)
    try await container.loadPersistentStores()
    return (container, try container.persistentStoreCoordinator.persistentStore)
  }
}
