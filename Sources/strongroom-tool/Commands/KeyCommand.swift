import ArgumentParser
import Foundation
import Strongroom

struct KeyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key", abstract: "Deals with a store's key.",
    subcommands: [Show.self, Rotate.self, Add.self, Move.self, Forget.self, RecoveryCommand.self])

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
      let code = try await SQLCipherStore.recoveryCode(of: arguments.description())
      let head =
        try FileHandle(forReadingFrom: URL(fileURLWithPath: arguments.store)).read(upToCount: 16) ?? Data()
      let salt = head.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
      try code.key.withHexText { text in
        try Terminal.show(
          text, after: "PRAGMA key = \"x'",
          before: salt + "'\";\nPRAGMA cipher_compatibility = 3;\nPRAGMA cipher_page_size = 4096;\n")
      }
    }
  }

  struct Rotate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "rotate", abstract: "Encrypts a store under a new key.",
      discussion: """
        Nobody may have the store open. The new key is in every vault named before the file is touched, and the old one is \
        removed only when the file was opened with the new one and read whole; a kill at any instant leaves a store that \
        opens. Copies that migrations kept beside the store get the new key as well. The recovery code changes: show the new one with `key recovery show`.
        """)

    @OptionGroup var arguments: StoreArguments
    @Flag(help: "Leave the old key in the vaults, so that older copies of the file stay readable.")
    var keepOld = false
    @Flag(
      help:
        "Remove keys under passphrases that are not named from STORE.keys; they would open nothing any more.")
    var removePassphrases = false

    func run() async throws {
      let (description, keepOld, removes) = (arguments.description(), keepOld, removePassphrases)
      let result = try await MaintenanceProgress.run {
        try await SQLCipherStore.rotateKey(
          of: description, keepingOldKeys: keepOld, removingOtherPassphrases: removes, progress: $0)
      }
      print("rotated, \(result.retired) old keys removed; the recovery code is a new one")
      if !keepOld {
        print("backups made before with the old key need its recovery code from now on; make a new backup")
      }
      for path in result.rotatedCopies { print("has the new key too: \(path)") }
      for path in result.remainingCopies {
        print("still has an old key, which the vaults keep for it: \(path)")
      }
      for name in result.vaultsWithOldKeys { print("still holds an old key: \(name)") }
    }
  }

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Puts a store's key into a further vault, without touching the file.")

    @OptionGroup var arguments: StoreArguments
    @Option(help: "The vault to put it into: keyring, passphrase or file:PATH.") var to: VaultName
    @Option(help: "A file whose first line is the new passphrase.", completion: .file())
    var newPassphraseFile: String?

    func run() async throws {
      let vault = to.vault(for: arguments.store, passphraseFile: newPassphraseFile, isNew: true)
      try await SQLCipherStore.copyKey(of: arguments.description(), to: [vault])
      print("the key is in \(vault.name) too")
    }
  }

  struct Move: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "move", abstract: "Moves a store's key to another vault, without touching the file.",
      discussion: "With the same vault, and a new passphrase, it changes the passphrase.")

    @OptionGroup var arguments: StoreArguments
    @Option(help: "The vault to move it to: keyring, passphrase or file:PATH.") var to: VaultName
    @Option(help: "A file whose first line is the new passphrase.", completion: .file())
    var newPassphraseFile: String?

    func run() async throws {
      let vault = to.vault(for: arguments.store, passphraseFile: newPassphraseFile, isNew: true)
      let holding = try await SQLCipherStore.moveKey(of: arguments.description(), to: [vault])
      print("the key is in \(vault.name)")
      for name in holding { print("still holds it: \(name)") }
    }
  }

  struct Forget: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "forget",
      abstract: "Removes a store's key from one vault; another one named must still open the store.")

    @OptionGroup var arguments: StoreArguments
    @Option(name: .customLong("in"), help: "The vault to remove it from.") var place: VaultName

    func run() async throws {
      let vault = place.vault(for: arguments.store, passphraseFile: arguments.keys.passphraseFile)
      try await SQLCipherStore.forgetKey(of: arguments.description(), in: vault)
      print("\(vault.name) no longer holds the key")
    }
  }
}
