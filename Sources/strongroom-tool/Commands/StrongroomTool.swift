import ArgumentParser
import CipherDatabase
import Foundation
import SecretService

/// The command-line tool.
@main
struct StrongroomTool: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "strongroom", abstract: "Queries and maintains object stores: encrypted files, and servers.",
    discussion: """
      A store is a file, whose key is found in the desktop's keyring by the store's UUID, or a schema of a \
      PostgreSQL database: postgresql://user@host/database?schema=name, with libpq's other settings behind \
      the question mark. Everybody on this machine sees an address, and a password in it, in the list of \
      processes: keep the password in ~/.pgpass, in the variable PGPASSWORD or in the keyring. Exit codes: \
      0 success, 1 an error of the store, the key or the query (the message says what to do), 64 a wrong \
      command line.
      """,
    version: "0.1.0",
    subcommands: [
      QueryCommand.self, ShellCommand.self, HistoryCommand.self, InfoCommand.self, SchemaCommand.self,
      KeyCommand.self,
      ImportCommand.self, VerifyImportCommand.self, MoveCommand.self, CompareCommand.self,
      MigrateCommand.self, VerifyCommand.self,
      BackupCommand.self, RestoreCommand.self,
      CompactCommand.self,
      EncryptCommand.self,
      DecryptCommand.self, ExportCommand.self, ConvertCipherCommand.self, ModelCommand.self,
      InspectCommand.self, DoctorCommand.self,
    ])

  /// Runs the command, and prints its error without the passwords of addresses, and without what a terminal
  /// would obey.
  static func main() async {
    // Where the parent process ignores it, this one would too, and report a closed pipe as an error.
    signal(SIGPIPE, SIG_DFL)
    SecretServiceVault.dropLibraryMessages()
    MemoryStatistics.leaveOut()
    do {
      var command = try await asyncParseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
      try Terminal.flush()
    } catch {
      let text = fullMessage(for: error)
      let message = ServerAddressText.redacted(text)
        .split(separator: "\n", omittingEmptySubsequences: false).map(RowPrinter.harmless)
        .joined(separator: "\n")
      // Help and the version go to standard output, and have no address but the tool's own.
      if exitCode(for: error).isSuccess { finish(printing: text) }
      if message == text { exit(withError: error) }
      FileHandle.standardError.write(Data((message + "\n").utf8))
      Foundation.exit(exitCode(for: error).rawValue)
    }
  }

  private static func finish(printing text: String) -> Never {
    if !text.isEmpty { print(CompletionScript.completed(text)) }
    do { try Terminal.flush() } catch { exit(withError: error) }
    Foundation.exit(0)
  }
}
