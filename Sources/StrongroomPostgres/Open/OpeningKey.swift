import Foundation
import ObjectModel
import StoreContract
import StoreKeyring

/// The key of the vaults that a store is opened with, where its model seals attributes.
///
/// It is found before the transaction that opens the store, which cannot wait for vaults.
struct OpeningKey: Sendable {
  /// Another program made the store, or gave it another key, since the key was found.
  struct Outdated: Error {}

  let store: UUID
  let key: StoreKey
  /// Whether the store had no keys yet, and gets them wrapped by this one.
  let isFirst: Bool
  /// The items that were made for the key.
  private let added: [StoredKey]
  private let search: WrappingKeySearch

  /// Finds the key in the vaults that a description names; makes one for a store that has none.
  /// - Returns: The key; nil where no version of the model that the store is opened with seals attributes,
  ///   and where the opening fails for another reason.
  /// - Throws: As `WrappingKeySearch`.
  static func find(
    _ model: ManagedObjectModel, _ description: PersistentStoreDescription, _ pool: ServerPool
  ) async throws -> OpeningKey? {
    let versions = (description.migrationPath ?? []) + [model]
    if versions.allSatisfy(\.sealedAttributes.isEmpty) { return nil }
    let contents = try pool.read { try ServerMetadata(connection: $0).stored(description) }
    let search = WrappingKeySearch(description)
    if let contents, let record = contents.sealing {
      let key = try await search.key(of: contents.identifier, unwrapping: record)
      return OpeningKey(store: contents.identifier, key: key, isFirst: false, added: [], search: search)
    }
    let isMade = contents == nil ? description.createsIfMissing : description.shouldMigrateStoreAutomatically
    guard isMade, !description.isReadOnly else { return nil }
    let store = contents?.identifier ?? PostgresStore.identifierForNewStore()
    let (key, added) = try await search.newKey(for: store)
    return OpeningKey(store: store, key: key, isFirst: true, added: added, search: search)
  }

  /// Removes the items that were made for the key, which no store has.
  func forget() async { await search.forget(added) }

  /// Hands the code of a key that was made to the program.
  func giveRecoveryCode(_ description: PersistentStoreDescription) {
    if !added.isEmpty { description.recoveryCodeHandler?(RecoveryCode(key, for: store)) }
  }
}
