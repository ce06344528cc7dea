import ArgumentParser
import Foundation
import Strongroom

/// A vault as it is named on the command line.
struct VaultName: ExpressibleByArgument, Sendable {
  enum Kind: Sendable {
    case keyring, passphrase
    case file(String)
    case credential(String)
  }

  let kind: Kind

  init(_ kind: Kind) { self.kind = kind }

  init?(argument: String) {
    let parts = argument.split(separator: ":", maxSplits: 1).map(String.init)
    switch (parts.first, parts.count) {
    case ("keyring", 1): kind = .keyring
    case ("passphrase", 1): kind = .passphrase
    case ("file", 2): kind = .file(parts[1])
    case ("credential", 1): kind = .credential("strongroom-key")
    case ("credential", 2): kind = .credential(parts[1])
    default: return nil
    }
  }

  var isPassphrase: Bool {
    if case .passphrase = kind { true } else { false }
  }

  /// The text that means the vault.
  var argument: String {
    switch kind {
    case .keyring: "keyring"
    case .passphrase: "passphrase"
    case .file(let path): "file:\(path)"
    case .credential(let name): "credential:\(name)"
    }
  }

  static let help = ArgumentHelp(
    "Where the key is: keyring, passphrase, file:PATH or credential[:NAME]; may be given more than once. A"
      + " server's password may be in the keyring too.",
    valueName: "vault")

  /// The vault that the name means.
  ///
  /// - `isNew`: Whether the user chooses a new passphrase, which is asked for twice.
  func vault(for store: String, passphraseFile: String?, isNew: Bool = false) -> any KeyVault {
    switch kind {
    case .keyring: SecretServiceVault()
    case .file(let path): KeyFileVault(url: URL(fileURLWithPath: path))
    case .credential(let name): CredentialVault(name)
    case .passphrase: passphraseVault(store, Asked(passphraseFile, isNew: isNew))
    }
  }

  private func passphraseVault(_ store: String, _ asked: Asked) -> PassphraseVault {
    PassphraseVault(beside: URL(fileURLWithPath: store)) { try await asked.passphrase() }
  }
}

/// A passphrase that is asked for once, when it is first needed.
private actor Asked {
  private let file: String?
  private let isNew: Bool
  private var known: SecretBytes?

  init(_ file: String?, isNew: Bool) {
    self.file = file
    self.isNew = isNew
  }

  func passphrase() throws -> SecretBytes {
    if let known { return known }
    let answer = try Self.passphrase(file, isNew: isNew)
    known = answer
    return answer
  }

  private static func passphrase(_ file: String?, isNew: Bool) throws -> SecretBytes {
    if let file {
      let bytes = try InputFile.read(file)
      let end = bytes.lastIndex { $0 != 10 && $0 != 13 }.map { $0 + 1 } ?? bytes.startIndex
      return bytes[..<end].withUnsafeBytes { SecretBytes($0) }
    }
    let option = isNew ? "--passphrase-file or --new-passphrase-file" : "--passphrase-file"
    let first = try Terminal.secret(isNew ? "New passphrase" : "Passphrase", otherwise: option)
    if isNew, !(try Terminal.secret("The same again", otherwise: option).isSame(as: first)) {
      throw ToolFailure("the two passphrases differ; nothing was changed")
    }
    return first
  }
}
