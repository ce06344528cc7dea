/// What SEARCH asks of the words of a text: `quick brow*` for all of these, `fox OR cat` for one of
/// them, `"brown fox"` for words in a row, `-dog` for none of it.
///
/// Signs other than these are gaps. What asks for nothing finds nothing.
package struct TextQuery: Sendable, Hashable {
  /// Words in a row; the last may be the beginning of one.
  package struct Phrase: Sendable, Hashable {
    package let words: [String]
    package let isPrefix: Bool
  }

  /// One of each must be there.
  package private(set) var wanted: [[Phrase]] = []
  /// None of these may be there.
  package private(set) var excluded: [Phrase] = []

  package init(_ text: String) {
    let scalars = text.unicodeScalars
    var place = scalars.startIndex
    var isAlternative = false
    while place < scalars.endIndex {
      if scalars[place].properties.isWhitespace {
        place = scalars.index(after: place)
        continue
      }
      let isExcluded = scalars[place] == "-"
      if isExcluded { place = scalars.index(after: place) }
      guard place < scalars.endIndex else { break }
      let isQuoted = scalars[place] == "\""
      let start = isQuoted ? scalars.index(after: place) : place
      let end = scalars[start...].firstIndex {
        isQuoted ? $0 == "\"" : $0.properties.isWhitespace || $0 == "\""
      }
      let part = String(scalars[start..<(end ?? scalars.endIndex)])
      place = end.map { isQuoted ? scalars.index(after: $0) : $0 } ?? scalars.endIndex
      if !isQuoted, !isExcluded, part == "OR" {
        isAlternative = !wanted.isEmpty
        continue
      }
      let words = TextTokens.all(part).map(\.word)
      if words.isEmpty { continue }
      let phrase = Phrase(words: words, isPrefix: part.unicodeScalars.last == "*")
      if isExcluded {
        excluded.append(phrase)
      } else if isAlternative {
        wanted[wanted.count - 1].append(phrase)
      } else {
        wanted.append([phrase])
      }
      isAlternative = false
    }
  }

  /// The same for the index: in its language too OR binds more tightly than what stands in a row,
  /// and words are in small letters, which are never its keywords.
  ///
  /// It cannot leave out words in a row.
  package var indexText: String {
    if wanted.isEmpty { return "" }
    let parts =
      indexed.map { $0.map { "\"\($0.indexText)\"" }.joined(separator: " OR ") }
      + excluded.filter { $0.words.count == 1 }.prefix(Self.mostExcluded).map { "-" + $0.indexText }
    return parts.joined(separator: " ")
  }

  /// What is asked for, in its order.
  package var phrases: [Phrase] { wanted.flatMap { $0 } }

  /// Whether the index finds too much.
  package var needsCheck: Bool {
    excluded.contains { $0.words.count > 1 } || excluded.count > Self.mostExcluded
      || indexed.count < wanted.count
  }

  // The index reads a tree of twelve levels at most: a chain of exclusions is one, what is wanted
  // is balanced.
  private static let mostExcluded = 8
  private static let mostWanted = 256

  /// As much of what is wanted as the index reads.
  private var indexed: [[Phrase]] {
    var count = 0
    return wanted.filter { alternatives in
      guard count == 0 || count + alternatives.count <= Self.mostWanted else { return false }
      count += alternatives.count
      return true
    }
  }

  /// Whether the words of a text are such.
  ///
  /// Of several texts a row of words must stand in one.
  package func matches(_ texts: [[String]]) -> Bool {
    guard !wanted.isEmpty else { return false }
    func has(_ phrase: Phrase) -> Bool { texts.contains { phrase.count(in: $0) > 0 } }
    return wanted.allSatisfy { $0.contains(where: has) } && !excluded.contains(where: has)
  }

  /// Whether the words of a text are such.
  package func matches(_ text: String) -> Bool { matches([TextTokens.all(text).map(\.word)]) }
}

extension TextQuery.Phrase {
  fileprivate var indexText: String { words.joined(separator: " ") + (isPrefix ? "*" : "") }

  /// Whether it stands at a place.
  package func stands(at place: Int, in text: [String]) -> Bool {
    guard place + words.count <= text.count else { return false }
    for (offset, word) in words.enumerated() {
      let other = text[place + offset]
      let isSame =
        isPrefix && offset == words.count - 1
        ? other.utf8.starts(with: word.utf8) : other.utf8.elementsEqual(word.utf8)
      if !isSame { return false }
    }
    return true
  }

  /// How often it stands in a text.
  package func count(in text: [String]) -> Int { text.indices.count { stands(at: $0, in: text) } }
}
