import Foundation
import StoreKeyring
import Strongroom
import StrongroomPostgres

/// The key of a store on a server, which opens its sealed attributes.
struct ServerKey {
  let arguments: StoreArguments
  let description: PersistentStoreDescription

  /// The recovery code of the key that the vaults have.
  func recoveryCode() async throws -> RecoveryCode {
    let store = try await identifier(description)
    for vault in description.keyVaults {
      // One that cannot answer is not the one whose key has just opened the store.
      let keys = try? await vault.keys(for: store, interaction: description.keyInteraction).map(\.key)
      for key in keys ?? [] {
        if (try? await identifier(keyed(key))) != nil { return RecoveryCode(key, for: store) }
      }
    }
    throw ToolFailure("another program gave the store another key meanwhile; try again")
  }

  /// Checks whether a code opens the store.
  func verify(_ code: RecoveryCode) async throws {
    do { _ = try await identifier(keyed(code.key)) } catch let error as StoreError
      where error.code == .wrongKey
    {
      throw ToolFailure(
        "the recovery code does not open the store (wrongKey): use this store's code, of its present key")
    }
  }

  /// Adds the key of a code to the vaults, if it opens the store.
  func restore(_ code: RecoveryCode) async throws {
    try await verify(code)
    try await PostgresStore.restoreKey(of: description, from: code)
  }

  private func keyed(_ key: StoreKey) -> PersistentStoreDescription {
    var description = description
    description.storeKey = key
    return description
  }

  /// The UUID of the store, which opens by the key of a description.
  private func identifier(_ description: PersistentStoreDescription) async throws -> UUID {
    let (container, store) = try await arguments.open(description)
    defer { try? container.close() }
    guard container.managedObjectModel.hasSealedAttributes else {
      throw ToolFailure("the store seals no attribute, so it has no key and no recovery code")
    }
    return store.identifier
  }
}

extension ManagedObjectModel {
  /// Whether a store on a server has a key.
  var hasSealedAttributes: Bool { entities.contains { $0.attributes.contains { $0.sealing != nil } } }
}
