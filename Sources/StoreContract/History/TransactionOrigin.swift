/// Who writes to stores at the moment, for their histories.
///
/// A context sets it around its saves, batches and long values; a program that writes to a store itself may
/// set it too: `TransactionOrigin.$current.withValue(TransactionOrigin(author: "importer")) { … }`.
public struct TransactionOrigin: Sendable, Hashable {
  /// The `transactionAuthor` of the context; nil for nobody in particular.
  public var author: String?
  /// The name of the context; nil where it has none.
  public var contextName: String?

  /// The one in force in this task; nil where none is.
  @TaskLocal public static var current: TransactionOrigin?

  /// Makes an origin.
  public init(author: String? = nil, contextName: String? = nil) {
    self.author = author
    self.contextName = contextName
  }
}
