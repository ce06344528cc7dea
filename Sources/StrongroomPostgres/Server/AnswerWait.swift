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

  /// What another program has the processor for at least where it needs it, in nanoseconds; the server's own
  /// process is done before.
  private static let longestYield: UInt64 = 250_000
  /// How long all threads sleep when they wait after that, in nanoseconds: who sleeps goes before others when
  /// it is woken, who yields goes after them.
  private static let rest: UInt64 = 200_000_000
  private static let restsUntil = Atomic<UInt64>(0)

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

  /// What `poll` returns before it is worth a sleep; nil where nothing comes, another thread is awake or the
  /// processors are busy.
  private static func awake(_ socket: inout pollfd, since start: UInt64) -> Int32? {
    if start < restsUntil.load(ordering: .relaxed) || isOneAwake.exchange(true, ordering: .relaxed) {
      return nil
    }
    defer { isOneAwake.store(false, ordering: .relaxed) }
    var time = start
    repeat {
      let events = poll(&socket, 1, 0)
      if events != 0 { return events }
      sched_yield()
      let former = time
      time = now
      if time - former > longestYield {
        restsUntil.store(time + rest, ordering: .relaxed)
        return nil
      }
    } while time - start < longestAwake
    return nil
  }

  private static var now: UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
  }
}
