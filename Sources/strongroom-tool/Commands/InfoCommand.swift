import ArgumentParser
import Strongroom

struct InfoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info", abstract: "Tells a store's identity, versions, size and numbers of objects.")

  @OptionGroup var arguments: StoreArguments
  @Option(help: "table, json or csv.") var format = OutputFormat.table

  func run() async throws {
    let (container, store) = try await arguments.open()
    let summary = try store.summary()
    var rows = [
      ["store", store.path], ["identifier", summary.identifier.uuidString],
      ["cipher", summary.cipherVersion],
      ["sqlite", summary.libraryVersion], ["pages of 4096 bytes", String(summary.pageCount)],
    ]
    rows += summary.objectCounts.map { ["\($0.entity) objects", String($0.count)] }
    print(RowPrinter(columns: ["what", "value"], format: format).text(rows))
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
