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

  /// The findings as lines: the state, what it is of, and below what to do.
  static func lines(_ findings: [Finding]) -> String {
    let width = findings.map(\.what.count).max() ?? 0
    let lines = findings.flatMap { finding -> [String] in
      let state = finding.state.rawValue.padding(to: 6)
      let first = "\(state)\(finding.what.padding(to: width + 2))\(finding.found)"
      return finding.advice.isEmpty
        ? [first] : [first, "".padding(to: width + 8) + "to do: \(finding.advice)"]
    }
    return lines.joined(separator: "\n")
  }
}

extension String {
  /// The text with spaces behind it, at least so long.
  fileprivate func padding(to width: Int) -> String {
    self + String(repeating: " ", count: max(0, width - count))
  }
}
