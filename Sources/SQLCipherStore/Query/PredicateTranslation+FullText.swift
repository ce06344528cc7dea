import ObjectModel
import ObjectQuery
import StoreContract

extension PredicateTranslation {
  /// A search in a column by an index of its words; nil where there is none.
  mutating func fullTextMatch(_ left: SQLTerm, _ right: SQLTerm) -> String? {
    guard case .column(_, .text, let alias, .attribute(let attribute)?) = left,
      case .constant(.string, _) = right,
      let index = schema.fullTextIndex(of: attribute), let place = index.attributes.firstIndex(of: attribute)
    else { return nil }
    let name = index.name.quoted
    return
      "(\(alias)._id IN (SELECT docid FROM \(name) WHERE \(name).c\(place) MATCH \(sql(right, .search)))"
      + " AND (\(sql(right, .searchCheck)) = 0 OR \(function(left, .search, right, []))))"
  }

  /// The join, the condition and the order of a ranked search.
  mutating func ranked(_ search: TextSearch) -> (condition: String, order: String)? {
    guard let found = try? search.index(of: entity),
      let index = schema.virtualIndexes.first(where: {
        $0.kind == .fullText && $0.entity === found.entity && $0.indexName == found.name
      })
    else { return nil }
    let words = SQLTerm.constant(.string(search.words), .constant(constants.count - 1))
    let name = index.name.quoted
    joins.search(index.name)
    let columns = index.attributes.compactMap { schema.table(entity).column($0)?.name.quoted }
    let condition =
      "\(name) MATCH \(sql(words, .search)) AND (\(sql(words, .searchCheck)) = 0"
      + " OR _search(\(sql(words)), \(columns.map { "t0." + $0 }.joined(separator: ", "))))"
    return (condition, "_rank(matchinfo(\(name), 'pcnalx')) DESC")
  }
}
