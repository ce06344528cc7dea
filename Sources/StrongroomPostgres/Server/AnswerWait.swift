import Glibc
import Synchronization

/// Waits for a connection's answers, awake for those that come as soon as the one before.
///
/// A thread that sleeps is woken late, and often on a processor that has nothing of its work at hand: that
/// can take as long as what the server does for a small save.
struct AnswerWait {
  /// How long an answer is waited for awake at most, in nanoseconds; a longer wait is worth a sleep.
  private static let longestAwake: UInt64 = 500_000
  /// On a single processor the server cannot work while its client is awake.
  private static let mayStayAwake = sysconf(Int32(_SC_NPROCESSORS_ONLN)) > 1

  /// Whether a thread of this program waits awake: one at a time, so that waiting never takes more than one
  /// processor.
  private static let isOneAwake = Atomic<Bool>(false)

  /// How long the last answer took, in nanoseconds.
  private var last = UInt64.max

  /// Waits for an event of a socket.
  ///
  /// - Parameters:
  ///   - socket: The socket, and which events.
  ///   - milliseconds: How long at most, beyond what is waited awake.
  /// - Returns: What `poll` returns: 0 where none came.
  mutating func event(of socket: inout pollfd, milliseconds: Int32) -> Int32 {
    let start = Self.now
    defer { last = Self.now - start }
    if Self.mayStayAwake, last < Self.longestAwake, let events = Self.awake(&socket, since: start) {
      return events
    }
    return poll(&socket, 1, milliseconds)
  }

  /// What `poll` returns before it is worth a sleep; nil where nothing comes, or another thread is awake.
  private static func awake(_ socket: inout pollfd, since start: UInt64) -> Int32? {
    guard !isOneAwake.exchange(true, ordering: .relaxed) else { return nil }
    defer { isOneAwake.store(false, ordering: .relaxed) }
    repeat {
      let events = poll(&socket, 1, 0)
      if events != 0 { return events }
      // Where processors are busy, others go first.
      sched_yield()
    } while now - start < longestAwake
    return nil
  }

  private static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
