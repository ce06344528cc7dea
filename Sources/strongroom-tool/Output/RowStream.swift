import Foundation

/// Prints rows as they are read.
///
/// CSV and JSON need memory for one row; a table stores all rows to find the width of its columns.
struct RowStream {
  private let printer: RowPrinter
  private var rows: [[Cell]] = []
  private var count = 0

  init(_ printer: RowPrinter) { self.printer = printer }

  mutating func print(_ row: [Cell]) {
    switch printer.format {
    case .table: rows.append(row)
    case .csv:
      if count == 0 { Swift.print(RowPrinter.line(printer.columns)) }
      Swift.print(RowPrinter.line(row.map(\.text)))
    case .json: Swift.print((count == 0 ? "[\n" : ",\n") + printer.object(row), terminator: "")
    }
    count += 1
  }

  func end() {
    switch printer.format {
    case .table: Swift.print(printer.text(rows))
    case .csv: if count == 0 { Swift.print(RowPrinter.line(printer.columns)) }
    case .json: Swift.print(count == 0 ? "[]" : "\n]")
    }
  }
}
