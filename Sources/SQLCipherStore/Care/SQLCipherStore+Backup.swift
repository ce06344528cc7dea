import CipherDatabase
public import Foundation
public import StoreContract
public import StoreKeyring

extension SQLCipherStore {
  /// Copies a store, as of one moment, into a new file, while this and other programs read and write it.
  ///
  /// The copy is read whole before it gets its name; on failure there is no file.
  /// - Parameters:
  ///   - url: The copy; must not exist.
  ///   - vaults: Nil makes a copy with the store's own key and UUID, which opens wherever the store's key is. Vaults make
  ///     a copy with a UUID and a key of its own, which these vaults keep.
  /// - Returns: The recovery code of the copy.
  /// - Throws: `StoreError`: `fileExists`, `fileDamaged`, `cancelled`, `diskFull`, and as opening does.
  @discardableResult
  public static func backUp(
    _ description: PersistentStoreDescription, to url: URL, newKeyIn vaults: [any KeyVault]? = nil,
    progress: @escaping @Sendable (StoreProgress) -> Void = { _ in }
  ) async throws -> RecoveryCode {
    try refuseExisting(url.path)
    let access = try await StoreAccess.open(description)
    defer { access.connection.close() }
    var (key, store) = (access.key, access.store)
    var kept: [KeptKey] = []
    let life = KeyLife(vaults: vaults ?? [], interaction: description.keyInteraction)
    if vaults != nil {
      store = identifierForNewStore()
      kept = try await life.createKey(
        for: store, storeFileExists: false, label: "Strongroom key of \(url.lastPathComponent)")
      key = kept[0].stored.key
    }
    do {
      try copy(access, to: url.path, key, store, progress)
    } catch {
      await life.forget(kept)
      throw error
    }
    return RecoveryCode(key, for: store)
  }

  private static func copy(
    _ access: StoreAccess, to path: String, _ key: StoreKey, _ store: UUID,
    _ progress: @escaping @Sendable (StoreProgress) -> Void
  ) throws {
    let new = StoreAccess.temporary(path)
    defer { File.removeDatabase(new) }
    try translating(path) {
      try Backup.copy(
        access.connection, to: new, key: CipherKeySpec(key, store: store), format: access.format,
        progress: copying(progress))
    }
    try StoreAccess.prove(new, store, key, access.format, progress)
    try translating(path) { try File.place(new, at: path) }
  }

  /// Puts a copy of a backup in a store's place, after both the backup and the copy were read whole.
  /// - Parameters:
  ///   - backup: The backup, with the vaults that hold its key.
  ///   - url: Where the store is to be; a file there is replaced only when `replacing` says so.
  /// - Throws: `StoreError`: `fileExists`, `busy` when a connection has the store open that is to be replaced, and as opening
  ///   does; the store in its place is then as it was.
  public static func restore(
    from backup: PersistentStoreDescription, to url: URL, replacing: Bool = false,
    progress: @escaping @Sendable (StoreProgress) -> Void = { _ in }
  ) async throws {
    if !replacing { try refuseExisting(url.path) }
    let access = try await StoreAccess.open(backup)
    defer { access.connection.close() }
    try translating(access.path) { try access.connection.checkpointPassively() }
    try StoreAccess.checkPages(access.path, access.store, access.key, access.format, progress)
    guard replacing, FileManager.default.fileExists(atPath: url.path) else {
      return try copy(access, to: url.path, access.key, access.store, progress)
    }
    let new = StoreAccess.temporary(url.path)
    defer { File.removeDatabase(new) }
    try copy(access, to: new, access.key, access.store, progress)
    // The old file may be beyond opening, so its locks are asked for as SQLite asks, but not through SQLite.
    try translating(url.path) {
      try File.replaceDatabase(url.path, with: new)
    }
  }

  static func refuseExisting(_ path: String) throws {
    if FileManager.default.fileExists(atPath: path) {
      throw StoreError(.fileExists, "there is a file at \(path); move it away, or choose another place")
    }
  }
}
