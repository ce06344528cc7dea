import StrongroomData

@Model final class Note {
  #Index<Note>([\.changed])

  var title: String
  var text: String
  /// When it was last edited.
  var changed: Date

  init(_ title: String, text: String = "", changed: Date = .now) {
    (self.title, self.text, self.changed) = (title, text, changed)
  }

  /// What a list calls it.
  var name: String { title.isEmpty ? "Untitled" : title }

  /// When it was last edited, in words.
  func day(_ style: Date.FormatStyle.DateStyle) -> String {
    // Few fonts have the narrow blank.
    changed.formatted(date: style, time: .shortened).replacingOccurrences(of: "\u{202F}", with: "\u{A0}")
  }
}

extension Note {
  /// All notes, those edited last first.
  ///
  /// Texts are read when they are looked at: a list shows none.
  static var all: FetchDescriptor<Note> {
    var all = FetchDescriptor<Note>(sortBy: [SortDescriptor(\.changed, order: .reverse)])
    all.propertiesToFetch = [\.title, \.changed]
    return all
  }

  /// Those that have the words in their title or text; nil for all.
  static func having(_ words: String) -> Predicate<Note>? {
    if words.isEmpty { return nil }
    return #Predicate {
      $0.title.localizedStandardContains(words) || $0.text.localizedStandardContains(words)
    }
  }
}
