import Foundation
import Testing

/// One language: the field's words, and plain ones between them.
///
/// `Documentation/Glossary.md` has those that are ours.
@Suite("House rules: words")
struct WordTests {
  /// Private words for things that Core Data, SwiftData and SQLite have a name for, as parts of
  /// public names.
  private static let privateWords: Set<String> = [
    "care", "exemplary", "explanation", "family", "finding", "gone", "held", "helpful", "kept", "led",
    "mend", "moment", "monitor", "news", "place", "remark", "scan", "slot", "slots", "told", "tug", "unasked",
  ]

  /// Words that make sentences hard to read, with what is said instead: maintenance, repair, reported,
  /// changes, stored, registered, deleted, released, orphaned, referencing objects.
  private static let vagueWords =
    #"\b(care|cares|mend|mends|mended|told|news|kept|held|gone|let go|lets go|nobody's|what leads here)\b"#

  @Test("public names are the field's words")
  func publicNames() {
    for file in SourceFile.sources {
      let names = file.facts.publicNames.filter { !Self.privateWords.isDisjoint(with: Self.parts(of: $0)) }
      #expect(names.isEmpty, "\(file.path) publishes \(names.sorted().joined(separator: ", "))")
    }
  }

  @Test("codes of errors and kinds of issues are described by their own names")
  func codes() {
    var count = 0
    for file in SourceFile.sources {
      for match in file.lines.joined(separator: "\n").matches(
        of: /static let (\w+) = (?:Code|Kind)\((?:description: )?"(\w+)"\)/)
      {
        count += 1
        #expect(match.1 == match.2, "\(file.path): \(match.1) is described as \(match.2)")
      }
    }
    #expect(count >= 60, "\(count) codes were found")
  }

  @Test("comments and messages are plain")
  func sentences() throws {
    let vague = try Regex(Self.vagueWords).ignoresCase()
    for file in SourceFile.sources {
      for sentence in file.facts.sentences where sentence.text.contains(vague) {
        Issue.record("\(file.path):\(sentence.line): \(sentence.text)")
      }
    }
  }

  @Test("the documentation is plain")
  func documentation() throws {
    let vague = try Regex(Self.vagueWords).ignoresCase()
    for page in try Self.pages() {
      var isCode = false
      for (index, line) in try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n")
        .enumerated()
      {
        if line.hasPrefix("```") { isCode.toggle() }
        let prose = line.replacing(/`[^`]*`/, with: "")
        if !isCode, !line.hasPrefix("    "), prose.contains(vague) {
          Issue.record("\(page.lastPathComponent):\(index + 1): \(line)")
        }
      }
    }
  }

  /// Every page of the repository.
  private static func pages() throws -> [URL] {
    let root = SourceFile.root
    let folders = ["Documentation", "Sources"].map { root.appendingPathComponent($0) }
    let beneath = folders.flatMap { folder in
      FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL }
        ?? []
    }
    let own = try FileManager.default.contentsOfDirectory(at: root, includingPropertiesForKeys: nil)
    let pages = (own + beneath).filter { $0.pathExtension == "md" }
    #expect(pages.count >= 30, "\(pages.count) pages")
    return pages
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
}
