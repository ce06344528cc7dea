import ArgumentParser

/// The command-line tool.
@main
struct StrongroomTool: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "strongroom", abstract: "Queries and maintains encrypted object stores.",
    discussion: """
      A store's key is found in the desktop's keyring by the store's UUID. Exit codes: 0 success, 1 an \
      error of the store, the key or the query (the message says what to do), 64 a wrong command line.
      """,
    version: "0.1.0",
    subcommands: [
      QueryCommand.self, ShellCommand.self, HistoryCommand.self, InfoCommand.self, SchemaCommand.self,
      KeyCommand.self,
      ImportCommand.self, VerifyImportCommand.self, MigrateCommand.self, VerifyCommand.self,
      BackupCommand.self, RestoreCommand.self,
      CompactCommand.self,
      EncryptCommand.self,
      DecryptCommand.self, ExportCommand.self, ConvertCipherCommand.self, ModelCommand.self,
    ])
}
