/// What sample values are derived from: the number of a property, counted from 1, and the round.
///
/// A key path is evaluated on one sample after another. Over all rounds no two of the first 1023
/// properties have the same Booleans, and no property's are a subset of another's, so that a
/// computed `a && b` is never taken for `a`.
package struct SampleMark {
  /// Two for each of ten bits of the number: the bit and its complement.
  package static let rounds = 20

  let property: Int
  let round: Int

  package init(property: Int, round: Int) {
    self.property = property
    self.round = round
  }

  /// For types of two values, and enumerations.
  package var bit: Bool { ((property >> (round / 2)) ^ round) & 1 == 1 }

  /// A number below 2³¹.
  package var number: Int {
    // Knuth's multiplicative hash, so that two properties share small numbers in few rounds only.
    Int(truncatingIfNeeded: ((UInt64(property) &* 64 &+ UInt64(round) &+ 1) &* 0x9E37_79B9_7F4A_7C15) >> 33)
  }

  /// A number from 1 to 100, for types of 8 bits and of few digits.
  package var smallNumber: Int { number % 100 + 1 }
}
