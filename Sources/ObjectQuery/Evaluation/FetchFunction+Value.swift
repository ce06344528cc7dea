import Foundation
package import ObjectModel

extension FetchFunction {
  /// The function's value.
  ///
  /// Null where an argument is null or of a kind that the function does not take.
  package func value(_ arguments: [AttributeValue]) -> AttributeValue {
    if self == .now { return .date(Date()) }
    guard let first = arguments.first, arguments.count == argumentCount else { return .null }
    if arguments.count == 2 { return value(first, arguments[1]).finite }
    return value(first).finite
  }

  // MARK: Of one

  private func value(_ argument: AttributeValue) -> AttributeValue {
    switch self {
    case .uppercase, .lowercase, .canonical, .length:
      guard case .string(let text) = argument else { return .null }
      return value(text)
    case .castToNumber, .castToInteger, .castToDecimal, .castToDate, .castToString: return cast(argument)
    case .negate: return FetchFunction.subtract.value(.integer(0), argument)
    case .abs: return absolute(argument)
    default:
      guard let double = argument.floating else { return .null }
      return .double(floating(double))
    }
  }

  private func value(_ text: String) -> AttributeValue {
    switch self {
    case .uppercase: .string(text.uppercased())
    case .lowercase: .string(text.lowercased())
    case .length: .integer(Int64(text.count))
    default: .string(TextFolding.fold(text, [.caseInsensitive, .diacriticInsensitive]))
    }
  }

  private func absolute(_ argument: AttributeValue) -> AttributeValue {
    switch argument {
    case .integer(let integer):
      integer == .min ? .double(-Double(integer)) : .integer(Swift.abs(integer))
    case .boolean(let flag): .integer(flag ? 1 : 0)
    case .decimal(let decimal): .decimal(Swift.abs(decimal))
    case .double(let double): .double(Swift.abs(double))
    default: .null
    }
  }

  private func floating(_ x: Double) -> Double {
    switch self {
    case .ceiling: x.rounded(.up)
    case .floor: x.rounded(.down)
    case .round: x.rounded(.toNearestOrAwayFromZero)
    case .trunc: x.rounded(.towardZero)
    case .sqrt: x.squareRoot()
    case .exp: Foundation.exp(x)
    case .ln: Foundation.log(x)
    case .log: log10(x)
    default: .nan
    }
  }

  private func cast(_ argument: AttributeValue) -> AttributeValue {
    switch (self, argument) {
    case (.castToString, .null), (.castToString, .composite): return .null
    case (.castToString, _): return .string(argument.text)
    case (.castToDate, .date): return argument
    case (.castToDate, _):
      guard let seconds = argument.castNumber else { return .null }
      return .date(Date(timeIntervalSinceReferenceDate: seconds))
    case (.castToDecimal, _): return argument.castDecimal.map(AttributeValue.decimal) ?? .null
    case (.castToInteger, _): return argument.castInteger.map(AttributeValue.integer) ?? .null
    case (_, .integer): return argument
    default: return argument.castNumber.map(AttributeValue.double) ?? .null
    }
  }

  // MARK: Of two

  private func value(_ left: AttributeValue, _ right: AttributeValue) -> AttributeValue {
    switch self {
    case .add, .subtract, .multiply, .divide: return arithmetic(left, right)
    case .concatenate:
      guard case .string(let a) = left, case .string(let b) = right else { return .null }
      return .string(a + b)
    case .power:
      guard let a = left.floating, let b = right.floating else { return .null }
      return .double(pow(a, b))
    default:
      guard let a = left.whole, let b = right.whole else { return .null }
      switch self {
      case .bitwiseAnd: return .integer(a & b)
      case .bitwiseOr: return .integer(a | b)
      case .bitwiseXor: return .integer(a ^ b)
      default: return b == 0 ? .null : b == -1 ? .integer(0) : .integer(a % b)
      }
    }
  }

  private func arithmetic(_ left: AttributeValue, _ right: AttributeValue) -> AttributeValue {
    switch (left, right) {
    case (.date(let a), .date(let b)):
      return self == .subtract ? .double(a.timeIntervalSince(b)) : .null
    case (.date(let date), _), (_, .date(let date)):
      guard let seconds = (left.isDate ? right : left).floating,
        self == .add || self == .subtract && left.isDate
      else { return .null }
      return .date(date.addingTimeInterval(self == .add ? seconds : -seconds))
    case (.decimal, _), (_, .decimal):
      guard let a = ValueOrder.decimal(left), let b = ValueOrder.decimal(right) else { return .null }
      return decimal(a, b)
    default:
      if let a = left.whole, let b = right.whole, let result = whole(a, b) { return result }
      guard let a = left.floating, let b = right.floating else { return .null }
      return double(a, b)
    }
  }

  private func decimal(_ a: Decimal, _ b: Decimal) -> AttributeValue {
    switch self {
    case .add: .decimal(a + b)
    case .subtract: .decimal(a - b)
    case .multiply: .decimal(a * b)
    default: b == 0 ? .null : .decimal(a / b)
    }
  }

  private func double(_ a: Double, _ b: Double) -> AttributeValue {
    switch self {
    case .add: .double(a + b)
    case .subtract: .double(a - b)
    case .multiply: .double(a * b)
    default: b == 0 ? .null : .double(a / b)
    }
  }

  /// Nil where the result is no whole number that fits.
  private func whole(_ a: Int64, _ b: Int64) -> AttributeValue? {
    let (result, overflow) =
      switch self {
      case .add: a.addingReportingOverflow(b)
      case .subtract: a.subtractingReportingOverflow(b)
      case .multiply: a.multipliedReportingOverflow(by: b)
      default: b == 0 ? (0, false) : a.dividedReportingOverflow(by: b)
      }
    if self == .divide, b == 0 { return .null }
    return overflow ? nil : .integer(result)
  }
}

extension AttributeValue {
  fileprivate var isDate: Bool { if case .date = self { true } else { false } }

  fileprivate var whole: Int64? {
    switch self {
    case .integer(let integer): integer
    case .boolean(let flag): flag ? 1 : 0
    default: nil
    }
  }

  /// As a floating-point number; a decimal is rounded.
  fileprivate var floating: Double? {
    switch self {
    case .integer(let integer): Double(integer)
    case .boolean(let flag): flag ? 1 : 0
    case .double(let double): double
    case .decimal(let decimal): (decimal as NSDecimalNumber).doubleValue
    default: nil
    }
  }

  fileprivate var castDecimal: Decimal? {
    switch self {
    case .string(let text): Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
    case .date(let date): ValueOrder.decimal(.double(date.timeIntervalSinceReferenceDate))
    default: ValueOrder.decimal(self)
    }
  }

  fileprivate var castInteger: Int64? {
    switch self {
    case .integer(let integer): integer
    case .boolean(let flag): flag ? 1 : 0
    case .string(let text): Int64(text)
    default: castNumber.flatMap { Int64(exactly: $0.rounded(.towardZero)) }
    }
  }

  fileprivate var castNumber: Double? {
    switch self {
    case .date(let date): date.timeIntervalSinceReferenceDate
    case .string(let text): Double(text)
    default: floating
    }
  }

  /// Null in place of NaN, as in SQL.
  fileprivate var finite: AttributeValue {
    switch self {
    case .double(let double) where double.isNaN: .null
    case .date(let date) where date.timeIntervalSinceReferenceDate.isNaN: .null
    case .decimal(let decimal) where decimal.isNaN: .null
    default: self
    }
  }
}
