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

  @Test("public names are the field's words")
  func publicNames() {
    for file in SourceFile.sources {
      let names = file.facts.publicNames.filter { !Self.privateWords.isDisjoint(with: Self.parts(of: $0)) }
      #expect(names.isEmpty, "\(file.path) publishes \(names.sorted().joined(separator: ", "))")
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
}
