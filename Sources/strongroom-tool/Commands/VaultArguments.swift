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

  static let help = ArgumentHelp(
    "Where the key is: keyring, passphrase, file:PATH or credential[:NAME]; may be given more than once.",
    valueName: "vault")

  /// - Parameter isNew: Whether a passphrase is being chosen, and so asked for twice.
  func vault(for store: String, passphraseFile: String?, isNew: Bool = false) -> any KeyVault {
    switch kind {
    case .keyring: SecretServiceVault()
    case .file(let path): KeyFileVault(url: URL(fileURLWithPath: path))
    case .credential(let name): CredentialVault(name)
    case .passphrase:
      PassphraseVault(beside: URL(fileURLWithPath: store)) {
        try Self.passphrase(passphraseFile, isNew: isNew)
      }
    }
  }

  private static func passphrase(_ file: String?, isNew: Bool) throws -> SecretBytes {
    if let file {
      let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
      let end = bytes.lastIndex { $0 != 10 && $0 != 13 }.map { $0 + 1 } ?? bytes.startIndex
      return bytes[..<end].withUnsafeBytes { SecretBytes($0) }
    }
    let first = try Terminal.secret(isNew ? "New passphrase" : "Passphrase")
    if isNew, !(try Terminal.secret("The same again").isSame(as: first)) {
      throw ValidationError("the two passphrases differ; nothing was changed")
    }
    return first
  }
}
