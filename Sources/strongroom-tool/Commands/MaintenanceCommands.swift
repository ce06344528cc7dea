import ArgumentParser
import Foundation
import Strongroom

struct EncryptCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "encrypt",
    abstract: "Creates a store from a database that `decrypt` created, which is not removed.",
    discussion: """
      Examples:
        strongroom encrypt plain.db library.store --vault keyring
      """)

  @Argument(help: "The unencrypted database that `decrypt` created.", completion: .file()) var database:
    String
  @Argument(help: "The store to create.", completion: .file()) var store: String
  @OptionGroup var keys: KeyArguments

  func run() async throws {
    try LocalPath.check(database)
    let description = try keys.file(store, create: true, otherwise: "move the new store there afterwards")
    let source = URL(fileURLWithPath: database)
    try await MaintenanceProgress.run {
      try await SQLCipherStore.encrypt(source, to: description, progress: $0)
    }
    Terminal.done(
      "created \(store); anybody can still read \(database): remove it when you have opened the new store"
    )
  }
}

struct DecryptCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decrypt", abstract: "Copies a whole store into an unencrypted SQLite database; asks twice.",
    discussion: """
      Examples:
        strongroom decrypt library.store plain.db
      """)

  @OptionGroup var arguments: StoreArguments
  @Argument(help: "The unencrypted database to create.", completion: .file()) var database: String
  @Flag(help: "Do not ask.") var yes = false

  func run() async throws {
    try LocalPath.check(database)
    if !yes {
      let first = try Terminal.answer(
        "Anybody who can access \(database) can read everything in it. Continue? (yes/no)",
        otherwise: "--yes")
      let second =
        first == "yes" ? try Terminal.answer("Type the name of the file to create:", otherwise: "--yes") : ""
      guard second == database else {
        throw ToolFailure("nothing was written; only yes, in full, and the name continue")
      }
    }
    let description = try arguments.file(
      otherwise: "strongroom export writes what a server has in clear text")
    let target = URL(fileURLWithPath: database)
    try await MaintenanceProgress.run {
      try await SQLCipherStore.decrypt(description, to: target, progress: $0)
    }
    Terminal.done("created \(database), in clear text")
  }
}

struct BackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Copies a snapshot of a store, while other processes read and write it.",
    discussion: """
      Examples:
        strongroom backup library.store library.backup
        strongroom backup library.store copy.store --new-key-in file:copy.key
      """)

  @OptionGroup var arguments: StoreArguments
  @Argument(help: "The copy to create.", completion: .file()) var copy: String
  @Option(help: "Give the copy its own key, stored in this vault.") var newKeyIn: VaultName?

  func run() async throws {
    try LocalPath.check(copy)
    let vaults = newKeyIn.map { [$0.vault(for: copy, passphraseFile: nil, isNew: true)] }
    let description = try arguments.file(otherwise: "pg_dump and the server's own backups copy its stores")
    let target = URL(fileURLWithPath: copy)
    _ = try await MaintenanceProgress.run {
      try await SQLCipherStore.backUp(description, to: target, newKeyIn: vaults, progress: $0)
    }
    Terminal.done("created \(copy)")
  }
}

struct RestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Restores a store from a backup, after reading and checking all of it.",
    discussion: """
      Examples:
        strongroom restore library.backup restored.store
        strongroom restore --replace library.backup library.store
      """)

  @Argument(help: "The backup.", completion: .file()) var backup: String
  @Argument(help: "The store to restore.", completion: .file()) var store: String
  @OptionGroup var keys: KeyArguments
  @Flag(help: "Replace an existing store.") var replace = false

  func run() async throws {
    let reason = "psql and pg_restore read what pg_dump wrote"
    var description = try keys.file(backup, otherwise: reason)
    // Wrapped keys may be beside the backup or beside the store; afterwards they are beside the
    // store.
    description.keyVaults += try keys.file(store, otherwise: reason).keyVaults.filter {
      $0 is PassphraseVault
    }
    let (source, target, replacing) = (description, URL(fileURLWithPath: store), replace)
    let lacking = try await MaintenanceProgress.run {
      try await SQLCipherStore.restore(from: source, to: target, replacing: replacing, progress: $0)
    }
    Terminal.done("restored \(store)")
    for vault in lacking { print("\(vault) did not store the key; try again with `strongroom key add`") }
  }
}

struct CompactCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact", abstract: "Returns the space of deleted objects to the file system.",
    discussion: """
      Examples:
        strongroom compact library.store
      """)

  @OptionGroup var arguments: StoreArguments

  func run() async throws {
    let description = try arguments.file(otherwise: "VACUUM is what a server has for it")
    let sizes = try await MaintenanceProgress.run {
      try await SQLCipherStore.compact(description, progress: $0)
    }
    print("\(sizes.before) bytes before, \(sizes.after) after")
  }
}

struct ConvertCipherCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert-cipher",
    abstract: "Converts a store to SQLCipher's version 4 format, or back to version 3.",
    discussion: """
      Libraries before SQLCipher 4 cannot read version 4; Debian 12 has 3.4.1.

      Examples:
        strongroom convert-cipher library.store --to 4
      """)

  @OptionGroup var arguments: StoreArguments
  @Option(help: "3 or 4.") var to = 4

  func run() async throws {
    guard let format = StoreCipherFormat(rawValue: to) else { throw ValidationError("--to takes 3 or 4") }
    let description = try arguments.file(otherwise: "a server has no file of SQLCipher's")
    let changed = try await MaintenanceProgress.run {
      try await SQLCipherStore.convert(description, to: format, progress: $0)
    }
    print(
      changed ? "converted to the version \(to) format" : "the store already has the version \(to) format")
  }
}

struct VerifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Checks every page, structure and relationship of a store; exits 1 on a finding.",
    discussion: """
      Examples:
        strongroom verify library.store
        strongroom verify library.store --json
      """)

  @OptionGroup var arguments: StoreArguments
  @Option(
    help: "Repair what can be repaired, in a copy; the original store is moved to this file.",
    completion: .file())
  var repairKeeping: String?
  @OptionGroup var output: OutputArguments

  func run() async throws {
    let description = try arguments.file(otherwise: KeyArguments.serverCheck)
    var findings: [IntegrityIssue]
    if let repairKeeping {
      let original = URL(fileURLWithPath: repairKeeping)
      let result = try await MaintenanceProgress.run {
        try await SQLCipherStore.repair(description, keepingOriginalAt: original, progress: $0)
      }
      print("findings \(result.before.count), repaired \(result.before.count - result.after.count)")
      findings = result.after
    } else {
      findings = try await MaintenanceProgress.run {
        try await SQLCipherStore.verify(description, progress: $0)
      }
    }
    if !findings.isEmpty {
      let rows: [[Cell]] = findings.map {
        [
          "\($0.kind)", $0.entity.map(Cell.text) ?? .null, $0.reference.map { Cell(Int($0)) } ?? .null,
          .text($0.message),
          output.format == .json ? .boolean($0.isRepairable) : $0.isRepairable ? "yes" : "",
        ]
      }
      print(
        RowPrinter(columns: ["finding", "entity", "object", "what", "repairable"], format: output.format)
          .text(rows))
      throw ExitCode(1)
    }
    switch output.format {
    case .table: print("no findings")
    case .json: print("[]")
    case .csv: break
    }
  }
}
