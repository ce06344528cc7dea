import CLibEdit
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
  private let showsCount: Bool
  private var done = 0

  /// - `showsCount`: Whether the total is a number of things; else it only says how much there is.
  init(_ title: String, total: Int, showsCount: Bool = true) {
    self.title = title
    self.total = total
    self.showsCount = showsCount
  }

  func update(_ done: Int) {
    self.done = done
    let now = ContinuousClock.now
    guard isTerminal, now - start > .seconds(1), now - shown > .milliseconds(100) else { return }
    shown = now
    draw(done, now)
  }

  /// Ends the line: as whole, or where the work was stopped.
  func finish(isWhole: Bool = true) {
    guard isTerminal, ContinuousClock.now - start > .seconds(1) else { return }
    draw(isWhole ? total : done, .now)
    write("\n")
  }

  private func draw(_ done: Int, _ now: ContinuousClock.Instant) {
    let seconds = max((now - start) / .seconds(1), 0.001)
    let rate = Double(done) / seconds
    let left = rate > 0 ? Double(total - done) / rate : 0
    let percent = total > 0 ? 100 * done / total : 100
    let counts = showsCount ? "\(done)/\(total)  \(Int(rate))/s  " : ""
    let text =
      "\(percent) %  \(counts)"
      + (done < total ? "\(Int(left.rounded(.up))) s left" : "in \(Int(seconds)) s")
    // A line that wraps would be left behind by the next one.
    let columns = Int(terminal_columns(STDERR_FILENO))
    let room = (columns > 0 ? columns : 80) - 1 - text.count - title.count - 2
    let width = max(0, min(30, room))
    let filled = total > 0 ? min(width, width * done / total) : width
    let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: width - filled)
    let line = [title, bar, text].filter { !$0.isEmpty }.joined(separator: " ")
    write("\r\u{1B}[K" + (columns > 0 ? String(line.prefix(columns - 1)) : line))
  }

  private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
