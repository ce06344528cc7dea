import ArgumentParser
import Strongroom
import StrongroomPostgres

struct InfoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info", abstract: "Prints a store's identity, versions, size and numbers of objects.",
    discussion: """
      Examples:
        strongroom info library.store
        strongroom info library.store --json
      """)

  @OptionGroup var arguments: StoreArguments
  @OptionGroup var output: OutputArguments

  func run() async throws {
    let description = try arguments.description()
    let (container, store) = try await arguments.open(description)
    let report: InfoReport =
      switch store {
      case let store as SQLCipherStore:
        InfoReport(
          store, try store.summary(),
          recoveryCodeWasShown: try await SQLCipherStore.recoveryCodeWasShown(of: description))
      case let store as PostgresStore: InfoReport(store, try store.summary())
      default: throw ToolFailure.otherStore
      }
    if output.format == .json {
      try print(JSONText.of(report))
    } else {
      print(RowPrinter(columns: ["what", "value"], format: output.format, widest: .max).text(report.rows))
    }
    try container.close()
  }
}

struct SchemaCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Prints the SQL of a store's tables and indexes.",
    discussion: """
      Examples:
        strongroom schema library.store
      """)

  @OptionGroup var arguments: StoreArguments
  @Flag(help: "Print a list of the statements as JSON.") var json = false

  func run() async throws {
    let (container, store) = try await arguments.open()
    let statements: [String] =
      switch store {
      case let store as SQLCipherStore: try store.schemaStatements()
      case let store as PostgresStore: try store.schemaStatements()
      default: throw ToolFailure.otherStore
      }
    if json { try print(JSONText.of(statements)) } else { for one in statements { print(one + ";") } }
    try container.close()
  }
}
