import Foundation
import TextTable

/// One operation at one size.
package struct ScalePoint: Codable, Sendable {
  package var operation: String
  package var objects: Int
  /// Per object, look-up, page, change or opening.
  package var microseconds: Double
  package var residentMegabytes: Double

  package init(operation: String, objects: Int, microseconds: Double, residentMegabytes: Double) {
    self.operation = operation
    self.objects = objects
    self.microseconds = microseconds
    self.residentMegabytes = residentMegabytes
  }
}

/// Operations in the order they were first measured, each with its points.
struct ScaleSeries {
  let operation: String
  let points: [ScalePoint]

  static func all(_ points: [ScalePoint]) -> [ScaleSeries] {
    var names: [String] = []
    for point in points where !names.contains(point.operation) { names.append(point.operation) }
    return names.map { name in
      ScaleSeries(operation: name, points: points.filter { $0.operation == name })
    }
  }

  /// The slope of log time per operation over log objects: 0 when one costs the same at every size.
  var slope: Double {
    let x = points.map { log(Double($0.objects)) }
    let y = points.map { log($0.microseconds) }
    let n = Double(points.count)
    let (meanX, meanY) = (x.reduce(0, +) / n, y.reduce(0, +) / n)
    let over = zip(x, y).reduce(0) { $0 + ($1.0 - meanX) * ($1.1 - meanY) }
    let under = x.reduce(0) { $0 + ($1 - meanX) * ($1 - meanX) }
    return under == 0 ? 0 : over / under
  }
}

/// Growth as a table.
package struct ScaleTable {
  private let series: [ScaleSeries]

  package init(_ points: [ScalePoint]) { series = ScaleSeries.all(points) }

  package func print() {
    let table = TextTable<ScaleSeries> { series in
      [Column(title: "us per", value: series.operation)]
        + series.points.map { point in
          Column(
            title: "\(point.objects)",
            value: String(format: "%.2f (%.0f MB)", point.microseconds, point.residentMegabytes),
            align: .right)
        } + [Column(title: "slope", value: String(format: "%.2f", series.slope), align: .right)]
    }
    table.print(series, style: Style.psql)
  }
}

/// Growth as a picture, both axes logarithmic.
package struct ScaleChart {
  private let series: [ScaleSeries]
  private static let colours = ["#1f5fa8", "#1a8a4a", "#c0392b", "#8e44ad", "#b8860b", "#555"]

  package init(_ points: [ScalePoint]) { series = ScaleSeries.all(points) }

  package var svg: String {
    let all = series.flatMap(\.points)
    let sizes = all.map { log10(Double($0.objects)) }
    let times = all.map { log10($0.microseconds) }
    let (left, top, width, height) = (70.0, 40.0, 460.0, 320.0)
    let (x0, x1) = (sizes.min() ?? 4, max(sizes.max() ?? 5, (sizes.min() ?? 4) + 0.1))
    let (y0, y1) = ((times.min() ?? 0).rounded(.down), (times.max() ?? 1).rounded(.up))
    func x(_ value: Double) -> Double { left + width * (log10(value) - x0) / (x1 - x0) }
    func y(_ value: Double) -> Double { top + height * (1 - (log10(value) - y0) / (y1 - y0)) }
    var lines = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"780\" height=\"420\" font-family=\"sans-serif\""
        + " font-size=\"12\">", "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>",
      "<text x=\"10\" y=\"22\" font-size=\"15\">Microseconds an operation, by objects in the store</text>",
    ]
    for power in Int(y0)...Int(y1) {
      let level = y(pow(10, Double(power)))
      lines.append(
        "<line x1=\"\(left)\" x2=\"\(left + width)\" y1=\"\(level)\" y2=\"\(level)\" stroke=\"#ddd\"/>")
      lines.append("<text x=\"\(left - 8)\" y=\"\(level + 4)\" text-anchor=\"end\">\(label(power))</text>")
    }
    for size in Set(all.map(\.objects)).sorted() {
      lines.append(
        "<text x=\"\(x(Double(size)))\" y=\"\(top + height + 18)\" text-anchor=\"middle\">\(size)</text>")
    }
    for (place, line) in series.enumerated() {
      let colour = Self.colours[place % Self.colours.count]
      let points = line.points.map { "\(x(Double($0.objects))),\(y($0.microseconds))" }
      lines.append(
        "<polyline points=\"\(points.joined(separator: " "))\" fill=\"none\" stroke=\"\(colour)\" stroke-width=\"2\"/>"
      )
      for point in line.points {
        lines.append(
          "<circle cx=\"\(x(Double(point.objects)))\" cy=\"\(y(point.microseconds))\" r=\"4\" fill=\"\(colour)\"/>"
        )
      }
      lines.append(
        "<text x=\"\(left + width + 20)\" y=\"\(top + 20 + Double(place) * 20)\" fill=\"\(colour)\">"
          + "\(line.operation), slope \(String(format: "%.2f", line.slope))</text>")
    }
    return (lines + ["</svg>"]).joined(separator: "\n") + "\n"
  }

  private func label(_ power: Int) -> String {
    power >= 0
      ? "1" + String(repeating: "0", count: power) : String(format: "%.\(-power)f", pow(10, Double(power)))
  }
}
