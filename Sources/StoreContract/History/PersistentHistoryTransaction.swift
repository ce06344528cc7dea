public import Foundation

/// What one save, batch or long value changed in a store, and who made it.
///
/// As `NSPersistentHistoryTransaction`.
public struct PersistentHistoryTransaction: Sendable, Identifiable {
  /// Its number in the store: one more than that of the transaction before.
  public let transactionNumber: Int64
  /// When it was committed, by the clock of the process that did.
  public let timestamp: Date
  /// The UUID of the store.
  public let storeIdentifier: UUID
  /// The `transactionAuthor` of the context that saved; nil where it had none.
  public let author: String?
  /// The name of the context that saved; nil where it had none.
  public let contextName: String?
  /// The name of the program that saved.
  public let processName: String
  /// The number that the system gave to its process.
  public let processIdentifier: Int32
  /// The place in the history after it.
  public let token: PersistentHistoryToken
  /// What was inserted, updated and deleted; nil where only transactions were asked for.
  public var changes: [PersistentHistoryChange]?

  /// Its number.
  public var id: Int64 { transactionNumber }

  /// Makes a transaction, for stores of other kinds.
  public init(
    transactionNumber: Int64, timestamp: Date, storeIdentifier: UUID, author: String?, contextName: String?,
    processName: String, processIdentifier: Int32, token: PersistentHistoryToken,
    changes: [PersistentHistoryChange]?
  ) {
    self.transactionNumber = transactionNumber
    self.timestamp = timestamp
    self.storeIdentifier = storeIdentifier
    self.author = author
    self.contextName = contextName
    self.processName = processName
    self.processIdentifier = processIdentifier
    self.token = token
    self.changes = changes
  }
}
