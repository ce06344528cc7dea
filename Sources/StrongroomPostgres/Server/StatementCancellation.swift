import CLibPQ

/// What ends the statement that a connection waits for, from any thread.
final class StatementCancellation: @unchecked Sendable {
  // @unchecked: libpq lets any thread use the handle, which nothing changes.
  private let handle: OpaquePointer?

  init(_ connection: OpaquePointer) { handle = PQgetCancel(connection) }

  deinit { PQfreeCancel(handle) }

  /// Asks the server to end it, by a connection of its own; without effect between statements.
  func send() {
    var reason = [CChar](repeating: 0, count: 256)
    PQcancel(handle, &reason, Int32(reason.count))
  }
}
