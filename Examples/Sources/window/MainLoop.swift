import CGtk4
import Glibc

/// GLib's main loop, in which the main actor's tasks run.
///
/// The main actor's tasks are in Dispatch's main queue, which has a descriptor that is readable when
/// there is work. GLib waits for it as for any other: nothing runs while there is none.
@MainActor enum MainLoop {
  private static var isAttached = false

  /// Makes GLib's main loop run the main actor's tasks, from now on; call it once, before the loop.
  static func attach() {
    guard !isAttached else { return }
    isAttached = true
    g_unix_fd_add(
      _dispatch_get_main_queue_handle_4CF(), G_IO_IN,
      { handle, _, _ in
        var count: UInt64 = 0
        _ = read(handle, &count, MemoryLayout.size(ofValue: count))
        _dispatch_main_queue_callback_4CF(nil)
        return 1
      }, nil)
  }

  /// Calls a closure in the loop when the process gets a signal.
  static func on(signal number: Int32, _ body: @escaping @MainActor () -> Void) {
    signals[number] = body
    g_unix_signal_add(
      number,
      { number in
        onMain { MainLoop.signals[Int32(Int(bitPattern: number))]?() }
        return 1
      }, UnsafeMutableRawPointer(bitPattern: Int(number)))
  }

  private static var signals: [Int32: @MainActor () -> Void] = [:]

  /// Runs the loop until the work is done.
  /// - Throws: what the work throws.
  static func run(_ work: @escaping @MainActor () async throws -> Void) throws {
    attach()
    let loop = g_main_loop_new(nil, 0)
    var failure: (any Error)?
    Task {
      do { try await work() } catch { failure = error }
      g_main_loop_quit(loop)
    }
    g_main_loop_run(loop)
    g_main_loop_unref(loop)
    if let failure { throw failure }
  }
}

/// Runs what GTK calls back: on the main thread, and so on the main actor.
func onMain<R>(_ body: @MainActor () -> R) -> R {
  MainActor.assumeIsolated { Carried(value: body()) }.value
}

/// A value that stays on its thread.
private struct Carried<R>: @unchecked Sendable {
  // @unchecked: it does not leave the thread.
  let value: R
}
