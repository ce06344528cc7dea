public import Foundation
import Locks

/// The history tokens of one save, which stores write into it while they save.
///
/// `HistoryReceipt.$current.withValue(receipt) { try context.save() }`: a token is of this save, and not of
/// one that another thread or process made after it. After a save that failed, ignore them; after one that
/// saved some stores, those of the other ones.
public final class HistoryReceipt: Sendable {
  /// The receipt that stores write into in this task; nil for none.
  @TaskLocal public static var current: HistoryReceipt?

  private let places = Locked<[UUID: PersistentHistoryToken.Position]>([:])

  /// Makes a receipt without places.
  public init() {}

  /// Notes the place in the history of a store; that of a later attempt replaces it.
  ///
  /// To be called by stores, once for each save that they have written.
  public func note(_ position: PersistentHistoryToken.Position, in store: UUID) {
    places.withLock { $0[store] = position }
  }

  /// The places as tokens, one for each store, in the order of the stores' UUIDs; none where no store has
  /// a history, or nothing changed.
  public var tokens: [PersistentHistoryToken] {
    places.withLock { $0 }.sorted { $0.key.uuidString < $1.key.uuidString }
      .map { PersistentHistoryToken([$0.key: $0.value]) }
  }
}
