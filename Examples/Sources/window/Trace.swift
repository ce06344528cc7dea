import Glibc

/// What the window shows, in lines on standard output, for programs that drive it.
@MainActor enum Trace {
  static var isOn = false
  private static let start = ContinuousClock.now

  /// Remembers when the program began.
  static func begin(_ isOn: Bool) {
    self.isOn = isOn
    _ = start
  }

  /// Milliseconds since the beginning.
  static var elapsed: Int {
    let parts = (ContinuousClock.now - start).components
    return Int(parts.seconds) * 1000 + Int(parts.attoseconds / 1_000_000_000_000_000)
  }

  static func say(_ line: @autoclosure () -> String) {
    guard isOn else { return }
    print(line())
    fflush(nil)
  }
}
