public import Foundation
public import StoreKeyring
import Synchronization

/// A vault that counts how often it is asked for keys.
public final class CountingVault: KeyVault {
  private let vault: InMemoryVault
  private let count = Atomic(0)

  /// Counts the reads of a vault.
  public init(_ vault: InMemoryVault = InMemoryVault()) { self.vault = vault }

  /// The counted vault's name.
  public var name: String { vault.name }
  /// The counted vault's location.
  public var location: KeyVaultLocation? { vault.location }

  /// How often `work` asks for keys.
  public func reads(during work: () async throws -> Void) async rethrows -> Int {
    let before = count.load(ordering: .relaxed)
    try await work()
    return count.load(ordering: .relaxed) - before
  }

  /// The keys of a store; counted.
  public func keys(for store: UUID, interaction: KeyInteraction) async throws -> [StoredKey] {
    count.add(1, ordering: .relaxed)
    return try await vault.keys(for: store, interaction: interaction)
  }

  /// Adds a key; not counted.
  public func add(
    _ key: StoreKey, for store: UUID, label: String, interaction: KeyInteraction
  ) async throws -> KeyIdentifier {
    try await vault.add(key, for: store, label: label, interaction: interaction)
  }

  /// Removes a key; not counted.
  public func remove(_ identifier: KeyIdentifier, for store: UUID, interaction: KeyInteraction) async throws {
    try await vault.remove(identifier, for: store, interaction: interaction)
  }
}
