import ObjectModel
import ObjectQuery
import StoreContract

extension PredicateTranslation {
  /// A search in a column by an index of its words; nil where there is none.
  mutating func indexed(_ left: SQLTerm, _ right: SQLTerm) -> String? {
    guard case .column(_, .text, let alias, .attribute(let attribute)?) = left,
      case .constant(.string, _) = right,
      let index = schema.wordIndex(of: attribute), let place = index.attributes.firstIndex(of: attribute)
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
        $0.kind == .words && $0.entity === found.entity && $0.indexName == found.name
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

  /// What an R-tree tells of conditions that all must hold: no fewer rows than meet them.
  ///
  /// Numbers in it are rounded outwards.
  mutating func boxes(_ conjuncts: [FetchPredicate]) -> [String] {
    schema.boxIndexes(of: entity).compactMap { index in
      var bounds: [String] = []
      for case .comparison(let comparison) in conjuncts where comparison.modifier == .direct {
        guard case .keyPath(let names) = comparison.left, names.count == 1,
          let attribute = entity.attribute(named: names[0]),
          let place = index.attributes.firstIndex(of: attribute)
        else { continue }
        bounds += self.bounds(comparison, place, SQLKind(attribute.type))
      }
      if bounds.isEmpty { return nil }
      return "t0._id IN (SELECT id FROM \(index.name.quoted) WHERE \(bounds.joined(separator: " AND ")))"
    }
  }

  private mutating func bounds(_ comparison: FetchComparison, _ place: Int, _ kind: SQLKind) -> [String] {
    func bound(_ side: SQLTerm?, _ condition: String) -> String? {
      guard let side, side.kind == kind, side.isValue else { return nil }
      return condition + sql(side)
    }
    switch comparison.operator {
    case .greater, .greaterOrEqual: return [bound(term(comparison.right), "h\(place) >= ")].compactMap { $0 }
    case .less, .lessOrEqual: return [bound(term(comparison.right), "l\(place) <= ")].compactMap { $0 }
    case .equal:
      let value = term(comparison.right)
      return [bound(value, "h\(place) >= "), bound(value, "l\(place) <= ")].compactMap { $0 }
    case .between:
      guard let ends = elements(comparison.right), ends.count == 2 else { return [] }
      return [bound(ends[0], "h\(place) >= "), bound(ends[1], "l\(place) <= ")].compactMap { $0 }
    default: return []
    }
  }
}
