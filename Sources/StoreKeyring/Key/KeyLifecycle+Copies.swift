public import Foundation

extension StoredKey {
  /// Whether two records describe the same item, reached through two names of its vault.
  ///
  /// Items with equal identifiers count as the same when a vault has no location.
  func isSameItem(as other: StoredKey) -> Bool {
    guard identifier == other.identifier else { return false }
    guard let location = vault.location, let otherLocation = other.vault.location else { return true }
    return location == otherLocation
  }
}

extension KeyLifecycle {
  /// Every item that holds a key, including items in read-only vaults.
  ///
  /// Vaults that fail to answer are left out.
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

  /// Removes a key from one vault, provided that another item of these vaults holds it.
  ///
  /// The other item must not be the removed one under a second name. It is read before the
  /// removal and again after it.
  /// - Throws: `KeyringError` with code `lastCopy` when there is no other copy, and whatever the
  ///   vault throws. The vault then still has the key.
  public func forget(_ key: StoreKey, for store: UUID, in vault: any KeyVault, label: String) async throws {
    let removed = try await Self.items(of: key, for: store, in: vault, interaction)
    if removed.isEmpty { return }
    guard await hasCopy(of: key, for: store, besides: removed) else {
      throw KeyringError(
        .lastCopy,
        "none of the other named vaults holds a second copy of the key;"
          + " add it to one before removing it from \(vault.name)"
      )
    }
    try await remove(removed)
    if await hasCopy(of: key, for: store, besides: removed) { return }
    // The vaults share storage in a way that their locations do not show: put the key back.
    _ = try await vault.add(key, for: store, label: label, interaction: interaction)
    throw KeyringError(
      .lastCopy,
      "removing the key from \(vault.name) also removed it from every other vault; it was added again")
  }

  /// Adds a key to every writable vault that does not have it.
  ///
  /// A vault that fails is skipped, since another one has the key.
  /// - Returns: The names of the skipped vaults.
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
  /// - Returns: The number of removed items and the names of the vaults that failed. An item that
  ///   is reached through several names counts once.
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
