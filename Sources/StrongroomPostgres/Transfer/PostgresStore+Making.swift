import Foundation
package import ObjectModel
package import StoreContract
import StoreKeys

extension PostgresStore: FillableStore {
  /// For how many seconds a server is waited for that did not answer a commit.
  private static let patience: TimeInterval = 20

  /// Makes a store in one transaction, which others see the end of.
  package static func make(
    _ description: PersistentStoreDescription, _ model: ManagedObjectModel,
    contents: @escaping (any NewStoreContents) throws -> Void,
    check: @escaping (any IncrementalStore) throws -> Void
  ) async throws {
    let pool = try await ServerPool.connected(description)
    defer { pool.close() }
    let listener = ServerListener(own: UUID().uuidString, pool)
    defer { listener.close() }
    try listener.begin()
    // Before the vaults are asked for a key.
    try pool.read { try ServerOpening($0, model, description, nil).checkIsFree() }
    var making = description
    making.createsIfMissing = true
    let key = try await OpeningKey.find(model, making, pool)
    let identifier = key?.store ?? identifierForNewStore()
    var isBegun = false
    do {
      try pool.write { connection in
        // It is not tried again: the contents may not come twice.
        if isBegun { throw StoreError.givenUp }
        isBegun = true
        do {
          let opened = try ServerOpening(connection, model, description, key).make(identifier, in: pool)
          let filler = ServerFiller(connection, opened)
          try contents(filler)
          try filler.finish(tracksHistory: description.tracksHistory, limits: description.historyLimits)
          let stored = try ServerMetadata(connection: connection).stored(description)
          try check(PostgresStore(model, description, opened.with(programs: stored?.programs ?? [:])))
        } catch let error as ServerError { throw error.storeError }
      }
    } catch let failure as CommitFailure where failure.error.isConnectionLost {
      do { try settle(failure.error, identifier, description, pool) } catch {
        // The store may have been made with the key.
        let isUnknown = (error as? StoreError)?.code == .outcomeUnknown
        if isUnknown { key?.giveRecoveryCode(description) } else { await key?.forget() }
        throw error
      }
    } catch {
      await key?.forget()
      throw (error as? CommitFailure)?.error.storeError ?? error
    }
    key?.giveRecoveryCode(description)
  }

  /// Finds out what became of a commit that was not answered: the store is there, or not.
  ///
  /// The server may be at it still, and is waited for.
  private static func settle(
    _ error: ServerError, _ identifier: UUID, _ description: PersistentStoreDescription, _ pool: ServerPool
  ) throws {
    let end = Date(timeIntervalSinceNow: patience)
    repeat {
      let found: Result<UUID?, any Error> = Result {
        try pool.write { connection in
          try ServerLock(connection).takeOpening(of: description.serverSchema)
          return try ServerMetadata(connection: connection).stored(description)?.identifier
        }
      }
      if case .success(let found) = found {
        if found == identifier { return }
        throw error.storeError
      }
      usleep(100_000)
    } while Date() < end
    throw StoreError.outcomeUnknown(nil, cause: error)
  }
}
