import ArgumentParser
import Foundation
import Strongroom

struct EncryptCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "encrypt",
    abstract: "Makes a store again of a database that `decrypt` made, which stays.")

  @Argument(help: "The unencrypted database that `decrypt` made.", completion: .file()) var database: String
  @Argument(help: "The store to make.", completion: .file()) var store: String
  @OptionGroup var keys: KeyArguments

  func run() async throws {
    let description = keys.description(store, create: true)
    let source = URL(fileURLWithPath: database)
    try await MaintenanceProgress.run {
      try await SQLCipherStore.encrypt(source, to: description, progress: $0)
    }
    print(
      "made \(store); \(database) is still there, readable by anybody: remove it when you have opened the new one"
    )
  }
}

struct DecryptCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decrypt", abstract: "Writes all of a store into an unencrypted SQLite database; asks twice."
  )

  @OptionGroup var arguments: StoreArguments
  @Argument(help: "The unencrypted database to make.", completion: .file()) var database: String
  @Flag(help: "Do not ask.") var yes = false

  func run() async throws {
    if !yes {
      let first = try Terminal.answer(
        "Anybody who gets at \(database) can read everything in it. Go on? (yes/no)", otherwise: "--yes")
      let second =
        first == "yes" ? try Terminal.answer("Type the name of the file to make:", otherwise: "--yes") : ""
      guard second == database else { throw ValidationError("nothing was written") }
    }
    let (description, target) = (arguments.description(), URL(fileURLWithPath: database))
    try await MaintenanceProgress.run {
      try await SQLCipherStore.decrypt(description, to: target, progress: $0)
    }
    print("made \(database), readable by anybody")
  }
}

struct BackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup", abstract: "Copies a store, as of one moment, while others read and write it.")

  @OptionGroup var arguments: StoreArguments
  @Argument(help: "The copy to make.", completion: .file()) var copy: String
  @Option(help: "Give the copy a key of its own, kept in this vault.") var newKeyIn: VaultName?

  func run() async throws {
    let vaults = newKeyIn.map { [$0.vault(for: copy, passphraseFile: nil, isNew: true)] }
    let (description, target) = (arguments.description(), URL(fileURLWithPath: copy))
    _ = try await MaintenanceProgress.run {
      try await SQLCipherStore.backUp(description, to: target, newKeyIn: vaults, progress: $0)
    }
    print("made \(copy)")
  }
}

struct RestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Puts a copy of a backup in a store's place, after reading all of it.")

  @Argument(help: "The backup.", completion: .file()) var backup: String
  @Argument(help: "Where the store is to be.", completion: .file()) var store: String
  @OptionGroup var keys: KeyArguments
  @Flag(help: "Replace a store that is there.") var replace = false

  func run() async throws {
    var description = keys.description(backup)
    // A passphrase's keys lie beside the backup or beside the store, and are to lie beside the store then.
    description.keyVaults += keys.description(store).keyVaults.filter { $0 is PassphraseVault }
    let (source, target, replacing) = (description, URL(fileURLWithPath: store), replace)
    let lacking = try await MaintenanceProgress.run {
      try await SQLCipherStore.restore(from: source, to: target, replacing: replacing, progress: $0)
    }
    print("restored \(store)")
    for vault in lacking { print("\(vault) did not take the key; `strongroom key add` tries again") }
  }
}

struct CompactCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "compact", abstract: "Gives back the room of deleted objects.")

  @OptionGroup var arguments: StoreArguments

  func run() async throws {
    let description = arguments.description()
    let sizes = try await MaintenanceProgress.run {
      try await SQLCipherStore.compact(description, progress: $0)
    }
    print("\(sizes.before) bytes before, \(sizes.after) after")
  }
}

struct ConvertCipherCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "convert-cipher", abstract: "Moves a store to SQLCipher's version 4 format, or back.",
    discussion: "Libraries before SQLCipher 4 cannot read version 4; Debian 12 has 3.4.1.")

  @OptionGroup var arguments: StoreArguments
  @Option(help: "3 or 4.") var to = 4

  func run() async throws {
    guard let format = StoreCipherFormat(rawValue: to) else { throw ValidationError("formats are 3 and 4") }
    let description = arguments.description()
    let changed = try await MaintenanceProgress.run {
      try await SQLCipherStore.convert(description, to: format, progress: $0)
    }
    print(
      changed ? "converted to the version \(to) format" : "the store has the version \(to) format already")
  }
}

struct VerifyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify",
    abstract: "Checks every page, structure and relationship of a store; exits 1 on a finding.")

  @OptionGroup var arguments: StoreArguments
  @Option(
    help: "Mend what has one right answer, in a copy; the store as it was is kept in this file.",
    completion: .file())
  var repairKeeping: String?
  @Option(help: "table, json or csv.") var format = OutputFormat.table

  func run() async throws {
    let description = arguments.description()
    var findings: [IntegrityIssue]
    if let repairKeeping {
      let original = URL(fileURLWithPath: repairKeeping)
      let result = try await MaintenanceProgress.run {
        try await SQLCipherStore.repair(description, keepingOriginalAt: original, progress: $0)
      }
      print("findings \(result.before.count), mended \(result.before.count - result.after.count)")
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
          .text($0.message), format == .json ? .boolean($0.isRepairable) : $0.isRepairable ? "yes" : "",
        ]
      }
      print(
        RowPrinter(columns: ["finding", "entity", "object", "what", "repairable"], format: format).text(rows))
      throw ExitCode(1)
    }
    print("no findings")
  }
}
