import ArgumentParser
import Strongroom

struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Looks at what stores need on this machine, and says what to do about what is missing.",
    discussion: """
      The libraries that are loaded, the session bus, the keyring and whether it is locked, and the clock; \
      with STORE its disk, its file system, and whether it opens with its key. Nothing is changed. Each line \
      begins with ok, note or bad. The exit code is 1 where one is bad: a store would not open, or not be \
      saved.

      strongroom doctor
      strongroom doctor library.store
      strongroom doctor --vault file:library.key library.store
      strongroom doctor --format json
      """)

  @Argument(help: "A store's file or server, where one is to be looked at.", completion: .file())
  var store: String?
  @OptionGroup var keys: KeyArguments
  @Option(help: "table for lines, json or csv.") var format = OutputFormat.table

  /// Whether a key is to be in the keyring: where no other vault is named.
  private var needsKeyring: Bool {
    keys.vaultNames.isEmpty || keys.vaultNames.contains { $0.argument == "keyring" }
  }

  func run() async throws {
    var findings = await MachineFindings.all(needsKeyring: needsKeyring)
    if let store { findings += await StoreFindings(arguments: .at(store, keys)).all() }
    let text =
      format == .table
      ? Finding.lines(findings)
      : RowPrinter(columns: Finding.columns, format: format).text(findings.map(\.row))
    print(text)
    if findings.contains(where: { $0.state == .bad }) { throw ExitCode(1) }
  }
}
