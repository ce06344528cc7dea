import Foundation
import ObjectModel
import Testing

@testable import ObjectQuery

@Suite("Aggregates of values")
struct AggregateTests {
  @Test("A sum that fits is whole whatever the order, also where a part of it would not fit")
  func sums() {
    let numbers: [AttributeValue] = [.integer(.max), .integer(1), .integer(-2)]
    for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [2, 1, 0]] {
      #expect(FetchAggregate.sum.value(of: order.map { numbers[$0] }, type: nil) == .integer(.max - 1))
    }
    let tooMany = FetchAggregate.sum.value(of: [.integer(.max), .integer(.max)], type: nil)
    #expect(tooMany == .double(2 * Double(Int64.max)))
  }

  @Test("The extremes of values of several kinds do not depend on the order the values come in")
  func extremes() throws {
    let values: [AttributeValue] = [
      .string("ä"), .string("b"), .integer(2), .data(Data([1])), .decimal(0.5), .double(1e300),
      .composite(["x": .integer(1)]), .composite(["x": .string("a")]), .double(-.infinity),
    ]
    for shift in values.indices {
      let turned = Array(values[shift...] + values[..<shift])
      for some in [turned, turned.reversed()] {
        #expect(FetchAggregate.max.value(of: some, type: nil) == .composite(["x": .string("a")]))
        #expect(FetchAggregate.min.value(of: some, type: nil) == .double(-.infinity))
        #expect(FetchAggregate.median.value(of: some, type: nil) == .string("b"))
      }
    }
  }

  @Test("A decimal is compared with numbers that no decimal holds")
  func beyondDecimals() {
    let decimals: [Decimal] = [-1, 0, 1, Decimal(string: "1e120") ?? .nan]
    for (place, decimal) in decimals.enumerated() {
      #expect(ValueOrder.compare(.decimal(decimal), .double(1e300)) == -1)
      #expect(ValueOrder.compare(.double(-.infinity), .decimal(decimal)) == -1)
      #expect(ValueOrder.compare(.decimal(decimal), .double(1e-300)) == (place < 2 ? -1 : 1))
      #expect(ValueOrder.compare(.decimal(decimal), .double(-1e-300)) == (place < 1 ? -1 : 1))
      #expect(ValueOrder.compare(.decimal(decimal), .double(.nan)) == nil)
    }
  }
}
