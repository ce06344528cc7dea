import CipherDatabase
import Foundation
import ObjectModel
import StoreContract
import StoreKeyring

/// Makes a store's key and file.
///
/// A key is made only where there is no file, and lies in its vault, read back, before the file
/// exists. The file is made whole under another name and then given its own, so that of many
/// processes that make the same store one does, and the others open what it made; and a kill leaves
/// no half a store.
struct StoreCreation {
  let description: PersistentStoreDescription
  /// Where the store is to be, with links followed.
  let path: String
  /// Writes what the new store begins with; nil for an empty one.
  var contents: ((Connection, StoreSchema) throws -> Void)?
  /// Reads the whole store before it has its name.
  var check: ((any IncrementalStore) throws -> Void)?

  /// Makes the key, then the file.
  ///
  /// - Parameters:
  ///   - model: The model of the new store.
  ///   - empty: A file without bytes that the store replaces.
  /// - Returns: Nil when another process made the store first.
  /// - Throws: `StoreError` and the vaults' errors; there is then neither a file nor a key.
  func run(_ model: ManagedObjectModel, over empty: DatabaseFile?) async throws -> SQLCipherStore.Opened? {
    defer { empty?.release() }
    try StoreFile.checkWritable(path)
    if let empty {
      _ = try translating(path) { try empty.takeAlone(own: 1, waiting: description.busyTimeoutMilliseconds) }
      guard empty.isInPlace, empty.size == 0 else { return nil }
      if let log = File.log(beside: path) {
        throw StoreError(
          .fileEmpty,
          "the file at \(path) is empty, but \(log) may have its data; move both away, and keep them")
      }
    }
    let identifier = SQLCipherStore.identifierForNewStore()
    let life = KeyLifecycle(vaults: description.keyVaults, interaction: description.keyInteraction)
    var storedKeys: [StoredKey] = []
    if description.storeKey == nil {
      guard !description.keyVaults.isEmpty else { throw KeySearch.noVault }
      storedKeys = try await life.createKey(
        for: identifier, storeFileExists: false, label: description.keyLabel)
    }
    guard let key = description.storeKey ?? storedKeys.first?.key else { throw KeySearch.noVault }
    let cipher = StoreCipher(store: identifier, key: key, format: .version3)
    do {
      try make(model, cipher, over: empty)
    } catch {
      // No byte that anybody can read was ever written with this key, unless the file has its name.
      if empty?.isInPlace ?? true { await life.forget(storedKeys) }
      guard let error = error as? CipherError else { throw error }
      if error.code == .alreadyExists { return nil }
      throw StoreError(error, path: path)
    }
    let file = try translating(path) {
      try DatabaseFile(path, waiting: description.busyTimeoutMilliseconds)
    }
    defer { file.release() }
    let opened = try open(model, cipher, file)
    description.log?.created(identifier, keyIn: storedKeys.map(\.vault))
    if let handler = description.recoveryCodeHandler {
      handler(cipher.recoveryCode)
      // A store that opens is worth more than a note in it.
      try? opened.pool.write { try RecoveryCodeShown(key, identifier).write($0) }
    }
    return opened
  }

  private func open(
    _ model: ManagedObjectModel, _ cipher: StoreCipher, _ file: DatabaseFile
  ) throws -> SQLCipherStore.Opened {
    try translating(path) {
      let options = try description.connectionOptions(for: file)
      return try SQLCipherStore.Opened.reading(OpenSession(file, cipher, options), model)
    }
  }

  /// Makes the file under its name.
  private func make(
    _ model: ManagedObjectModel, _ cipher: StoreCipher, over empty: DatabaseFile?
  ) throws {
    let new = UnfinishedCopy.path(beside: path)
    defer { File.removeDatabase(new) }
    var options = ConnectionOptions.ofStore
    options.createIfMissing = true
    let connection = try Connection(
      path: new, key: cipher.spec, options: options)
    defer { connection.close() }
    let numbers = model.entities.indices.map { Int64($0 + 1) }
    let schema = StoreSchema(model: model, entityNumbers: numbers)
    try connection.transaction(.exclusive) {
      try StoreTable(connection).create(model: model, entityNumbers: numbers)
      for statement in schema.creation { try connection.execute(statement) }
    }
    try contents?(connection, schema)
    // Closing would move the log into the file too, and say nothing where the disk is full.
    try connection.checkpoint()
    try connection.file.sync()
    connection.close()
    try check(new, model, cipher)
    if empty != nil { try File.replace(path, with: new) } else { try File.placeDatabase(new, at: path) }
  }

  private func check(_ new: String, _ model: ManagedObjectModel, _ cipher: StoreCipher) throws {
    guard let check else { return }
    let file = try DatabaseFile(new, waiting: description.busyTimeoutMilliseconds)
    defer { file.release() }
    let opened = try open(model, cipher, file)
    defer { opened.pool.close() }
    try check(SQLCipherStore(momentOf: SQLCipherStore(model: model, description: description), opened))
  }
}
