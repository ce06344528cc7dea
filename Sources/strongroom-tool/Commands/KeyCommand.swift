import ArgumentParser
import Foundation
import Glibc
import Strongroom

struct KeyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key", abstract: "Deals with a store's key.", subcommands: [Show.self])

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Prints what sqlcipher needs to open a store, key included, to a terminal only.",
      discussion: """
        Whoever sees the output can read the store. Paste it into `sqlcipher FILE`. It is refused when standard \
        output is not a terminal, so that a key never ends up in a file or a log by mistake.
        """)

    @OptionGroup var arguments: StoreArguments

    func run() async throws {
      guard isatty(STDOUT_FILENO) == 1 else {
        throw ValidationError("the key is shown on a terminal only; standard output is something else")
      }
      let (container, store) = try await arguments.open()
      let identifier = store.identifier
      try container.close()
      let keys = try await SecretServiceVault().keys(
        for: identifier, interaction: arguments.prompt ? .prompt : .silent)
      for stored in keys {
        write("PRAGMA key = \"x'")
        stored.key.withHexText { text in _ = Glibc.write(STDOUT_FILENO, text.baseAddress, text.count) }
        write(identifier.uuidString.filter { $0 != "-" }.lowercased() + "'\";\n")
      }
      write("PRAGMA cipher_compatibility = 3;\nPRAGMA cipher_page_size = 4096;\n")
    }

    /// Straight to the terminal: what is printed with the key must keep its place among unbuffered bytes.
    private func write(_ text: String) {
      var text = text
      text.withUTF8 { _ = Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
    }
  }
}
