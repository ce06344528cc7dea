package import ObjectModel

/// A full-text search whose best matches come first.
public struct TextSearch: Sendable, Hashable, Codable {
  /// The words asked for; see `FetchOperator.search`.
  ///
  /// Each may stand in any of the index's attributes, words in a row in one.
  public var words: String
  /// The index's name in the model; nil for the entity's first one.
  public var indexName: String?

  /// Asks for words.
  public init(_ words: String, in indexName: String? = nil) {
    self.words = words
    self.indexName = indexName
  }

  /// The index of an entity or of those above it.
  /// - Throws: `QueryError` with code `unknownKey` when there is none.
  package func index(of entity: EntityDescription) throws(QueryError) -> (
    entity: EntityDescription, name: String, attributes: [AttributeDescription]
  ) {
    var holder: EntityDescription? = entity
    while let current = holder {
      for index in current.fetchIndexes where indexName == nil || index.name == indexName {
        if case .fullText(let attributes) = FetchIndexForm(index, of: current) {
          return (current, index.name, attributes)
        }
      }
      holder = current.superentity
    }
    let name = indexName.map { " named \($0)" } ?? ""
    throw QueryError(
      .unknownKey, "\(entity.name) has no index of words\(name); declare a full-text index in the model")
  }

  /// The ranges of a text at which the searched words are.
  public func ranges(in text: String) -> [Range<String.Index>] {
    let tokens = TextTokens.all(text)
    let words = tokens.map(\.word)
    var marked = [Bool](repeating: false, count: tokens.count)
    for phrase in TextQuery(self.words).phrases {
      for place in tokens.indices where phrase.stands(at: place, in: words) {
        for offset in phrase.words.indices { marked[place + offset] = true }
      }
    }
    return tokens.indices.filter { marked[$0] }.map { tokens[$0].range }
  }

  /// The part of a text where most of the words asked for stand, each between two marks; nil where
  /// none does.
  ///
  /// - Parameters:
  ///   - text: The whole text.
  ///   - words: The greatest number of words in the part.
  ///   - open: The mark before a word that was asked for.
  ///   - close: The mark after it.
  ///   - ellipsis: Stands for the text left out.
  /// - Returns: The part with its marks; nil where the text has none of the words.
  public func snippet(
    of text: String, words: Int = 12, open: String = "[", close: String = "]", ellipsis: String = "…"
  ) -> String? {
    let found = ranges(in: text)
    guard !found.isEmpty else { return nil }
    let all = TextTokens.all(text).map(\.range)
    let count = min(max(words, 1), all.count)
    let starts = Set(found.map(\.lowerBound))
    var hits = all.prefix(count).count { starts.contains($0.lowerBound) }
    var best = (start: 0, hits: hits)
    for start in stride(from: 1, through: all.count - count, by: 1) {
      hits += starts.contains(all[start + count - 1].lowerBound) ? 1 : 0
      hits -= starts.contains(all[start - 1].lowerBound) ? 1 : 0
      if hits > best.hits { best = (start, hits) }
    }
    let isFirst = best.start == 0
    let isLast = best.start + count == all.count
    var place = isFirst ? text.startIndex : all[best.start].lowerBound
    let end = isLast ? text.endIndex : all[best.start + count - 1].upperBound
    var result = isFirst ? "" : ellipsis
    for range in found where range.lowerBound >= place && range.upperBound <= end {
      result += text[place..<range.lowerBound] + open + text[range] + close
      place = range.upperBound
    }
    return result + text[place..<end] + (isLast ? "" : ellipsis)
  }
}
