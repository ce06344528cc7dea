import Foundation

/// Results as a picture: a row a phase, a mark a path, on a logarithmic axis of ratios; the gate as
/// a line.
package struct ResultChart {
  private let measurements: [Measurement]
  private static let colours = [
    "managed": "#1f5fa8", "typed": "#8e44ad", "records": "#d68910", "bulk": "#1a8a4a", "columns": "#7ab648",
    "grdb": "#c0392b", "floor": "#999999",
  ]
  private let left = 230.0
  private let width = 620.0
  private let rowHeight = 26.0
  private let top = 56.0

  package init(_ measurements: [Measurement]) { self.measurements = measurements }

  private var phases: [Phase] {
    Phase.allCases.filter { phase in measurements.contains { $0.phase == phase.rawValue } }
  }

  private var range: (low: Double, high: Double) {
    let ratios = measurements.map(\.ratio)
    return (min(0.1, ratios.min() ?? 0.1), max(4, ratios.max() ?? 4) * 1.1)
  }

  private func x(_ ratio: Double) -> Double {
    let (low, high) = range
    return left + width * (log(ratio) - log(low)) / (log(high) - log(low))
  }

  package var svg: String {
    let height = top + rowHeight * Double(phases.count) + 30
    var lines = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"\(left + width + 40)\" height=\"\(height)\""
        + " font-family=\"sans-serif\" font-size=\"12\">",
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>",
      "<text x=\"10\" y=\"20\" font-size=\"15\">Time against hand-written C on the same library (1 = as fast)</text>",
    ]
    for (place, name) in ["managed", "typed", "records", "bulk", "columns", "floor", "grdb"]
      .enumerated()
    {
      let x = 20 + Double(place) * 95
      lines.append("<circle cx=\"\(x)\" cy=\"36\" r=\"5\" fill=\"\(Self.colours[name] ?? "#888")\"/>")
      lines.append("<text x=\"\(x + 10)\" y=\"40\">\(name)</text>")
    }
    lines.append("<text x=\"\(20 + 95 * 7)\" y=\"40\" fill=\"#666\">| gate</text>")
    for tick in [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50] where tick >= range.low && tick <= range.high {
      let bottom = height - 24
      lines.append(
        "<line x1=\"\(x(tick))\" x2=\"\(x(tick))\" y1=\"\(top)\" y2=\"\(bottom)\""
          + " stroke=\"\(tick == 1 ? "#333" : "#ddd")\"/>")
      lines.append(
        "<text x=\"\(x(tick))\" y=\"\(bottom + 16)\" text-anchor=\"middle\">\(tick.formatted())</text>")
    }
    for (row, phase) in phases.enumerated() {
      let y = top + rowHeight * (Double(row) + 0.5)
      lines.append("<text x=\"10\" y=\"\(y + 4)\">\(phase.rawValue)  \(phase.title)</text>")
      for measurement in measurements where measurement.phase == phase.rawValue {
        let colour = Self.colours[measurement.path] ?? "#888"
        if let gate = Gates.gate(measurement.phase, measurement.path) {
          lines.append(
            "<line x1=\"\(x(gate))\" x2=\"\(x(gate))\" y1=\"\(y - 9)\" y2=\"\(y + 9)\" stroke=\"\(colour)\""
              + " stroke-width=\"2\"/>")
        }
        lines.append("<circle cx=\"\(x(measurement.ratio))\" cy=\"\(y)\" r=\"5\" fill=\"\(colour)\"/>")
      }
    }
    return (lines + ["</svg>"]).joined(separator: "\n") + "\n"
  }
}

extension Double {
  fileprivate func formatted() -> String { self >= 1 ? "\(Int(self))" : "\(self)" }
}
