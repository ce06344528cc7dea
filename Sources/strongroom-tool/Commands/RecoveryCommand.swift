import ArgumentParser
import Foundation
import Glibc
import Strongroom

struct RecoveryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recovery", abstract: "Deals with a store's recovery code.",
    discussion: """
      The code is the store's key in sixty characters that can be written down and read out. Whoever has it and the file can \
      read the store; keep it where the keyring is not.
      """,
    subcommands: [Show.self, Restore.self, Verify.self])

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Shows the code on a terminal, or writes it into a new file only its owner may read.")

    @OptionGroup var arguments: StoreArguments
    @Option(help: "Write the code into this file, which must not exist.", completion: .file()) var file:
      String?

    func run() async throws {
      let description = arguments.description()
      let code = try await SQLCipherStore.recoveryCode(of: description)
      if let file {
        try Self.save(code, file)
      } else {
        try code.withText { try Terminal.show($0, otherwise: "--file") }
      }
      do {
        try await SQLCipherStore.noteRecoveryCodeShown(of: description)
      } catch {
        // The code is what was asked for.
        FileHandle.standardError.write(Data("it could not be noted that the code was shown: \(error)\n".utf8))
      }
    }

    private static func save(_ code: RecoveryCode, _ file: String) throws {
      let target = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o400)
      guard target >= 0 else {
        throw ToolFailure("\(file) cannot be made: \(String(cString: strerror(errno)))")
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
      abstract: "Puts the key of a code back into the keyring, when it opens the store.")

    @OptionGroup var arguments: StoreArguments
    @Option(help: "Read the code from this file.", completion: .file()) var file: String?

    func run() async throws {
      try await SQLCipherStore.restoreKey(of: arguments.description(), from: code(file))
      print("the key is back")
    }
  }

  struct Verify: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "verify", abstract: "Tells whether a code opens a store, and keeps nothing.")

    @OptionGroup var arguments: StoreArguments
    @Option(help: "Read the code from this file.", completion: .file()) var file: String?

    func run() async throws {
      try await SQLCipherStore.verify(code(file), for: arguments.description())
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
