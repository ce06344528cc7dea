import Foundation

/// Prints rows as they come: CSV and JSON need memory for one; a table keeps all, for the width of its columns.
struct RowStream {
  private let printer: RowPrinter
  private var kept: [[Cell]] = []
  private var count = 0

  init(_ printer: RowPrinter) { self.printer = printer }

  mutating func print(_ row: [Cell]) {
    switch printer.format {
    case .table: kept.append(row)
    case .csv:
      if count == 0 { Swift.print(RowPrinter.line(printer.columns)) }
      Swift.print(RowPrinter.line(row.map(\.text)))
    case .json: Swift.print((count == 0 ? "[\n" : ",\n") + printer.object(row), terminator: "")
    }
    count += 1
  }

  func end() {
    switch printer.format {
    case .table: Swift.print(printer.text(kept))
    case .csv: if count == 0 { Swift.print(RowPrinter.line(printer.columns)) }
    case .json: Swift.print(count == 0 ? "[]" : "\n]")
    }
  }
}
