import Foundation
import StoreTransfer

/// What a comparison of two stores found, as text or JSON.
struct ComparisonReport: Encodable {
  let objects: [String: Int]
  let values: Int
  let links: Int
  let differenceCount: Int
  let differences: [StoreComparison.Difference]

  init(_ result: StoreComparison) {
    (objects, values, links) = (result.objectCounts, result.valueCount, result.linkCount)
    differenceCount = result.differenceCount
    differences = result.differences
  }

  func printJSON() throws { print(try JSONText.of(self)) }

  func printText() {
    for difference in differences { print(difference) }
    let objects = objects.values.reduce(0, +)
    print("objects \(objects), values \(values), links \(links), differences \(differenceCount)")
  }
}
