public import StoreContract
public import StoreKeyring

extension PostgresStore {
  /// Puts the key of a recovery code into the vaults of a description, on another machine or after it was
  /// lost here.
  ///
  /// Four statements. The store need not be open, and is not changed.
  /// - Parameters:
  ///   - description: The store, and the vaults that get the key.
  ///   - code: The code that its `recoveryCodeHandler` or the last `rotateKey(to:keepingOldKeys:)` gave.
  /// - Throws: `StoreError`: `wrongKey` for a code from before a rotation, `unsupportedRequest` where the
  ///   store seals nothing, `fileMissing`, `serverUnreachable`; `KeyringError` for another store's code, and
  ///   where no vault stores keys or one fails: then none has the key.
  public static func restoreKey(
    of description: PersistentStoreDescription, from code: RecoveryCode
  ) async throws {
    let pool = try await ServerPool.connected(description)
    defer { pool.close() }
    guard let contents = try pool.read({ try ServerMetadata(connection: $0).stored(description) }) else {
      throw ServerMetadata.missing(description)
    }
    guard let record = contents.sealing else {
      throw StoreError(.unsupportedRequest, "the store on the server seals no attribute, and so has no key")
    }
    var coded = description
    coded.storeKey = nil
    coded.keyVaults = [RecoveryCodeVault(code)]
    let key = try await WrappingKeySearch(coded).key(of: contents.identifier, unwrapping: record)
    _ = try await WrappingKeySearch(description).lifecycle
      .add(key, for: contents.identifier, label: description.keyLabel)
  }
}
