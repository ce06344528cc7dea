/// What a connection does with the next round trip.
enum PendingStep {
  case statement(ServerStatement)
  case check(() throws -> Void)

  var isStatement: Bool { if case .statement = self { true } else { false } }

  /// Frees the parameters, which are sent.
  mutating func forgetParameters() {
    guard case .statement(let statement) = self else { return }
    self = .statement(ServerStatement(sql: statement.sql, parameters: ServerValues(), body: statement.body))
  }
}
