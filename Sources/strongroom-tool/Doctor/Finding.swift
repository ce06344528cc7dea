/// One thing that was looked at: what was found, and what to do about it.
struct Finding {
  enum State: String {
    /// As stores need it.
    case good = "ok"
    /// Stores work, or some do, but it should be known.
    case note
    /// A store does not open, or is not saved.
    case bad
  }

  let what: String
  let state: State
  let found: String
  /// What to do; empty where there is nothing to do.
  let advice: String

  init(_ what: String, _ state: State, _ found: String, advice: String = "") {
    (self.what, self.state, self.found, self.advice) = (what, state, found, advice)
  }

  /// What is as stores need it.
  init(_ what: String, _ found: String) { self.init(what, .good, found) }

  static let columns = ["what", "state", "found", "advice"]

  var row: [Cell] { [.text(what), .text(state.rawValue), .text(found), .text(advice)] }

  /// As wide as the longest of what is looked at.
  private static let width = "session bus".count

  /// The finding as lines: the state, what it is of, and below what to do.
  ///
  /// What a path, a bus or a keyring's program says stays on its line, and is nothing that a terminal obeys.
  var lines: String {
    let first = "\(state.rawValue.padding(to: 6))\(what.padding(to: Self.width + 2))\(Self.oneLine(found))"
    if advice.isEmpty { return first }
    return first + "\n" + "".padding(to: Self.width + 8) + "to do: \(Self.oneLine(advice))"
  }

  private static func oneLine(_ text: String) -> String { RowPrinter.harmless(text[...]) }
}

extension String {
  /// The text with spaces behind it, at least so long.
  fileprivate func padding(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
