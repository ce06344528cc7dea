import Foundation

/// The stored form of an `AttributedString`, which is not Codable on Linux: its runs, with their
/// links and languages.
///
/// Other attributes are not stored.
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
