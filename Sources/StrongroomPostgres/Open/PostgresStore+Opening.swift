import Foundation
import ObjectModel
import StoreContract

extension PostgresStore {
  /// Connects, makes the store where there is none yet, and moves one of another version of the model to
  /// this one.
  ///
  /// Where a migration drops data, a copy of the store stays in a schema whose name is that of the store's
  /// with the time behind it.
  /// - Throws: `StoreError`: `serverUnreachable`; `unsupportedServer` where the server, or a pool of
  ///   connections before it, lacks what a store needs; `wrongKey` where the server refuses the user;
  ///   `fileMissing` where there is no store and none may be made; `modelMismatch` where it was made with
  ///   another version of the model and cannot or may not be moved; `lossyMigration` where that would drop
  ///   data and may not; `busy` where others use the tables for longer than 30 seconds. Nothing is changed.
  public func loadMetadata() async throws {
    let pool = try ServerPool(description)
    let opened: Opened
    do {
      opened = try pool.write { try ServerOpening($0, model, description).run(pool) }
    } catch let failure as CommitFailure { throw failure.error.storeError }
    let listener = ServerListener(
      Self.channel(opened.identifier), own: signature, connect: pool.connect)
    try listener.listen()
    _ = try pool.read {
      try $0.run(
        "SELECT pg_notify($1, $2)", [.text(Self.channel(opened.identifier)), .text(signature)])
    }
    try listener.waitForOwn()
    var listening = opened
    listening.listener = listener
    setOpened(listening)
  }
}
