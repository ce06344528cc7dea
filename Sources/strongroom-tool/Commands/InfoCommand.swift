import ArgumentParser
import StoreContract
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
    let rows: [[Cell]] =
      switch store {
      case let store as SQLCipherStore: try await Self.rows(store, description)
      case let store as PostgresStore: try Self.rows(store)
      default: throw ToolFailure.otherStore
      }
    print(RowPrinter(columns: ["what", "value"], format: output.format, widest: .max).text(rows))
    try container.close()
  }

  private static func rows(
    _ store: SQLCipherStore, _ description: PersistentStoreDescription
  ) async throws -> [[Cell]] {
    let summary = try store.summary()
    let isShown = try await SQLCipherStore.recoveryCodeWasShown(of: description)
    let rows: [[Cell]] = [
      ["store", .text(store.path)], ["identifier", .text(summary.identifier.uuidString)],
      ["cipher", .text(summary.cipherVersion)], ["sqlite", .text(summary.libraryVersion)],
      ["pages of 4096 bytes", Cell(summary.pageCount)],
      ["free pages", Cell(summary.freePageCount)],
      ["recovery code", isShown ? "was shown" : "was never shown: strongroom key recovery show"],
    ]
    return rows + summary.objectCounts.map { ["\($0.entity) objects", Cell($0.count)] }
  }

  private static func rows(_ store: PostgresStore) throws -> [[Cell]] {
    let summary = try store.summary()
    let url = store.description.url?.absoluteString ?? ""
    let address = ServerAddressText.redacted(url, [url])
    let rows: [[Cell]] = [
      ["store", .text(address)], ["schema", .text(store.description.serverSchema)],
      ["identifier", .text(summary.identifier.uuidString)],
      ["server", .text(summary.serverVersion)], ["bytes", Cell(summary.byteCount)],
    ]
    return rows + summary.objectCounts.map { ["\($0.entity) objects", Cell($0.count)] }
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
