import Foundation
import StoreTransfer

/// What a comparison of two stores found, as text or JSON.
struct ComparisonReport: Encodable {
  struct Difference: Encodable {
    let entity: String
    let object: Int64?
    let property: String?
    let message: String
  }

  let objects: [String: Int]
  let values: Int
  let links: Int
  let differenceCount: Int
  let differences: [Difference]

  init(_ result: StoreComparison) {
    (objects, values, links) = (result.objectCounts, result.valueCount, result.linkCount)
    differenceCount = result.differenceCount
    differences = result.differences.map {
      Difference(entity: $0.entity, object: $0.reference, property: $0.property, message: $0.message)
    }
  }

  func printJSON() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    print(String(decoding: try encoder.encode(self), as: UTF8.self))
  }

  func printText() {
    for one in differences {
      let name = [one.entity, one.property].compactMap { $0 }.joined(separator: ".")
      print("\(name)\(one.object.map { " \($0)" } ?? ""): \(one.message)")
    }
    let objects = objects.values.reduce(0, +)
    print("objects \(objects), values \(values), links \(links), differences \(differenceCount)")
  }
}
