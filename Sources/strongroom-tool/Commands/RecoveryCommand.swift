import ArgumentParser
import Foundation
import Glibc
import Strongroom

struct RecoveryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recovery", abstract: "Shows, checks and restores from a store's recovery code.",
    discussion: """
      The code is the store's key in sixty characters that can be written down and read out. Whoever has \
      it and the file can read the store; store it apart from the keyring. Of a store on a server it opens \
      the sealed attributes.
      """,
    subcommands: [Show.self, Restore.self, Verify.self])

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Shows the code on a terminal, or writes it into a new file only its owner may read.",
      discussion: """
        Examples:
          strongroom key recovery show library.store
        """)

    @OptionGroup var arguments: StoreArguments
    @Option(help: "Write the code into this file, which must not exist.", completion: .file()) var file:
      String?

    func run() async throws {
      let description = try arguments.description()
      let code =
        description.isOnServer
        ? try await ServerKey(arguments: arguments, description: description).recoveryCode()
        : try await SQLCipherStore.recoveryCode(of: description)
      if let file {
        try Self.save(code, file)
      } else {
        try code.withText { try Terminal.show($0, otherwise: "--file") }
      }
      // Only a file has a place to record it.
      if description.isOnServer { return }
      do {
        try await SQLCipherStore.noteRecoveryCodeShown(of: description)
      } catch {
        // The code was shown, so the command succeeds.
        FileHandle.standardError.write(
          Data("the store could not record that the code was shown: \(error)\n".utf8))
      }
    }

    private static func save(_ code: RecoveryCode, _ file: String) throws {
      let target = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o400)
      guard target >= 0 else {
        throw ToolFailure("\(file) cannot be created: \(String(cString: strerror(errno)))")
      }
      defer { close(target) }
      let isWritten = code.withText { write(target, $0.baseAddress, $0.count) == $0.count }
      guard isWritten, write(target, "\n", 1) == 1, fsync(target) == 0 else {
        let reason = String(cString: strerror(errno))
        unlink(file)
        throw ToolFailure("\(file) could not be written, and was removed: \(reason)")
      }
      print("the code is in \(file); keep it away from this machine")
    }
  }

  struct Restore: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "restore",
      abstract: "Adds the key of a code to the vaults again, if it opens the store.",
      discussion: """
        Examples:
          strongroom key recovery restore library.store --file code.txt
        """)

    @OptionGroup var arguments: StoreArguments
    @Option(help: "Read the code from this file.", completion: .file()) var file: String?

    func run() async throws {
      let (description, code) = (try arguments.description(), try code(file))
      if description.isOnServer {
        try await ServerKey(arguments: arguments, description: description).restore(code)
      } else {
        try await SQLCipherStore.restoreKey(of: description, from: code)
      }
      print("the key is back")
    }
  }

  struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "verify", abstract: "Checks whether a code opens a store, and stores nothing.",
      discussion: """
        Examples:
          strongroom key recovery verify library.store --file code.txt
        """)

    @OptionGroup var arguments: StoreArguments
    @Option(help: "Read the code from this file.", completion: .file()) var file: String?

    func run() async throws {
      let (description, code) = (try arguments.description(), try code(file))
      if description.isOnServer {
        try await ServerKey(arguments: arguments, description: description).verify(code)
      } else {
        try await SQLCipherStore.verify(code, for: description)
      }
      print("the code opens the store")
    }
  }

  private static func code(_ file: String?) throws -> RecoveryCode {
    guard let file else {
      return try Terminal.secret("Recovery code", otherwise: "--file").withUnsafeBytes {
        try RecoveryCode(text: $0)
      }
    }
    return try InputFile.read(file).withUnsafeBytes { try RecoveryCode(text: $0) }
  }
}
