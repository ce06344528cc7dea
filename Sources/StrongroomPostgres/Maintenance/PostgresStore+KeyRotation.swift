import Foundation
import StoreContract
public import StoreKeyring
import StoreKeys

/// The keys of sealed values: one that the vaults have, and the data keys that it wraps, which are in the
/// store.
extension PostgresStore {
  /// Gives the store another key in the vaults: its data keys are wrapped by that one, and no value is sealed
  /// again.
  ///
  /// Three statements in one transaction. Programs that have the store open go on; those that open it need
  /// the new key. At every instant the vaults have the key that opens the store. Copies of the store made
  /// before, and the server's backups, open with the older key: it still reads them.
  /// - Parameters:
  ///   - key: The new key; nil to make one. It is added to every vault of the description that stores keys.
  ///   - keepingOldKeys: Whether older keys stay in the vaults.
  /// - Returns: The recovery code of the new key.
  /// - Throws: `StoreError`: `unsupportedRequest` where the model seals nothing, and in a stage of a
  ///   migration; `keyMissing` where the description names no vault and no key is given, or another program
  ///   gave the store another key; `invalidValue` where the description has the key itself (`storeKey`) and
  ///   none is given; `readOnly`, `busy`, `serverUnreachable`. `KeyringError` where a vault fails.
  ///   Nothing is changed then. `outcomeUnknown` where the connection was lost during the commit and no
  ///   server answers for `serverOutcomeTimeout` seconds: the vaults have both keys then.
  public func rotateKey(to key: StoreKey? = nil, keepingOldKeys: Bool = true) async throws -> RecoveryCode {
    let (opened, sealing) = try sealed()
    if description.draftLosses != nil {
      throw StoreError(
        .unsupportedRequest, "a migration is in progress; change the key when the store is open again")
    }
    let lifecycle = WrappingKeySearch(description).lifecycle
    if key == nil, description.storeKey != nil {
      throw StoreError(
        .invalidValue, "the store's description has the key itself; give the new one, and set it as storeKey")
    }
    if key == nil, description.keyVaults.isEmpty { throw WrappingKeySearch.noVault }
    let new = key ?? StoreKey()
    // What others add from here on is not older.
    let older = keepingOldKeys ? [] : await lifecycle.storedKeys(for: opened.identifier).keys
    let added =
      description.keyVaults.isEmpty
      ? [] : try await lifecycle.add(new, for: opened.identifier, label: description.keyLabel)
    do {
      try changing(opened) { record, keys in try record.wrapped(by: new, for: opened.identifier, keys) }
    } catch let failure as CommitFailure where failure.error.isConnectionLost {
      guard let isDone = isWrapped(by: new, opened) else {
        throw StoreError.outcomeUnknown(nil, cause: failure.error)
      }
      if !isDone {
        await lifecycle.forget(added)
        throw failure.error.storeError
      }
    } catch {
      await lifecycle.forget(added)
      throw (error as? CommitFailure)?.error.storeError ?? error
    }
    sealing.replace(wrapping: new)
    _ = await lifecycle.retire(older.filter { !$0.key.isSame(as: new) })
    return RecoveryCode(new, for: opened.identifier)
  }

  /// Whether a key wraps the keys of the store; nil where no server answers in time.
  private func isWrapped(by key: StoreKey, _ opened: Opened) -> Bool? {
    let end = Date(timeIntervalSinceNow: description.serverOutcomeTimeout)
    repeat {
      let record = try? settled { try ServerMetadata(connection: $0).sealing() }
      if let record { return (try? record.keys(for: opened.identifier, unwrappedBy: key)) != nil }
      usleep(100_000)
    } while Date() < end
    return nil
  }

  /// Makes a data key, which seals the values that are saved from now on, by other programs too.
  ///
  /// Three statements in one transaction. Older values stay as they are, and readable; `resealValues()` seals
  /// them again. What makes equal values recognisable stays the same.
  /// - Throws: `StoreError`: `unsupportedRequest` where the model seals nothing, `keyMissing` where another
  ///   program gave the store another key; `readOnly`, `busy`, `serverUnreachable`.
  public func renewDataKey() throws {
    let (opened, sealing) = try sealed()
    do {
      try changing(opened) { record, keys in
        var record = record
        try record.addDataKey(for: opened.identifier, wrappedBy: keys.wrapping)
        return record
      }
    } catch let failure as CommitFailure { throw failure.error.storeError }
    try sealing.reload()
  }

  /// Seals all values again that older data keys sealed; 500 values a transaction, with three statements
  /// each.
  ///
  /// Objects stay as they are to every program. What is killed in between is done by the next call, and so
  /// are values of saves that were in progress when the data key was made. Values in the history stay under
  /// their older keys until they are purged.
  /// - Returns: How many values were sealed again.
  /// - Throws: As `renewDataKey()`, and `fileDamaged` for a value that does not open.
  @discardableResult
  public func resealValues() throws -> Int {
    let (opened, sealing) = try sealed()
    try sealing.reload()
    var count = 0
    for root in opened.schema.roots {
      let table = opened.schema.table(root)
      for column in table.columns {
        guard case .attribute(let attribute) = column.field, column.type == .sealed else { continue }
        var last: Int64 = 0
        let property = try sealing.property(attribute)
        let batch = ResealedBatch(opened.versionCheck, sealing, property, table.name, column.name)
        while true {
          do {
            let done = try opened.pool.write(locking: ServerLock.ofSave) { try batch.reseal($0, after: last) }
            guard let done else { break }
            (last, count) = (done.last, count + done.count)
          } catch let failure as CommitFailure { throw failure.error.storeError }
        }
      }
    }
    return count
  }

  private func sealed() throws -> (Opened, StoreSealing) {
    try checkWritable()
    let opened = try open
    guard let sealing = opened.sealing else {
      throw StoreError(
        .unsupportedRequest, "the model seals no attribute, so the store has no key of its own")
    }
    return (opened, sealing)
  }

  /// Changes the record of the keys, while other programs that change it wait.
  private func changing(
    _ opened: Opened, _ change: (SealingRecord, SealingKeys) throws -> SealingRecord
  ) throws {
    guard let wrapping = opened.sealing?.wrapping else { return }
    try opened.pool.write(locking: ServerLock.ofSave) { connection in
      let metadata = ServerMetadata(connection: connection)
      guard let record = try metadata.sealing(isLocked: true) else { throw SealingRecord.damage }
      guard let keys = try record.keys(for: opened.identifier, unwrappedBy: wrapping) else {
        throw StoreSealing.otherKey
      }
      try metadata.write(try change(record, keys))
    }
  }
}
