/// The ratios that each phase is to reach: what the project set itself, or the floor of Swift itself
/// where that is higher.
package struct Goals {
  private static let managed: [String: Double] = [
    "P2": 1.4, "P3": 1.15, "P3-full": 1.12, "P4": 1.5, "P5": 1.2, "P5-hit": 0.12, "P6": 1.2, "P7": 0.8,
    "P8": 1.5, "P8-prefetched": 2.2, "P9": 1.5, "P9-live": 0.75, "P10": 1.1, "P11": 1.05, "P12": 1.02,
    "P14": 1.4,
  ]
  private static let bulk: [String: Double] = ["P4": 1.2, "P13": 1.12]
  private static let columns: [String: Double] = ["P4": 1.1]
  private static let records: [String: Double] = ["R1": 1.4, "R2": 1.4, "R3": 1.3, "R4": 1.3]
  /// Of the ratio that managed objects have: models are these with observation and Swift's types.
  private static let typedToManaged = 1.15
  private static let typedToManagedByAttribute = 1.3
  private static let bytes: [String: Double] = ["P4 managed": 330, "P4-faults managed": 110]
  private static let typedBytesToManaged = 1.3

  private let ratios: [String: Double]
  private let bytesMeasured: [String: Double]

  package init(_ measurements: [Measurement]) {
    ratios = Dictionary(measurements.map { ("\($0.phase) \($0.path)", $0.ratio) }) { first, _ in first }
    bytesMeasured = Dictionary(
      measurements.compactMap { row in row.bytesPerObject.map { ("\(row.phase) \(row.path)", $0) } }
    ) { first, _ in first }
  }

  /// The greatest ratio that is as good as the goal.
  package func ratio(_ phase: String, _ path: String) -> Double? {
    let goal =
      switch path {
      case "managed": Self.managed[phase]
      case "bulk": Self.bulk[phase]
      case "columns": Self.columns[phase]
      case "records": Self.records[phase]
      case "typed":
        ratios["\(phase) managed"].map {
          $0 * (phase == "P6" ? Self.typedToManagedByAttribute : Self.typedToManaged)
        }
      default: Double?.none
      }
    guard let goal else { return nil }
    guard ["managed", "records"].contains(path), let floor = ratios["\(phase) floor"] else { return goal }
    return max(goal, floor)
  }

  /// The greatest number of bytes an object may take.
  package func bytes(_ phase: String, _ path: String) -> Double? {
    if path == "typed" { return bytesMeasured["\(phase) managed"].map { $0 * Self.typedBytesToManaged } }
    return Self.bytes["\(phase) \(path)"]
  }
}
