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
}
