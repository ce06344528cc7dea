/// A store that has a history of what was saved.
public protocol HistoryProviding<HistoryType> {
  /// What one save stored.
  associatedtype HistoryType: HistoryTransaction

  /// What one save stored.
  static var historyType: HistoryType.Type { get }

  /// The transactions of a descriptor.
  /// - Throws: why the history cannot be read.
  func fetchHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws -> [HistoryType]

  /// Deletes the transactions of a descriptor.
  /// - Throws: why they cannot be deleted.
  func deleteHistory(_ descriptor: HistoryDescriptor<HistoryType>) throws
}

extension DefaultStore: HistoryProviding {
  /// What one save stored.
  public typealias HistoryType = DefaultHistoryTransaction
  /// A place in the history.
  public typealias TokenType = DefaultHistoryToken

  /// The type of the transactions.
  public static var historyType: DefaultHistoryTransaction.Type { DefaultHistoryTransaction.self }

  /// The history.
  /// - Throws: as `ModelContext.fetchHistory(_:)`.
  public func fetchHistory(
    _ descriptor: HistoryDescriptor<DefaultHistoryTransaction>
  ) throws -> [DefaultHistoryTransaction] { try ModelContext(container).fetchHistory(descriptor) }

  /// Deletes history.
  /// - Throws: as `ModelContext.deleteHistory(_:)`.
  public func deleteHistory(_ descriptor: HistoryDescriptor<DefaultHistoryTransaction>) throws {
    try ModelContext(container).deleteHistory(descriptor)
  }
}
