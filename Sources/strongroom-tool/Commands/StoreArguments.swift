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

  /// The named vaults that a store can have: a file for a passphrase is beside a file.
  private func vaultNames(of store: String) -> [VaultName] {
    ServerAddressText(store) == nil ? vaultNames : vaultNames.filter { !$0.isPassphrase }
  }

  /// A store of either kind: a file, or one on a server.
  func description(_ store: String, create: Bool = false) throws -> PersistentStoreDescription {
    guard ServerAddressText(store) != nil else { return try file(store, create) }
    PersistentStoreCoordinator.registerStoreClass(PostgresStore.self)
    return keyed(try PersistentStoreDescription(serverAddress: store), store, create)
  }

  /// What checks a store on a server.
  static let serverCheck =
    "pg_amcheck, a program of PostgreSQL's, checks the tables of a server, and strongroom move what is"
    + " in them"

  /// A store in a file.
  /// - `otherwise`: Why a server does not do, and what does.
  /// - Throws: `ValidationError` for the address of a server.
  func file(
    _ store: String, create: Bool = false, otherwise reason: String
  ) throws -> PersistentStoreDescription {
    guard ServerAddressText(store) == nil else {
      throw ValidationError("this command takes a file and no server: \(reason)")
    }
    return try file(store, create)
  }

  private func file(_ store: String, _ create: Bool) throws -> PersistentStoreDescription {
    try LocalPath.check(store)
    return keyed(
      PersistentStoreDescription(type: SQLCipherStore.storeType, url: URL(fileURLWithPath: store)), store,
      create)
  }

  private func keyed(
    _ description: PersistentStoreDescription, _ store: String, _ create: Bool
  ) -> PersistentStoreDescription {
    var description = description
    let named = vaultNames(of: store)
    let names = named.isEmpty ? [VaultName(.keyring)] : named
    description.keyVaults = names.map {
      $0.vault(for: store, passphraseFile: passphraseFile, isNew: create)
    }
    description.createsIfMissing = create
    description.keyInteraction = prompt ? .prompt : .silent
    return description
  }

  /// Says how to see a store's recovery code.
  func recoveryNote(_ store: String) -> String {
    let vaults = vaultNames(of: store).flatMap { ["--vault", $0.argument] }
    let command = ["strongroom", "key", "recovery", "show"] + vaults + [store]
    return "to see the recovery code, which opens the store if its key is lost:"
      + " \(command.map(\.shellWord).joined(separator: " ")); write the code down"
  }

  /// The model that is stored in a store.
  /// - Throws: as `opening(_:_:)`.
  static func model(_ description: PersistentStoreDescription) async throws -> ManagedObjectModel {
    try await opening(description) {
      var description = description
      // So that a standby does.
      if description.isOnServer { description.isReadOnly = true }
      return try await description.storeClass.storedModel(description)
    }
  }

  /// Opens a store, or reads its model.
  /// - Throws: `ToolFailure` that says what a file is when it is not a store; otherwise the error of
  ///   opening it.
  static func opening<R>(
    _ description: PersistentStoreDescription, _ body: () async throws -> R
  ) async throws -> R {
    do { return try await body() } catch {
      let codes: [StoreError.Code] = [.keyMissing, .fileEmpty, .fileTruncated, .notWritable]
      let code = (error as? StoreError)?.code
      guard !description.isOnServer else { throw error }
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

  func validate() throws {
    if ServerAddressText(store) != nil, keys.vaultNames.contains(where: \.isPassphrase) {
      throw ValidationError(
        "a passphrase wraps the key of a file, in a file beside it; for a store on a server give"
          + " --vault keyring or --vault file:PATH")
    }
  }

  func description() throws -> PersistentStoreDescription { try keys.description(store) }

  /// The store, which has to be a file.
  func file(otherwise reason: String) throws -> PersistentStoreDescription {
    try keys.file(store, otherwise: reason)
  }

  /// The store, which has to be a file, since it is encrypted as a whole.
  func keyedFile() throws -> PersistentStoreDescription {
    try file(
      otherwise: "of a store there only sealed attributes have a key: strongroom key rotate puts a new one"
        + " into every vault that --vault names")
  }

  /// Opens the store with the model that is stored in it; for reading only, where its file cannot be
  /// written to.
  ///
  /// A store on a server is opened for reading, so that a standby and a user that may only read do.
  ///
  /// - Parameters:
  ///   - description: The caller's `description()`, if it has one, so that a passphrase is not asked for
  ///     twice.
  ///   - model: The model that it has to have; nil for its own.
  ///   - isWriting: Whether a store on a server is written to.
  /// - Returns: The container, and the one store in it.
  /// - Throws: what opening throws.
  func open(
    _ description: PersistentStoreDescription? = nil, model: ManagedObjectModel? = nil,
    isWriting: Bool = false
  ) async throws -> (container: PersistentContainer, store: any IncrementalStore) {
    var description = try description ?? self.description()
    let isWritable =
      description.isOnServer
      ? isWriting : FileManager.default.isWritableFile(atPath: description.url?.path ?? store)
    if !isWritable { description.isReadOnly = true }
    description.shouldMigrateStoreAutomatically = false
    let own = if let model { model } else { try await KeyArguments.model(description) }
    let container = PersistentContainer(managedObjectModel: own, description: description)
    try await KeyArguments.opening(description) { try await container.loadPersistentStores() }
    return (container, try container.persistentStoreCoordinator.persistentStore)
  }
}
