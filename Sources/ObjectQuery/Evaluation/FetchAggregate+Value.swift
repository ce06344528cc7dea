import Foundation
package import ObjectModel

extension FetchAggregate {
  /// The aggregate of values, nulls among them.
  ///
  /// - `type`: The attribute's type, for the sum of none; nil for no attribute.
  package func value(of values: [AttributeValue], type: AttributeType?) -> AttributeValue {
    if self == .count { return .integer(Int64(values.count)) }
    let present = values.filter { !$0.isNull }
    switch self {
    case .count: return .null
    case .min: return present.min { ValueOrder.order($0, $1) < 0 } ?? .null
    case .max: return present.max { ValueOrder.order($0, $1) < 0 } ?? .null
    case .sum: return Self.sum(present, type)
    case .average: return Self.average(present)
    case .median: return Self.median(present)
    }
  }

  /// An integer where the sum fits, exact for decimals, else floating-point.
  ///
  /// The smallest value is added first, so that the order of rows does not change the sum.
  private static func sum(_ values: [AttributeValue], _ type: AttributeType?) -> AttributeValue {
    var whole: Int128 = 0
    var floating: [Double] = []
    var exact: Decimal?
    var hasDouble = false
    for value in values {
      switch value {
      case .integer(let integer):
        whole += Int128(integer)
        floating.append(Double(integer))
      case .boolean(let flag):
        whole += flag ? 1 : 0
        floating.append(flag ? 1 : 0)
      case .double(let double):
        hasDouble = true
        floating.append(double)
      case .decimal(let decimal): exact = (exact ?? 0) + decimal
      default: return .null
      }
    }
    switch type {
    case .decimal?: return (exact ?? 0).isNaN ? .null : .decimal(exact ?? 0)
    case .double?, .float?: hasDouble = true
    default: break
    }
    if let exact { return exact.isNaN ? .null : .decimal(exact) }
    if !hasDouble, let fitting = Int64(exactly: whole) { return .integer(fitting) }
    let sum = floating.sorted().reduce(0, +)
    return sum.isNaN ? .null : .double(sum)
  }

  private static func average(_ values: [AttributeValue]) -> AttributeValue {
    if values.isEmpty { return .null }
    switch sum(values, nil) {
    case .integer(let integer): return .double(Double(integer) / Double(values.count))
    case .double(let double): return .double(double / Double(values.count))
    case .decimal(let decimal): return .decimal(decimal / Decimal(values.count))
    default: return .null
    }
  }

  private static func median(_ values: [AttributeValue]) -> AttributeValue {
    if values.isEmpty { return .null }
    let sorted = values.sorted { ValueOrder.order($0, $1) < 0 }
    let middle = sorted[sorted.count / 2]
    return sorted.count % 2 == 1 ? middle : average([sorted[sorted.count / 2 - 1], middle])
  }
}
