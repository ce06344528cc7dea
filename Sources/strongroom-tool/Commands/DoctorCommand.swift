import ArgumentParser
import Glibc
import Strongroom

struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Looks at what stores need on this machine, and says what to do about what is missing.",
    discussion: """
      The libraries that are loaded, the session bus, the keyring and whether it is locked, and the clock; \
      with STORE its disk, its file system, and whether it opens with its key. Each line begins with ok, \
      note or bad, and comes when it is known: a keyring is given five seconds. The exit code is 1 where one \
      is bad: a store would not open, or not be saved. Nothing is written but what opening a store writes: \
      what a program that was killed left in a store's log goes into its file.

      Examples:
        strongroom doctor
        strongroom doctor library.store
        strongroom doctor --vault file:library.key library.store
        strongroom doctor --json
      """)

  @Argument(help: "A store's file or server, where one is to be looked at.", completion: .file())
  var store: String?
  @OptionGroup var keys: KeyArguments
  @OptionGroup var output: OutputArguments

  /// Whether a key has to be in the keyring; the line of a store that is named says whether it opens.
  private var needsKeyring: Bool {
    store == nil && keys.vaultNames.allSatisfy { $0.argument == "keyring" }
  }

  func run() async throws {
    var findings: [Finding] = []
    var isWritten = true
    func tell(_ finding: Finding) {
      findings.append(finding)
      guard output.format == .table else { return }
      print(finding.lines)
      // The lines of a pipe come as those of a terminal do.
      isWritten = fflush(nil) == 0 && isWritten
    }
    await MachineFindings.all(needsKeyring: needsKeyring, tell)
    if let store { await StoreFindings(arguments: .at(store, keys)).all(tell) }
    if output.format != .table {
      print(RowPrinter(columns: Finding.columns, format: output.format).text(findings.map(\.row)))
    }
    if !isWritten { throw ToolFailure.unwritten(after: nil) }
    if findings.contains(where: { $0.state == .bad }) { throw ExitCode(1) }
  }
}
