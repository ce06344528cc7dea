/// One line of results.
public struct Measurement: Codable, Sendable {
  public var phase: String
  public var path: String
  /// The median of the rounds' ratios to the limit.
  public var ratio: Double
  /// The greatest ratio less the least.
  public var spread: Double
  public var bytesPerObject: Double?
  public var statements: Int?
  /// Median microseconds per operation, of the limit and of this path.
  public var limitMicroseconds: Double
  public var microseconds: Double
}

extension Array where Element == Double {
  public var median: Double {
    let sorted = self.sorted()
    guard !sorted.isEmpty else { return .nan }
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }
}
