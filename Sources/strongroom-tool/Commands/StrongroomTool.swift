import ArgumentParser

/// The command-line tool.
@main
struct StrongroomTool: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "strongroom", abstract: "Looks into and fills encrypted object stores.",
    discussion: """
      A store's key is found in the desktop's keyring by the store's UUID. Exit codes: 0 done, 1 the store, the key or \
      the query is at fault (the message says what to do), 64 the command line is wrong.
      """,
    version: "0.1.0",
    subcommands: [
      QueryCommand.self, ShellCommand.self, InfoCommand.self, SchemaCommand.self,
      KeyCommand.self,
      VerifyCommand.self, BackupCommand.self, RestoreCommand.self, CompactCommand.self, EncryptCommand.self,
      DecryptCommand.self, ExportCommand.self, ConvertCipherCommand.self, ModelCommand.self,
    ])
}
