/// One line of results.
package struct Measurement: Codable, Sendable {
  package var phase: String
  package var path: String
  /// The median of the rounds' ratios to the limit.
  package var ratio: Double
  /// The greatest ratio less the least.
  package var spread: Double
  package var bytesPerObject: Double?
  package var statements: Int?
  /// Median microseconds per operation, of the limit and of this path.
  package var limitMicroseconds: Double
  package var microseconds: Double
}

extension Array where Element == Double {
  package var median: Double {
    let sorted = self.sorted()
    guard !sorted.isEmpty else { return .nan }
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}
