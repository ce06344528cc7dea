import ObjectQuery

/// The ORDER BY clause of a fetch, without the row number that ends it.
struct FetchOrder {
  private(set) var terms: [String]
  /// Whether SQL sorts by every sort descriptor, so that memory need not sort.
  private(set) var isComplete = true

  /// - Parameter rank: The term of a ranked search, which precedes all others.
  init(rank: String?) { terms = rank.map { [$0] } ?? [] }

  /// Adds the sort descriptors that SQL orders by as memory does.
  mutating func append(_ descriptors: [FetchSortDescriptor], _ translation: inout PredicateTranslation) {
    for descriptor in descriptors {
      if let term = translation.order(descriptor) { terms.append(term) } else { isComplete = false }
    }
  }
}
