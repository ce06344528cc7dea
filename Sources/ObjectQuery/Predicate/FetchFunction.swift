/// A function of one or more values.
///
/// Arithmetic is SQLite's: integer division truncates, results that would overflow an integer are
/// floating-point, and undefined results (a division by zero, the square root of -1) are null. With
/// a decimal on one side the result is decimal. A date plus a number of seconds is a date; the
/// difference of two dates is a number of seconds.
public enum FetchFunction: String, Sendable, Hashable, Codable, CaseIterable {
  /// `a + b`.
  case add
  /// `a - b`.
  case subtract
  /// `a * b`.
  case multiply
  /// `a / b`.
  case divide
  /// The rest of a whole division, with the sign of the first.
  case modulus
  /// `a ** b`, floating.
  case power
  /// `-a`.
  case negate
  /// The number without its sign.
  case abs
  /// The next whole number above, floating.
  case ceiling
  /// The next whole number below, floating.
  case floor
  /// The nearest whole number, halves away from zero, floating.
  case round
  /// The whole part, floating.
  case trunc
  /// The square root.
  case sqrt
  /// e to a power.
  case exp
  /// The natural logarithm.
  case ln
  /// The decimal logarithm.
  case log
  /// Bits that both have.
  case bitwiseAnd
  /// Bits that either has.
  case bitwiseOr
  /// Bits that one has.
  case bitwiseXor
  /// Texts one after the other.
  case concatenate
  /// The text in capitals, whatever the language.
  case uppercase
  /// The text in small letters, whatever the language.
  case lowercase
  /// The text without case and marks, as `[cd]` compares it.
  case canonical
  /// The number of characters of a text.
  case length
  /// The current date.
  case now
  /// As a number: a date's seconds since 2001-01-01 UTC, a text's digits.
  case castToNumber
  /// As a whole number, cut.
  case castToInteger
  /// As an exact decimal number.
  case castToDecimal
  /// As a date: seconds since 2001-01-01 UTC.
  case castToDate
  /// As text.
  case castToString

  /// The number of arguments.
  package var argumentCount: Int {
    switch self {
    case .now: 0
    case .add, .subtract, .multiply, .divide, .modulus, .power, .bitwiseAnd, .bitwiseOr, .bitwiseXor,
      .concatenate:
      2
    default: 1
    }
  }
}
