import Foundation

/// How well texts answer a search, by BM25 over each of an index's attributes.
package struct TextRank {
  private static let k1 = 1.2
  private static let b = 0.75

  /// What is known of all rows.
  package var rows = 0
  /// The mean number of words of each attribute, rounded as the index does.
  package var means: [Int] = []
  /// For each phrase and attribute, the number of rows it stands in.
  package var rowsWith: [[Int]] = []

  package init() {}

  /// The rank of a row.
  ///
  /// - `counts`: For each phrase and attribute, how often it stands there.
  /// - `lengths`: The number of words of each attribute.
  package func rank(_ counts: [[Int]], _ lengths: [Int]) -> Double {
    var rank = 0.0
    for (phrase, counts) in counts.enumerated() {
      for (column, count) in counts.enumerated() where count > 0 {
        let with = Double(rowsWith[phrase][column])
        let rarity = (Double(rows) - with + 0.5) / (with + 0.5)
        let length = Double(lengths[column]) / Double(max(means[column], 1))
        let weight =
          Double(count) * (Self.k1 + 1) / (Double(count) + Self.k1 * (1 - Self.b + Self.b * length))
        rank += max(rarity > 0 ? log(rarity) : 0, 1e-6) * weight
      }
    }
    return rank
  }

  /// The statistics of rows, as the words of their attributes.
  package init(_ query: TextQuery, _ all: [[[String]]], columns: Int) {
    rows = all.count
    means = (0..<columns).map { column in
      (all.reduce(0) { $0 + $1[column].count } + rows / 2) / max(rows, 1)
    }
    rowsWith = query.phrases.map { phrase in
      (0..<columns).map { column in all.count { phrase.count(in: $0[column]) > 0 } }
    }
  }
}
