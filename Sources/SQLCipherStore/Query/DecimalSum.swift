import CipherDatabase
import Foundation
import StoreContract

/// Sums decimals as they stand in columns, exactly as memory sums them.
final class DecimalSum: AggregateFunction.Group {
  static let functions = [
    AggregateFunction("_decimal_sum") { DecimalSum(isAverage: false) },
    AggregateFunction("_decimal_average") { DecimalSum(isAverage: true) },
  ]

  private var sum: Decimal = 0
  private var count = 0
  private let isAverage: Bool

  private init(isAverage: Bool) { self.isAverage = isAverage }

  func add(_ bytes: UnsafeRawBufferPointer) {
    guard let decimal = DecimalCoding.decode(bytes) else { return }
    sum += decimal
    count += 1
  }

  func finish() -> [UInt8]? {
    if isAverage { return count == 0 ? nil : DecimalCoding.encode(sum / Decimal(count)) }
    return DecimalCoding.encode(sum)
  }
}
