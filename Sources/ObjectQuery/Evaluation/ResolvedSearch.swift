package import ObjectModel

/// A ranked search whose index has been looked up, for evaluation in memory.
package struct ResolvedSearch: Sendable {
  private let query: TextQuery
  private let attributes: [AttributeDescription]

  /// - Throws: `QueryError` when the entity has no such index.
  package init(_ search: TextSearch, for entity: EntityDescription) throws {
    query = TextQuery(search.words)
    attributes = try search.index(of: entity).attributes
  }

  /// Those of all objects that the search finds, with their ranks.
  /// - Throws: what reading the objects throws.
  package func found<Object: QueryObject>(_ objects: [Object]) throws -> [(object: Object, rank: Double)] {
    let texts = try objects.map { object in
      try attributes.map { attribute -> [String] in
        guard case .string(let text) = try object.queryValue(of: attribute) else { return [] }
        return TextTokens.all(text).map(\.word)
      }
    }
    let rank = TextRank(query, texts, columns: attributes.count)
    return zip(objects, texts).compactMap { object, texts in
      guard query.matches(texts) else { return nil }
      let counts = query.phrases.map { phrase in texts.map { phrase.count(in: $0) } }
      return (object, rank.rank(counts, texts.map(\.count)))
    }
  }
}
