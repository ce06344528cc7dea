import Foundation
import Testing

/// One language: the field's words, and plain ones between them. `Documentation/Glossary.md` has
/// those that are ours.
@Suite("House rules: words")
struct WordTests {
  /// Private words for things that Core Data, SwiftData and SQLite have a name for, as parts of
  /// public names.
  private static let privateWords: Set<String> = [
    "care", "exemplary", "explanation", "family", "finding", "gone", "held", "helpful", "kept", "led",
    "mend", "moment", "monitor", "news", "place", "remark", "scan", "slot", "slots", "told", "tug", "unasked",
  ]

  /// Words that made sentences hard to read, in comments, messages and documentation.
  private static let vagueWords =
    #"\b(care|cares|mend|mends|mended|told|news|kept|held|gone|let go|lets go|nobody's|what leads here)\b"#

  @Test("public names are the field's words")
  func publicNames() {
    for file in SourceFile.sources {
      let names = file.facts.publicNames.filter { !Self.privateWords.isDisjoint(with: Self.parts(of: $0)) }
      #expect(names.isEmpty, "\(file.path) publishes \(names.sorted().joined(separator: ", "))")
    }
  }

  @Test("comments and messages are plain")
  func sentences() throws {
    let vague = try Regex(Self.vagueWords).ignoresCase()
    for file in SourceFile.sources {
      for text in file.facts.comments + file.facts.messages where text.text.contains(vague) {
        Issue.record("\(file.path):\(text.line): \(text.text)")
      }
    }
  }

  @Test("the documentation is plain")
  func documentation() throws {
    let vague = try Regex(Self.vagueWords).ignoresCase()
    for page in try Self.pages() {
      let text = try String(contentsOf: page, encoding: .utf8)
      for (index, line) in text.components(separatedBy: "\n").enumerated() where line.contains(vague) {
        Issue.record("\(page.lastPathComponent):\(index + 1): \(line)")
      }
    }
  }

  /// `fetchObjectIDs` has the parts fetch, object and ids.
  private static func parts(of name: String) -> Set<String> {
    var parts: [String] = []
    for character in name {
      if character.isUppercase || parts.isEmpty { parts.append("") }
      parts[parts.count - 1].append(character.lowercased())
    }
    return Set(parts)
  }

  private static func pages() throws -> [URL] {
    let folders = ["Documentation", "Sources"].map { SourceFile.root.appendingPathComponent($0) }
    let beneath = folders.flatMap { folder in
      FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL }
        ?? []
    }
    let own = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"]
      .map { SourceFile.root.appendingPathComponent($0) }
    return (beneath + own).filter {
      $0.pathExtension == "md" && FileManager.default.fileExists(atPath: $0.path)
    }
  }
}
