/// What a program wants to know about its connections, for logs.
package struct ConnectionObserver: Sendable {
  /// From how many milliseconds on a statement is reported.
  package var slowMilliseconds: Int
  /// Called with statements that took that long, and with those that waited for another connection.
  package var executed: @Sendable (ExecutedStatement) -> Void
  /// Called when the file was replaced or removed while it was open.
  package var fileReplaced: @Sendable () -> Void

  package init(
    slowMilliseconds: Int, executed: @escaping @Sendable (ExecutedStatement) -> Void,
    fileReplaced: @escaping @Sendable () -> Void
  ) {
    self.slowMilliseconds = slowMilliseconds
    self.executed = executed
    self.fileReplaced = fileReplaced
  }
}

/// One run of a statement, without any value.
package struct ExecutedStatement: Sendable {
  /// The statement on one line, its literals as `?` with type and size.
  package let sql: String
  /// The rows that were read.
  package let rows: Int
  /// The time in SQLite, without what the program did between two rows.
  package let milliseconds: Double
  /// How long it waited for another connection.
  package let waitedMilliseconds: Int
}
