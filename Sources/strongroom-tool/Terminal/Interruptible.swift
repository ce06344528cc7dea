import Dispatch
import Glibc

/// Runs work that cleans up when it is stopped by Ctrl-C, by `kill`, or by closing its terminal.
enum Interruptible {
  private typealias Handler = @convention(c) (Int32) -> Void

  private static let signals = [SIGINT, SIGTERM, SIGHUP]

  /// Runs work as a task that these signals cancel.
  static func run<R: Sendable>(_ work: @escaping @Sendable () async throws -> R) async throws -> R {
    let task = Task { try await work() }
    let watched = signals.compactMap {
      number -> (number: Int32, before: Handler?, source: any DispatchSourceSignal)? in
      let before = signal(number, SIG_IGN)
      // A signal that the parent process ignores, as nohup does, stays ignored.
      if unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { return nil }
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { task.cancel() }
      source.resume()
      return (number, before, source)
    }
    defer {
      for one in watched {
        one.source.cancel()
        signal(one.number, one.before)
      }
    }
    return try await task.value
  }
}
