import TextTable

/// Results as a table for people.
package struct ResultTable {
  private struct Row {
    let measurement: Measurement
    let gate: Double?
    let goal: Double?
    let before: Measurement?
  }

  private let rows: [Row]
  private let compares: Bool

  package init(_ measurements: [Measurement], before: [Measurement] = []) {
    compares = !before.isEmpty
    let goals = Goals(measurements)
    rows = measurements.map { measurement in
      Row(
        measurement: measurement, gate: Gates.gate(measurement.phase, measurement.path),
        goal: goals.ratio(measurement.phase, measurement.path),
        before: before.first { $0.phase == measurement.phase && $0.path == measurement.path })
    }
  }

  package func print() {
    let table = TextTable<Row> { row in
      let measurement = row.measurement
      var columns = [
        Column(title: "phase", value: measurement.phase),
        Column(title: "what", value: Phase(rawValue: measurement.phase)?.title ?? ""),
        Column(title: "path", value: measurement.path),
        Column(title: "limit us", value: Self.text(measurement.limitMicroseconds), align: .right),
        Column(title: "us", value: Self.text(measurement.microseconds), align: .right),
        Column(title: "ratio", value: Self.text(measurement.ratio), align: .right),
        Column(title: "goal", value: row.goal.map(Self.text) ?? "", align: .right),
        Column(title: "gate", value: row.gate.map(Self.text) ?? "", align: .right),
        Column(title: "", value: row.gate.map { measurement.ratio <= $0 ? "" : "over" } ?? ""),
        Column(title: "spread", value: Self.text(measurement.spread), align: .right),
        Column(title: "bytes", value: measurement.bytesPerObject.map { "\(Int($0))" } ?? "", align: .right),
        Column(title: "statements", value: measurement.statements.map { "\($0)" } ?? "", align: .right),
      ]
      if compares {
        columns.append(
          Column(title: "before", value: row.before.map { Self.text($0.ratio) } ?? "", align: .right))
      }
      return columns
    }
    table.print(rows, style: Style.psql)
  }

  /// Three significant digits.
  private static func text(_ number: Double) -> String {
    let digits = number >= 100 ? 0 : number >= 10 ? 1 : 2
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    return "\((number * scale).rounded() / scale)"
  }
}
