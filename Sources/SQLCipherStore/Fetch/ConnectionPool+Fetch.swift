import CipherDatabase
import StoreContract

extension ConnectionPool {
  /// Reads what a fetch needs, on a connection for reading; a fetch that reports its progress can be
  /// interrupted.
  func fetch<R>(_ body: (Connection) throws -> R) throws -> R {
    try read { connection in
      guard let monitor = FetchProgress.current else { return try body(connection) }
      // The monitor calls it only while the body runs, and the library allows it from any thread.
      nonisolated(unsafe) let running = connection
      return try monitor.interruptible({ running.interrupt() }) { try body(connection) }
    }
  }
}
