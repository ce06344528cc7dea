import ArgumentParser
import Foundation
import SQLCipherStore
import Strongroom
import StrongroomPostgres

struct KeyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key", abstract: "Shows, rotates, copies and removes a store's key.",
    subcommands: [Show.self, Rotate.self, Add.self, Move.self, Forget.self, RecoveryCommand.self])

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show",
      abstract: "Prints the statements that open a store in sqlcipher, including its key, on a terminal.",
      discussion: """
        Whoever sees the output can read the store. Paste it into `sqlcipher FILE`. The command fails when \
        standard output is not a terminal, so that a key never ends up in a file or a log by mistake.

        Examples:
          strongroom key show library.store
        """)

    @OptionGroup var arguments: StoreArguments

    func run() async throws {
      let description = try arguments.keyedFile()
      // SQLCipher's salt. It is read first, so that a missing file gets a message of this tool.
      let head = try InputFile.read(arguments.store, upToCount: 16)
      let code = try await SQLCipherStore.recoveryCode(of: description)
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
      commandName: "rotate", abstract: "Gives a store a new key.",
      discussion: """
        No process may have the store open. The new key is in every named vault before the file is \
        changed, and the old one is removed only after the file was opened with the new one and read \
        completely. If the command is killed, the store still opens. Copies that migrations left beside \
        the store get the new key too. The recovery code changes: show the new one with `key recovery \
        show`.

        Other copies and backups made before open with the old recovery code alone. The command refuses to \
        remove a key whose code was never shown. Vaults that are not named still hold the old key.

        A store on a server has a key where its model seals attributes. The new one wraps the keys of their \
        values: no value is written, and programs that have the store open go on.

        Examples:
          strongroom key rotate library.store
          strongroom key rotate --keep-old library.store
          strongroom key rotate --vault keyring --vault file:library.key library.store
        """)

    @OptionGroup var arguments: StoreArguments
    @Flag(help: "Leave the old key in the vaults, so that older copies of the file stay readable.")
    var keepOld = false
    @Flag(
      help:
        "Remove the old key though its recovery code was never shown; older copies then never open again."
    )
    var discardOld = false
    @Flag(
      help:
        "Remove the keys of other passphrases from STORE.keys; they would no longer open anything.")
    var removePassphrases = false

    func run() async throws {
      let (description, keepOld, removes) = (try arguments.description(), keepOld, removePassphrases)
      if description.isOnServer { return try await rotate(onServer: description) }
      try await checkCopies(description)
      let result = try await MaintenanceProgress.run {
        try await SQLCipherStore.rotateKey(
          of: description, keepingOldKeys: keepOld, removingOtherPassphrases: removes, progress: $0)
      }
      Terminal.done(
        "rotated, \(result.retired) old \(result.retired == 1 ? "key" : "keys") removed;"
          + " the recovery code changed"
      )
      noteBackups()
      for path in result.rotatedCopies { print("also has the new key: \(path)") }
      for path in result.remainingCopies {
        print("still has an old key, which stays in the vaults: \(path)")
      }
      for name in result.vaultsWithOldKeys { print("still holds an old key: \(name)") }
    }

    private func rotate(onServer description: PersistentStoreDescription) async throws {
      if removePassphrases { throw ValidationError("--remove-passphrases is for a file; leave it out") }
      if !keepOld, !discardOld {
        throw ValidationError(
          "the server's backups and standbys may need the old key, and nothing records whether its"
            + " recovery code was shown; pass --keep-old to leave it in the vaults, or --discard-old to"
            + " remove it")
      }
      let (container, opened) = try await arguments.open(description, isWriting: true)
      guard let store = opened as? PostgresStore else { throw ToolFailure.otherStore }
      _ = try await store.rotateKey(keepingOldKeys: keepOld)
      try? container.close()
      Terminal.done("rotated; the recovery code changed; \(arguments.keys.recoveryNote(arguments.store))")
      noteBackups()
    }

    /// Refuses a rotation after which copies of the file may have no key.
    private func checkCopies(_ description: PersistentStoreDescription) async throws {
      if keepOld || discardOld { return }
      if try await SQLCipherStore.recoveryCodeWasShown(of: description) {
        guard try await SQLCipherStore.hasOlderKeys(of: description) else { return }
        throw ToolFailure(
          "the vaults have older keys of the store too, which copies and backups of before need; leave them"
            + " there (--keep-old), or remove them all (--discard-old)")
      }
      throw ToolFailure(
        "the recovery code of the present key was never shown, and every copy and backup of the store"
          + " needs it once that key is removed; show it first (strongroom key recovery show), or leave"
          + " the key in the vaults (--keep-old), or remove it all the same (--discard-old)")
    }

    private func noteBackups() {
      if keepOld { return }
      print(
        "earlier copies and backups use the old key and now need its recovery code, if that was shown;"
          + " make a new backup")
      print("a vault that was not named has the old key only: strongroom key add")
    }
  }

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Adds a store's key to another vault, without changing the file.",
      discussion: """
        Examples:
          strongroom key add library.store --to file:library.key
        """)

    @OptionGroup var arguments: StoreArguments
    @Option(help: "The vault to add it to: keyring, passphrase or file:PATH.") var to: VaultName
    @Option(help: "A file whose first line is the new passphrase.", completion: .file())
    var newPassphraseFile: String?

    func run() async throws {
      let vault = to.vault(for: arguments.store, passphraseFile: newPassphraseFile, isNew: true)
      try await SQLCipherStore.copyKey(of: arguments.keyedFile(), to: [vault])
      print("the key is now in \(vault.name) too")
    }
  }

  struct Move: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "move", abstract: "Moves a store's key to another vault, without changing the file.",
      discussion: """
        To change a passphrase, name the same vault and a new passphrase.

        Examples:
          strongroom key move library.store --to passphrase
        """)

    @OptionGroup var arguments: StoreArguments
    @Option(help: "The vault to move it to: keyring, passphrase or file:PATH.") var to: VaultName
    @Option(help: "A file whose first line is the new passphrase.", completion: .file())
    var newPassphraseFile: String?

    func run() async throws {
      let vault = to.vault(for: arguments.store, passphraseFile: newPassphraseFile, isNew: true)
      let remaining = try await SQLCipherStore.moveKey(of: arguments.keyedFile(), to: [vault])
      print("the key is in \(vault.name)")
      for name in remaining { print("still holds the key: \(name)") }
    }
  }

  struct Forget: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "forget",
      abstract: "Removes a store's key from one vault; another named vault must have it too.",
      discussion: """
        Examples:
          strongroom key forget my.store --vault keyring --vault file:k --in keyring
        """)

    @OptionGroup var arguments: StoreArguments
    @Option(name: .customLong("in"), help: "The vault to remove it from.") var vaultName: VaultName

    func run() async throws {
      let vault = vaultName.vault(for: arguments.store, passphraseFile: arguments.keys.passphraseFile)
      try await SQLCipherStore.forgetKey(of: arguments.keyedFile(), in: vault)
      print("\(vault.name) no longer holds the key")
    }
  }
}
