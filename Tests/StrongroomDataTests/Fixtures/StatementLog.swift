import Locks

/// The statements that a store runs, for who opened it.
final class StatementLog: Sendable {
  private let statements = Locked<[String]>([])

  func note(_ sql: String) { statements.withLock { $0.append(sql) } }

  /// The statements since the last call.
  func take() -> [String] {
    statements.withLock { statements in
      defer { statements = [] }
      return statements
    }
  }
}
