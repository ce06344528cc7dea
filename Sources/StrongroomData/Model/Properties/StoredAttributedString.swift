import Foundation

/// How an `AttributedString`, which is not Codable on Linux, is kept: its runs, with their links and languages. Other attributes
/// are not kept.
struct StoredAttributedString: Codable {
  private struct Run: Codable {
    var text: String
    var link: URL?
    var language: String?
  }

  private var runs: [Run]

  init(_ string: AttributedString) {
    runs = string.runs.map { run in
      Run(text: String(string[run.range].characters), link: run.link, language: run.languageIdentifier)
    }
  }

  var string: AttributedString {
    runs.reduce(into: AttributedString()) { whole, run in
      var part = AttributedString(run.text)
      if let link = run.link { part.link = link }
      if let language = run.language { part.languageIdentifier = language }
      whole.append(part)
    }
  }
}
