/// The ratios that each phase must stay under.
package enum Gates {
  private static let managed: [String: Double] = [
    "P1": 3.0, "P2": 2.0, "P3": 1.4, "P3-full": 1.3, "P4": 2.0, "P5": 1.6, "P5-hit": 0.3, "P6": 1.6,
    "P7": 1.15, "P8": 2.2, "P8-prefetched": 3.5, "P9": 2.0, "P9-live": 1.0, "P10": 1.3, "P11": 1.5,
    "P12": 1.1, "P14": 2.5,
  ]
  private static let bulk: [String: Double] = [
    "P4": 1.35, "P7": 1.1, "P8-prefetched": 1.5, "P9": 1.3, "P10": 1.05, "P11": 1.1, "P13": 1.3,
  ]
  /// Of the store on a server, to C with libpq.
  private static let server: [String: Double] = ["P2": 1.5, "P3-full": 1.2, "P4": 1.6, "P5": 1.3]
  private static let columns: [String: Double] = ["P4": 1.2]

  package static func gate(_ phase: String, _ path: String) -> Double? {
    switch path {
    case "managed", "typed": managed[phase]
    case "bulk": bulk[phase]
    case "columns": columns[phase]
    case "server": server[phase]
    default: nil
    }
  }
}
