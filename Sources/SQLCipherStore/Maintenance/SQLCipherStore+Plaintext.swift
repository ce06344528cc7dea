import CipherDatabase
public import Foundation
public import StoreContract
import StoreKeyring

extension SQLCipherStore {
  /// Makes a store again of the unencrypted SQLite database that `decrypt` made of one, which stays
  /// as it is; remove it yourself when you have opened the new one.
  ///
  /// The key goes into the description's vaults first, as for a new store, and the new file is read
  /// whole before it gets its name.
  /// - Throws: `StoreError`: `fileExists`, `notFound` when the source is no such database,
  ///   `cancelled`, `diskFull`; `KeyringError`. There is no new file and no new key then.
  public static func encrypt(
    _ source: URL, to description: PersistentStoreDescription,
    progress: @escaping @Sendable (StoreProgress) -> Void = { _ in }
  ) async throws {
    let path = description.url?.path ?? ""
    try refuseExisting(path)
    guard
      case .plaintext(let file) = try StoreFile.state(
        source.path, waiting: description.busyTimeoutMilliseconds)
    else {
      throw StoreError(.notFound, "\(source.path) is no unencrypted SQLite database; nothing was made of it")
    }
    guard try translating(path, { try isDecryptedStore(file) }) else {
      throw StoreError(
        .notFound,
        "\(source.path) is no store that was decrypted, and nothing was made of it; one that was rebuilt"
          + " from a dump needs"
          + " `PRAGMA application_id = \(StoreTable.applicationID)` first; `strongroom import` takes one of"
          + " Core Data's or SwiftData's"
      )
    }
    file.release()
    try StoreFile.checkWritable(path)
    let store = identifierForNewStore()
    let life = KeyLifecycle(vaults: description.keyVaults, interaction: description.keyInteraction)
    let storedKeys = try await life.createKey(for: store, storeFileExists: false, label: description.keyLabel)
    let cipher = StoreCipher(store: store, key: storedKeys[0].key, format: .version3)
    let new = UnfinishedCopy.path(beside: path)
    do {
      defer { File.removeDatabase(new) }
      try translating(path) {
        try Export.encrypt(
          source.path, to: new, key: cipher.spec,
          progress: StoreProgress.copying(progress))
      }
      try WholeFileAccess.prove(new, cipher, journal: .writeAhead, progress)
      try translating(path) { try File.placeDatabase(new, at: path) }
    } catch {
      await life.forget(storedKeys)
      throw error
    }
    guard let handler = description.recoveryCodeHandler else { return }
    handler(cipher.recoveryCode)
    // The vaults have just returned this key, so they are not read for it again.
    var description = description
    description.knownCipher = KnownCipher(cipher)
    // A file that was made is worth more than a note in it.
    try? await noteRecoveryCodeShown(of: description)
  }

  /// Whether an unencrypted database has the mark that every store has, which `decrypt` leaves in
  /// its first page.
  private static func isDecryptedStore(_ file: DatabaseFile) throws -> Bool {
    let mark = withUnsafeBytes(of: UInt32(StoreTable.applicationID).bigEndian, Array.init)
    return try file.head(72).suffix(4) == mark[...]
  }

  /// Writes all of a store, readable by anybody, into a new unencrypted SQLite database.
  ///
  /// The store stays as it is.
  /// - Throws: `StoreError`: `fileExists`, `fileDamaged`, `cancelled`, `diskFull`, and as opening
  ///   does. There is no new file then.
  public static func decrypt(
    _ description: PersistentStoreDescription, to url: URL,
    progress: @escaping @Sendable (StoreProgress) -> Void = { _ in }
  ) async throws {
    try refuseExisting(url.path)
    let access = try await WholeFileAccess.open(description, for: .reading)
    defer { access.close() }
    try access.checkPages(progress)
    let new = UnfinishedCopy.path(beside: url.path)
    defer { File.removeDatabase(new) }
    try translating(access.path) {
      try Export.copyUnencrypted(access.connection, to: new, progress: StoreProgress.copying(progress))
      try File.placeDatabase(new, at: url.path)
    }
  }
}
