import Foundation
package import ObjectModel

extension FetchFunction {
  /// The function's value. Null where an argument is null or of a kind that the function does not
  /// take.
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
      switch self {
      case .uppercase: return .string(text.uppercased())
      case .lowercase: return .string(text.lowercased())
      case .length: return .integer(Int64(text.count))
      default: return .string(TextFolding.fold(text, [.caseInsensitive, .diacriticInsensitive]))
      }
    case .castToNumber, .castToInteger, .castToDecimal, .castToDate, .castToString: return cast(argument)
    case .negate: return FetchFunction.subtract.value(.integer(0), argument)
    case .abs:
      switch argument {
      case .integer(let integer):
        return integer == .min ? .double(-Double(integer)) : .integer(Swift.abs(integer))
      case .boolean(let flag): return .integer(flag ? 1 : 0)
      case .decimal(let decimal): return .decimal(Swift.abs(decimal))
      case .double(let double): return .double(Swift.abs(double))
      default: return .null
      }
    default:
      guard let double = argument.floating else { return .null }
      return .double(floating(double))
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
    switch self {
    case .castToString:
      if case .null = argument { return .null }
      if case .composite = argument { return .null }
      return .string(argument.text)
    case .castToDate:
      if case .date = argument { return argument }
      guard let seconds = argument.castNumber else { return .null }
      return .date(Date(timeIntervalSinceReferenceDate: seconds))
    case .castToDecimal:
      if case .string(let text) = argument {
        return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX")).map(AttributeValue.decimal)
          ?? .null
      }
      if case .date(let date) = argument {
        return ValueOrder.decimal(.double(date.timeIntervalSinceReferenceDate)).map(AttributeValue.decimal)
          ?? .null
      }
      return ValueOrder.decimal(argument).map(AttributeValue.decimal) ?? .null
    case .castToInteger:
      switch argument {
      case .integer: return argument
      case .boolean(let flag): return .integer(flag ? 1 : 0)
      case .string(let text): return Int64(text).map(AttributeValue.integer) ?? .null
      default:
        let whole = argument.castNumber.flatMap { Int64(exactly: $0.rounded(.towardZero)) }
        return whole.map(AttributeValue.integer) ?? .null
      }
    default:
      if case .integer = argument { return argument }
      return argument.castNumber.map(AttributeValue.double) ?? .null
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
      switch self {
      case .add: return .decimal(a + b)
      case .subtract: return .decimal(a - b)
      case .multiply: return .decimal(a * b)
      default: return b == 0 ? .null : .decimal(a / b)
      }
    default:
      if let a = left.whole, let b = right.whole, let result = whole(a, b) { return result }
      guard let a = left.floating, let b = right.floating else { return .null }
      switch self {
      case .add: return .double(a + b)
      case .subtract: return .double(a - b)
      case .multiply: return .double(a * b)
      default: return b == 0 ? .null : .double(a / b)
      }
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

  fileprivate var castNumber: Double? {
    switch self {
    case .date(let date): date.timeIntervalSinceReferenceDate
    case .string(let text): Double(text)
    default: floating
    }
  }

  /// Null in place of what is no number, as in SQL.
  fileprivate var finite: AttributeValue {
    switch self {
    case .double(let double) where double.isNaN: .null
    case .date(let date) where date.timeIntervalSinceReferenceDate.isNaN: .null
    case .decimal(let decimal) where decimal.isNaN: .null
    default: self
    }
  }
}
