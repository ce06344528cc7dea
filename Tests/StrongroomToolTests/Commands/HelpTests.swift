import BuiltProgram
import Foundation
import Testing

/// A command as the argument parser describes it.
private struct Command: Decodable {
  struct Argument: Decodable {
    struct Name: Decodable { let name: String }
    let kind: String
    let names: [Name]?
    let isOptional: Bool
    let isRepeating: Bool

    /// How it is written on the command line.
    var spellings: [String] { (names ?? []).map { ($0.name.count == 1 ? "-" : "--") + $0.name } }
  }

  let commandName: String
  let discussion: String?
  let arguments: [Argument]?
  let subcommands: [Command]?
  let defaultSubcommand: String?

  var examples: [String] {
    let lines = (discussion ?? "").components(separatedBy: "\n")
    guard let start = lines.firstIndex(of: "Examples:") else { return [] }
    return Array(lines[lines.index(after: start)...])
  }
}

@Suite("Help of the tool")
struct HelpTests {
  private struct Tool: Decodable { let command: Command }

  private static let root: Command = {
    do {
      let (_, output) = try BuiltProgram.run(["--experimental-dump-help"])
      return try JSONDecoder().decode(Tool.self, from: Data(output.utf8)).command
    } catch { fatalError("the tool describes its commands: \(error)") }
  }()

  /// The commands that do something, with their path.
  private func leaves(_ command: Command, _ path: [String] = []) -> [(path: [String], command: Command)] {
    let own = (command.subcommands ?? []).filter { $0.commandName != "help" }
    return own.isEmpty ? [(path, command)] : own.flatMap { leaves($0, path + [$0.commandName]) }
  }

  /// The words of a line as a shell takes them apart, as far as quotes go.
  private func words(_ line: String) -> [String] {
    var words: [String] = []
    for (place, part) in line.split(separator: "\"", omittingEmptySubsequences: false).enumerated() {
      if place % 2 == 1 {
        words.append(String(part))
      } else {
        words += part.split(separator: " ").map(String.init)
      }
    }
    return Array(words.prefix { $0 != ">" && $0 != "<" })
  }

  @Test("every command has examples, which fit a terminal and which the command would take")
  func examples() {
    let commands = leaves(Self.root)
    #expect(commands.count >= 38)
    for (path, command) in commands {
      #expect(!command.examples.isEmpty, "\(path) has no example")
      for example in command.examples {
        #expect(example.hasPrefix("  strongroom ") && example.count < 79, "\(example)")
        check(words(example), path, command)
      }
    }
  }

  /// Options that there are, and as many other words as there are arguments.
  private func check(_ words: [String], _ path: [String], _ command: Command) {
    var rest = words.dropFirst()[...]
    for name in path where rest.first == name { rest = rest.dropFirst() }
    var others = 0
    while let word = rest.popFirst() {
      guard word.hasPrefix("--") else {
        others += 1
        continue
      }
      let argument = (command.arguments ?? []).first { $0.spellings.contains(word) }
      #expect(argument != nil, "\(path) does not know \(word)")
      if argument?.kind == "option" { rest = rest.dropFirst() }
    }
    let positionals = (command.arguments ?? []).filter { $0.kind == "positional" }
    let needed = positionals.count { !$0.isOptional }
    let isOpen = positionals.contains(where: \.isRepeating)
    #expect(others >= needed && (isOpen || others <= positionals.count), "\(words)")
  }

  @Test("what lists something prints it as JSON with --json")
  func json() {
    let silent: Set = [
      "key", "backup", "restore", "encrypt", "decrypt", "compact", "convert-cipher", "export", "inspect",
    ]
    let quiet: Set = ["purge", "head", "try", "diagram", "generate", "mapping", "infer", "verify-import"]
    for (path, command) in leaves(Self.root)
    where !silent.contains(path[0]) && !quiet.contains(path.last ?? "") {
      #expect((command.arguments ?? []).contains { $0.spellings.contains("--json") }, "\(path)")
    }
  }

  @Test("--json and another format exclude each other")
  func formats() throws {
    let (code, output) = try BuiltProgram.run(["query", "s", "Book", "--json", "--format", "csv"])
    #expect(code == 64 && output.contains("exclude each other"), "\(output)")
  }

  @Test(
    "the tool ends silently when its output pipe is closed, even if its parent ignores SIGPIPE",
    arguments: ["", "trap '' PIPE;"])
  func pipes(_ trap: String) async throws {
    let shelf = try await Shelf()
    let vault = shelf.vault.joined(separator: " ")
    for command in ["query \(shelf.store) Book --json \(vault)", "schema \(shelf.store) \(vault)"] {
      let script =
        "\(trap) \(BuiltProgram.url().path) \(command) | { exec <&-; sleep 1; }; echo ${PIPESTATUS[0]}"
      #expect(try Bash.run(script) == "141\n", "\(command)")
    }
  }

  @Test(
    "what a full disk does not take is an error",
    arguments: [
      ["doctor"], ["doctor", "--json"], ["--generate-completion-script", "bash"], ["help", "query"],
    ])
  func fullDisk(_ arguments: [String]) throws {
    let (code, output) = try BuiltProgram.run(arguments, to: "/dev/full")
    #expect(code == 1 && output.contains("make room"), "\(output)")
  }
}
