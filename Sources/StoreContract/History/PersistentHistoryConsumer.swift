public import Foundation

/// Somebody who reads a store's history, by name, and what they have read of it.
///
/// The store knows its consumers, so that deleting history leaves what a consumer has not read. It waits for
/// each as long as the consumer asked it to: one that was not seen for longer is passed.
public struct PersistentHistoryConsumer: Sendable, Hashable, Identifiable {
  /// The name that it registered by.
  public let name: String
  /// The number of the last transaction that it has read; 0 for none.
  public let transactionNumber: Int64
  /// For how many seconds since `lastSeen` the history waits for it.
  public let span: TimeInterval
  /// When it last registered or said what it has read.
  public let lastSeen: Date

  /// The name.
  public var id: String { name }
  /// Whether the history still waits for it.
  public var isWithinSpan: Bool { lastSeen.addingTimeInterval(span) >= Date() }

  /// Makes a consumer, for stores of other kinds.
  public init(name: String, transactionNumber: Int64, span: TimeInterval, lastSeen: Date) {
    self.name = name
    self.transactionNumber = transactionNumber
    self.span = span
    self.lastSeen = lastSeen
  }
}
