public import Foundation
import Locks

/// A vault whose keys are lost when the process ends, for tests and scratch stores only.
public final class InMemoryVault: HistoryHeadVault, PasswordVault {
  private struct State: Sendable {
    var passwords: [ServerAccount: SecretBytes] = [:]
    var items: [Item] = []
    var heads: [UUID: HistoryHead] = [:]
    var failure: KeyringError?
  }

  /// A stored key without its vault, which would be a reference cycle.
  private struct Item: Sendable {
    let identifier: KeyIdentifier
    let store: UUID
    let key: StoreKey
    let created: Date
  }

  private let state = Locked(State())

  /// Creates an empty vault.
  public init() {}

  /// The vault's name in messages.
  public var name: String { "the vault in memory" }

  /// This object's identity.
  public var location: KeyVaultLocation? { KeyVaultLocation(self) }

  /// Makes every call throw an error, as a locked or unreachable vault does; pass nil to stop that.
  public func fail(with error: KeyringError?) { state.withLock { $0.failure = error } }

  /// Every key of a store, newest first.
  public func keys(for store: UUID, interaction: KeyInteraction) async throws -> [StoredKey] {
    try state.withLock { state in
      if let failure = state.failure { throw failure }
      return state.items.filter { $0.store == store }.reversed().map {
        StoredKey(identifier: $0.identifier, store: store, key: $0.key, created: $0.created, in: self)
      }
    }
  }

  /// Adds a key.
  public func add(
    _ key: StoreKey, for store: UUID, label: String, interaction: KeyInteraction
  ) async throws -> KeyIdentifier {
    try state.withLock { state in
      if let failure = state.failure { throw failure }
      let item = Item(identifier: KeyIdentifier(), store: store, key: key, created: Date())
      state.items.append(item)
      return item.identifier
    }
  }

  /// Removes a key.
  public func remove(_ identifier: KeyIdentifier, for store: UUID, interaction: KeyInteraction) async throws {
    try state.withLock { state in
      if let failure = state.failure { throw failure }
      state.items.removeAll { $0.identifier == identifier && $0.store == store }
    }
  }

  /// What was recorded last.
  public func historyHead(for store: UUID, interaction: KeyInteraction) async throws -> HistoryHead? {
    try state.withLock { state in
      if let failure = state.failure { throw failure }
      return state.heads[store]
    }
  }

  /// Records a head.
  public func setHistoryHead(
    _ head: HistoryHead, for store: UUID, label: String, interaction: KeyInteraction
  ) async throws {
    try state.withLock { state in
      if let failure = state.failure { throw failure }
      state.heads[store] = head
    }
  }

  /// The secret of an account; nil where none was set.
  public func password(
    for account: ServerAccount, interaction: KeyInteraction
  ) async throws -> SecretBytes? {
    try state.withLock { state in
      if let failure = state.failure { throw failure }
      return state.passwords[account]
    }
  }

  /// Sets the secret of an account.
  public func setPassword(
    _ password: SecretBytes, for account: ServerAccount, label: String, interaction: KeyInteraction
  ) async throws {
    try state.withLock { state in
      if let failure = state.failure { throw failure }
      state.passwords[account] = password
    }
  }

  /// Removes the secret of an account.
  public func removePassword(for account: ServerAccount, interaction: KeyInteraction) async throws {
    try state.withLock { state in
      if let failure = state.failure { throw failure }
      state.passwords[account] = nil
    }
  }
}
