import Glibc

/// Waits in short pauses that grow, until a time is over.
struct Deadline {
  private let end: ContinuousClock.Instant

  init(milliseconds: Int) { end = .now + .milliseconds(max(milliseconds, 0)) }

  /// Sleeps for one to ten milliseconds; false, without sleeping, when the time is over.
  func pause() -> Bool {
    let left = ContinuousClock.now.duration(to: end)
    guard left > .zero else { return false }
    usleep(useconds_t.random(in: 1_000...10_000))
    return true
  }
}
