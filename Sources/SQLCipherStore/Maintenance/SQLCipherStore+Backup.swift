import CipherDatabase
public import Foundation
public import StoreContract
public import StoreKeyring

extension SQLCipherStore {
  /// Copies a snapshot of a store into a new file, while this and other programs read and
  /// write it.
  ///
  /// The copy is read whole before it gets its name; on failure there is no file.
  ///
  /// - Parameters:
  ///   - description: The store, with the vaults that hold its key.
  ///   - url: The copy; must not exist.
  ///   - vaults: Nil makes a copy with the store's own key and UUID, which opens wherever the
  ///     store's key is. Vaults make a copy with a UUID and a key of its own, which these vaults
  ///     keep.
  ///   - progress: Called from time to time with what was done so far.
  /// - Returns: The recovery code of the copy.
  /// - Throws: `StoreError`: `fileExists`, `fileDamaged`, `cancelled`, `diskFull`, and as opening
  ///   does.
  @discardableResult
  public static func backUp(
    _ description: PersistentStoreDescription, to url: URL, newKeyIn vaults: [any KeyVault]? = nil,
    progress: @escaping @Sendable (StoreProgress) -> Void = { _ in }
  ) async throws -> RecoveryCode {
    try refuseExisting(url.path)
    let start = ContinuousClock.now
    let access = try await WholeFileAccess.open(description, for: .reading)
    defer { access.close() }
    try access.checkPages(progress)
    var cipher = access.cipher
    var storedKeys: [StoredKey] = []
    let life = KeyLifecycle(vaults: vaults ?? [], interaction: description.keyInteraction)
    if vaults != nil {
      let store = identifierForNewStore()
      storedKeys = try await life.createKey(
        for: store, storeFileExists: false, label: "Strongroom key of \(url.lastPathComponent)")
      cipher = StoreCipher(store: store, key: storedKeys[0].key, format: access.format)
    }
    do {
      try copy(access, to: url.path, cipher, .rollback, progress)
    } catch {
      await life.forget(storedKeys)
      throw error
    }
    if let log = description.log {
      log.backedUp(to: url, bytes: access.file.size, in: .now - start)
    }
    return cipher.recoveryCode
  }

  private static func copy(
    _ access: WholeFileAccess, to path: String, _ cipher: StoreCipher, _ journal: ConnectionOptions.Journal,
    _ progress: @escaping @Sendable (StoreProgress) -> Void
  ) throws {
    let new = UnfinishedCopy.path(beside: path)
    defer { File.removeDatabase(new) }
    try translating(path) {
      try Backup.copy(
        access.connection, to: new, key: cipher.spec, format: cipher.format,
        progress: StoreProgress.copying(progress))
    }
    try WholeFileAccess.prove(new, cipher, journal: journal, progress)
    try translating(path) { try File.placeDatabase(new, at: path) }
  }

  /// Replaces a store by a copy of a backup, after both the backup and the copy were read
  /// whole.
  ///
  /// The key is then in every vault of the backup's description that keeps keys and can be reached,
  /// as after a rotation: what opened the store that was replaced opens what takes its place.
  ///
  /// - Parameters:
  ///   - backup: The backup, with the vaults that hold its key.
  ///   - url: Where the store is to be.
  ///   - replacing: Whether a file at `url` is replaced.
  ///   - progress: Called from time to time with what was done so far.
  /// - Returns: Vaults of the description that keep keys and could not be given this one.
  /// - Throws: `StoreError`: `fileExists`, `busy` when a connection has the store open that is to
  ///   be replaced, and as opening does; the store there is then as it was.
  @discardableResult
  public static func restore(
    from backup: PersistentStoreDescription, to url: URL, replacing: Bool = false,
    progress: @escaping @Sendable (StoreProgress) -> Void = { _ in }
  ) async throws -> [String] {
    if !replacing, FilePath.isTaken(url.path) {
      throw StoreError(
        .fileExists,
        "there is a file at \(url.path); replace it with `replacing: true` (`strongroom restore"
          + " --replace`), or choose"
          + " another place")
    }
    let access = try await WholeFileAccess.open(backup, for: .reading)
    defer { access.close() }
    try access.checkPages(progress)
    guard replacing, case .some(let old) = try existing(url, backup.busyTimeoutMilliseconds) else {
      try copy(access, to: url.path, access.cipher, .writeAhead, progress)
      return await completeVaults(of: backup, access)
    }
    defer { old.release() }
    _ = try translating(url.path) { try old.takeAlone(own: 1, waiting: backup.busyTimeoutMilliseconds) }
    let new = UnfinishedCopy.path(beside: old.path)
    defer { File.removeDatabase(new) }
    try copy(access, to: new, access.cipher, .writeAhead, progress)
    // The key may have been changed, and the old one retired, after the backup was opened. It
    // cannot be from now on.
    try await checkKey(of: new, backup)
    let lacking = await completeVaults(of: backup, access)
    await closeLog(of: old, backup, access.cipher)
    try translating(url.path) { try old.replaceDatabase(with: new) }
    return lacking
  }

  private static func completeVaults(
    of backup: PersistentStoreDescription, _ access: WholeFileAccess
  ) async -> [String] {
    // A key that the program has itself is no vault's.
    if backup.storeKey != nil { return [] }
    return await KeyLifecycle(vaults: backup.keyVaults, interaction: backup.keyInteraction)
      .complete(access.key, for: access.store, label: backup.keyLabel)
  }

  /// The file that a backup is to replace, locked.
  private static func existing(_ url: URL, _ milliseconds: Int) throws -> DatabaseFile? {
    do {
      return try DatabaseFile(url.path, waiting: milliseconds)
    } catch {
      if error.code == .fileIsMissing { return nil }
      throw StoreError(error, path: url.path)
    }
  }

  /// Reads the vaults again, to see whether they still have the key.
  /// - Throws: as opening does, when no vault has the key of a copy any more.
  private static func checkKey(of copy: String, _ backup: PersistentStoreDescription) async throws {
    var description = backup
    description.url = URL(fileURLWithPath: copy)
    try await WholeFileAccess.open(description, for: .reading).close()
  }

  /// Moves the log of a store into the file where one of the backup's keys opens it.
  ///
  /// What is about to be replaced may be beyond opening: then its log stays until the backup has
  /// replaced it.
  private static func closeLog(
    of old: DatabaseFile, _ backup: PersistentStoreDescription, _ cipher: StoreCipher
  ) async {
    guard let head = try? old.head(16), head.count == 16 else { return }
    let store = UUID(uuid: head.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) })
    // Mostly the same store at an earlier time, under the same key.
    var description = backup
    description.knownCipher = KnownCipher(cipher)
    var search = KeySearch(description, file: old, store: store)
    let opened = try? await search.first { try Connection(old, $0, ConnectionOptions.ofStore) }
    opened?.result.close()
  }

  static func refuseExisting(_ path: String) throws {
    if FilePath.isTaken(path) {
      throw StoreError(.fileExists, "there is a file at \(path); move it away, or choose another place")
    }
  }
}
