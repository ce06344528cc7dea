import ArgumentParser
import Strongroom

struct InfoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info", abstract: "Prints a store's identity, versions, size and numbers of objects.")

  @OptionGroup var arguments: StoreArguments
  @Option(help: "table, json or csv.") var format = OutputFormat.table

  func run() async throws {
    let description = arguments.description()
    let (container, store) = try await arguments.open(description)
    let summary = try store.summary()
    let isShown = try await SQLCipherStore.recoveryCodeWasShown(of: description)
    var rows: [[Cell]] = [
      ["store", .text(store.path)], ["identifier", .text(summary.identifier.uuidString)],
      ["cipher", .text(summary.cipherVersion)], ["sqlite", .text(summary.libraryVersion)],
      ["pages of 4096 bytes", Cell(summary.pageCount)],
      ["free pages", Cell(summary.freePageCount)],
      ["recovery code", isShown ? "was shown" : "was never shown: strongroom key recovery show"],
    ]
    rows += summary.objectCounts.map { ["\($0.entity) objects", Cell($0.count)] }
    print(RowPrinter(columns: ["what", "value"], format: format, widest: .max).text(rows))
    try container.close()
  }
}

struct SchemaCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Prints the SQL of a store's tables and indexes.")

  @OptionGroup var arguments: StoreArguments

  func run() async throws {
    let (container, store) = try await arguments.open()
    for statement in try store.schemaStatements() { print(statement + ";") }
    try container.close()
  }
}
