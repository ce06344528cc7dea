import CipherDatabase
import StoreContract
import StoreKeyring

/// The change of a store's key, from the vaults that get the new one to the vaults that lose the
/// old.
struct RotateKeyOperation {
  /// A failure to change the key; `isInDoubt` when it is unknown whether the file has the new key.
  private struct Failure: Error {
    let error: any Error
    let isInDoubt: Bool
  }

  let access: WholeFileAccess
  let description: PersistentStoreDescription
  let keepsOldKeys: Bool
  let removesOtherPassphrases: Bool
  var isOfOpenStore = false
  let progress: @Sendable (StoreProgress) -> Void

  /// - `alone`: Runs the change of the file under an exclusive lock. Its argument is the keys, one
  ///   of which opens the file afterwards. An error thrown before the change means that nothing was
  ///   changed.
  func run(
    alone: (_ keys: [CipherKeySpec], _ change: () throws -> Void) throws -> Void
  ) async throws -> KeyRotation {
    guard !description.keyVaults.isEmpty else { throw KeySearch.noVault }
    let start = ContinuousClock.now
    if description.isReadOnly { throw StoreError(.readOnly, "the store is open for reading only") }
    let key = StoreKey()
    let life = KeyLifecycle(vaults: description.keyVaults, interaction: description.keyInteraction)
    // Only keys that are there now are retired later: another rotation may have followed by then,
    // with a key of its own.
    let old = await life.storedKeys(for: access.store)
    let surroundings = FilesBesideStore(description.url?.path ?? access.path, access.store)
    if !removesOtherPassphrases { try surroundings.checkPassphrases(named: old.keys) }
    let storedKeys = try await life.add(key, for: access.store, label: description.keyLabel)
    var isChanged = false
    do {
      try translating(access.path) {
        let (new, former) = try (access.cipher.with(key).spec, access.cipher.spec)
        try alone([new, former]) {
          try change(to: key, new)
          isChanged = true
        }
      }
    } catch {
      let failure = error as? Failure
      // In doubt, every key stays where it is.
      if !isChanged, failure?.isInDoubt != true { await life.forget(storedKeys) }
      throw failure?.error ?? error
    }
    let rotation = await retireOldKeys(
      key, await former(old, storedKeys, life), storedKeys, life, surroundings)
    description.log?.rotated(
      retired: rotation.retired, vaultsWithOldKeys: rotation.vaultsWithOldKeys, in: .now - start)
    return rotation
  }

  /// The keys to retire.
  ///
  /// While the store was open, other programs may have copied the old key to further vaults. From
  /// the exclusive lock on, no program can add a key that opens the file.
  private func former(
    _ before: (keys: [StoredKey], unavailableVaults: [String]), _ new: [StoredKey], _ life: KeyLifecycle
  ) async -> (keys: [StoredKey], unavailableVaults: [String]) {
    guard isOfOpenStore else { return before }
    var now = await life.storedKeys(for: access.store)
    let added = Set(new.map(\.identifier))
    now.keys.removeAll { added.contains($0.identifier) }
    return now
  }

  private func change(to key: StoreKey, _ spec: CipherKeySpec) throws {
    let isTight = access.connection.rekeyAndClose(spec)
    do {
      try prove(key, progress)
    } catch {
      // Which key has the file after all?
      do { try prove(access.key) { _ in } } catch {
        throw Failure(
          error: StoreError(
            .rotationFailed,
            "the key of \(access.path) could not be proven after changing it; both keys are stored, so open"
              + " it again",
            cause: error), isInDoubt: true)
      }
      throw Failure(
        error: StoreError(
          isTight ? .diskFull : .rotationFailed,
          isTight
            ? "the disk is full; the key was not changed; make room and change it again"
            : "the key of \(access.path) could not be changed; the store is as it was, under its old key",
          cause: error), isInDoubt: false)
    }
  }

  private func prove(_ key: StoreKey, _ progress: @Sendable (StoreProgress) -> Void) throws {
    try WholeFileAccess.proveRotated(access.file, access.cipher.with(key), progress)
  }

  /// The file has the new key: copies beside it follow, and vaults and files lose the old ones.
  private func retireOldKeys(
    _ key: StoreKey, _ old: (keys: [StoredKey], unavailableVaults: [String]), _ storedKeys: [StoredKey],
    _ life: KeyLifecycle,
    _ surroundings: FilesBesideStore
  ) async -> KeyRotation {
    var copies: (rotated: [String], left: [String]) = ([], [])
    if !keepsOldKeys {
      copies = await surroundings.rekeyCopies(
        from: [access.key] + old.keys.map(\.key), to: key, description, progress)
    }
    let isRetiring = !keepsOldKeys && copies.left.isEmpty
    var (retired, holding) = isRetiring ? await life.retire(old.keys) : (0, [])
    if !keepsOldKeys {
      holding += old.unavailableVaults
      if !isRetiring { holding += Set(old.keys.map(\.vault.name)).sorted() }
      holding += surroundings.removePassphrases(
        besides: storedKeys + old.keys, isRequested: removesOtherPassphrases && isRetiring)
    }
    return KeyRotation(
      recoveryCode: RecoveryCode(key, for: access.store), retired: retired, vaultsWithOldKeys: holding,
      rotatedCopies: copies.rotated, remainingCopies: copies.left)
  }
}
