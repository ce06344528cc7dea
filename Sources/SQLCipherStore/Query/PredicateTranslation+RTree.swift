import ObjectModel
import ObjectQuery
import StoreContract

extension PredicateTranslation {
  /// What an R-tree tells of conditions that all must hold: no fewer rows than meet them.
  ///
  /// Numbers in it are rounded outwards.
  mutating func rTreeConditions(_ conjuncts: [FetchPredicate]) -> [String] {
    schema.rTreeIndexes(of: entity).compactMap { index in
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
