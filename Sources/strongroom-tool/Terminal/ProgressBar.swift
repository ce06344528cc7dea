import Foundation
import Glibc

/// A line on the terminal with the progress, speed and remaining time of work.
///
/// It prints nothing elsewhere, or for work that takes less than a second.
final class ProgressBar {
  private let title: String
  private let total: Int
  private let start = ContinuousClock.now
  private var shown = ContinuousClock.now
  private let isTerminal = isatty(STDERR_FILENO) == 1

  init(_ title: String, total: Int) {
    self.title = title
    self.total = total
  }

  func update(_ done: Int) {
    let now = ContinuousClock.now
    guard isTerminal, now - start > .seconds(1), now - shown > .milliseconds(100) else { return }
    shown = now
    draw(done, now)
  }

  func finish() {
    guard isTerminal, ContinuousClock.now - start > .seconds(1) else { return }
    draw(total, .now)
    write("\n")
  }

  private func draw(_ done: Int, _ now: ContinuousClock.Instant) {
    let seconds = max((now - start) / .seconds(1), 0.001)
    let rate = Double(done) / seconds
    let left = rate > 0 ? Double(total - done) / rate : 0
    let width = 30
    let filled = total > 0 ? min(width, width * done / total) : width
    let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
    let percent = total > 0 ? 100 * done / total : 100
    write(
      "\r\u{1B}[K\(title) \(bar) \(percent) %  \(done)/\(total)  \(Int(rate))/s  "
        + (done < total ? "\(Int(left.rounded(.up))) s left" : "in \(Int(seconds)) s"))
  }

  private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
