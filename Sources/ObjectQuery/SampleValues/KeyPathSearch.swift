/// Finds which property a key path reads, since Swift on Linux cannot take a key path apart.
///
/// Each round makes a sample whose properties differ and evaluates the key path on it. A property
/// that has the value read in every round is the one; a computed property matches none.
package enum KeyPathSearch {
  /// The candidates whose value is the value read, in every round.
  ///
  /// - `evaluate`: The value that the key path reads from the sample of a round, and the values of
  ///   all candidates in it; nil when the key path cannot be evaluated.
  package static func matches<Candidate: Hashable, Value: Equatable>(
    _ evaluate: (_ round: Int) throws -> (read: Value, values: [Candidate: Value])?
  ) rethrows -> Set<Candidate> {
    var left: Set<Candidate>?
    for round in 0..<SampleMark.rounds {
      guard let (read, values) = try evaluate(round) else { return [] }
      let same = Set(values.filter { $0.value == read }.keys)
      let both = left?.intersection(same) ?? same
      if both.isEmpty { return [] }
      left = both
    }
    return left ?? []
  }
}
