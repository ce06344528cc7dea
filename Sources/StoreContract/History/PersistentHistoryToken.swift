public import Foundation

/// A place in the histories of stores: all that was saved up to it.
///
/// As `NSPersistentHistoryToken`. Codable, so that a program keeps it from one run to the next and asks for
/// what others saved in between.
public struct PersistentHistoryToken: Sendable, Hashable, Codable {
  /// The place in the history of one store.
  public struct Position: Sendable, Hashable, Codable {
    /// The number of the last transaction.
    public let transactionNumber: Int64
    /// What tells this transaction from one of the same number in a copy of the store: bytes that depend on
    /// all transactions up to it.
    public let fingerprint: Data

    /// Makes a position, for stores of other kinds.
    public init(transactionNumber: Int64, fingerprint: Data) {
      self.transactionNumber = transactionNumber
      self.fingerprint = fingerprint
    }
  }

  /// The place in each store, by the text of the store's UUID.
  private let positions: [String: Position]

  /// Makes a token of places in stores, by their UUIDs.
  public init(_ positions: [UUID: Position]) {
    self.positions = Dictionary(uniqueKeysWithValues: positions.map { ($0.key.uuidString, $0.value) })
  }

  /// The stores that it has a place in.
  package var stores: [UUID] { positions.keys.compactMap { UUID(uuidString: $0) } }

  /// The place in a store; nil where the token says nothing about it.
  public func position(in store: UUID) -> Position? { positions[store.uuidString] }

  /// This token's places, and for stores that another token knows that one's.
  public func merging(_ later: PersistentHistoryToken) -> PersistentHistoryToken {
    PersistentHistoryToken(positions: positions.merging(later.positions) { $1 })
  }

  private init(positions: [String: Position]) { self.positions = positions }
}
