public import Foundation

extension StoredKey {
  /// Whether two are one item under two names of its vault; in doubt they are.
  func isSameItem(as other: StoredKey) -> Bool {
    guard identifier == other.identifier else { return false }
    guard let mine = vault.location, let its = other.vault.location else { return true }
    return mine == its
  }
}

extension KeyLifecycle {
  /// Every item of the vaults that holds a key, also of vaults that only lend it; vaults that cannot say are left out.
  public func copies(of key: StoreKey, for store: UUID) async -> [StoredKey] {
    var copies: [StoredKey] = []
    for vault in vaults {
      copies += (try? await Self.items(of: key, for: store, in: vault, interaction)) ?? []
    }
    return copies
  }

  private static func items(
    of key: StoreKey, for store: UUID, in vault: any KeyVault, _ interaction: KeyInteraction
  ) async throws -> [StoredKey] {
    try await vault.keys(for: store, interaction: interaction).filter { $0.key.isSame(as: key) }
  }

  /// Removes a key from one vault when another item of these vaults holds it: one that is no second name of what is removed,
  /// and that was read just before and is read again after.
  /// - Throws: `KeyringError` with code `lastCopy` when there is no other, and what the vault throws; the vault then has the key.
  public func forget(_ key: StoreKey, for store: UUID, in vault: any KeyVault, label: String) async throws {
    let removed = try await Self.items(of: key, for: store, in: vault, interaction)
    if removed.isEmpty { return }
    guard await hasCopy(of: key, for: store, besides: removed) else {
      throw KeyringError(
        .lastCopy,
        "no other vault that was named holds the key than \(vault.name), or another name of it; put it elsewhere first"
      )
    }
    try await remove(removed)
    if await hasCopy(of: key, for: store, besides: removed) { return }
    // However the vaults hang together: what is left was read, and is not there.
    _ = try await vault.add(key, for: store, label: label, interaction: interaction)
    throw KeyringError(
      .lastCopy, "when \(vault.name) had forgotten the key, no other vault had it either; it has it again")
  }

  /// Adds a key to the vaults that keep keys and do not have it; a vault that fails is left out, since another one has the key.
  /// - Returns: The names of those that were left out.
  public func complete(_ key: StoreKey, for store: UUID, label: String) async -> [String] {
    var lacking: [String] = []
    for vault in vaults where !vault.isReadOnly {
      do {
        if try await Self.items(of: key, for: store, in: vault, interaction).isEmpty {
          _ = try await vault.add(key, for: store, label: label, interaction: interaction)
        }
      } catch {
        lacking.append(vault.name)
      }
    }
    return lacking
  }

  /// Removes items of older keys from their vaults.
  /// - Returns: How many were removed, each once under however many names, and the names of vaults that failed.
  public func retire(_ items: [StoredKey]) async -> (count: Int, failed: [String]) {
    var (done, failed): ([StoredKey], [String]) = ([], [])
    for item in items {
      do {
        try await remove([item])
        if !done.contains(where: { $0.isSameItem(as: item) }) { done.append(item) }
      } catch {
        failed.append(item.vault.name)
      }
    }
    return (done.count, failed)
  }

  private func remove(_ items: [StoredKey]) async throws {
    for item in items {
      try await item.vault.remove(item.identifier, for: item.store, interaction: interaction)
    }
  }

  private func hasCopy(of key: StoreKey, for store: UUID, besides removed: [StoredKey]) async -> Bool {
    await copies(of: key, for: store).contains { copy in !removed.contains { $0.isSameItem(as: copy) } }
  }
}
