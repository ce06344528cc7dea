import Foundation
import ObjectModel
import StoreContract
import StoreKeys

extension PostgresStore {
  /// How often the opening begins again where other programs make the store or change its key meanwhile.
  private static let mostAttempts = 5

  /// Connects, makes the store where there is none yet, and moves one of another version of the model to
  /// this one.
  ///
  /// Where a migration drops data, a copy of the store stays in a schema whose name is that of the store's
  /// with the time behind it. Where the model seals attributes, the key comes from the vaults that the
  /// description names (`keyVaults`), and is made for a store that has none yet.
  /// - Throws: `StoreError`: `serverUnreachable`; `unsupportedServer` where the server, or a pool of
  ///   connections before it, lacks what a store needs; `wrongKey` where the server refuses the user, or the
  ///   vaults have another key than the store's; `keyMissing` where they have none or the server asks for a
  ///   password that is nowhere; `fileMissing` where there is no store and none may be made; `modelMismatch`
  ///   where it was made with another version of the model and cannot or may not be moved; `lossyMigration`
  ///   where that would drop data and may not; `busy` where others use the tables for longer than 30 seconds.
  ///   `KeyringError` where a vault cannot answer. Nothing is changed.
  public func loadMetadata() async throws {
    let pool = try await ServerPool.connected(description)
    let listener = ServerListener(own: signature, pool)
    try listener.begin()
    let opened = try await opened(pool).with(pool, listener)
    try listener.follow(opened.channel)
    setOpened(opened, at: try pool.read { try ServerHistory($0, opened).last() })
  }

  private func opened(_ pool: ServerPool) async throws -> Opened {
    for _ in 0..<Self.mostAttempts {
      let key = try await OpeningKey.find(model, description, pool)
      do {
        let opened = try pool.write { try ServerOpening($0, model, description, key).run(pool) }
        key?.giveRecoveryCode(description)
        return opened
      } catch let failure as CommitFailure {
        // The store may have been made with the key, which so stays in the vaults.
        if failure.error.isConnectionLost { key?.giveRecoveryCode(description) }
        throw failure.error.storeError
      } catch is OpeningKey.Outdated {
        await key?.forget()
      } catch {
        await key?.forget()
        throw error
      }
    }
    throw StoreError(.busy, "other programs change the keys of the store on the server; open it again")
  }
}
