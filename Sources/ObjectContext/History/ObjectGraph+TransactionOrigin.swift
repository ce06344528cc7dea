import StoreContract

extension ObjectGraph {
  /// Runs what writes to stores, in the context's name.
  func withTransactionOrigin<R>(_ body: () throws -> R) rethrows -> R {
    if transactionAuthor == nil, name == nil { return try body() }
    return try TransactionOrigin.$current.withValue(
      TransactionOrigin(author: transactionAuthor, contextName: name), operation: body)
  }
}
