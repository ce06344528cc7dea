import CipherDatabase
import Foundation
import StoreContract
import StoreKeyring

/// Finds the key that opens a store's file, over the vaults that its description names, and says
/// why there is none.
struct KeySearch {
  private let file: DatabaseFile
  private let store: UUID
  private let description: PersistentStoreDescription
  private var tried: [StoreKey] = []
  private var foreign: PageFormat?
  private var refusal: CipherError?
  private var silence: [(vault: String, error: any Error)] = []

  /// The file is locked before the vaults are read, so that its key does not change between their
  /// answer and the opening.
  init(_ description: PersistentStoreDescription, file: DatabaseFile, store: UUID) {
    self.description = description
    self.store = store
    self.file = file
  }

  private var path: String { file.path }

  /// Tries keys, vault by vault, until one lets `attempt` through.
  ///
  /// After a rotation that was killed the vaults have two keys of the store; the one that opens the
  /// file is its key, so nothing else has to be repaired.
  ///
  /// A later vault is not read when an earlier one's key fits, and none is where an earlier step of
  /// the opening found the key.
  /// - Throws: `StoreError` that tells what is wrong, `KeyringError` when no vault had a key and
  ///   one could not answer.
  mutating func first<R>(
    _ attempt: (StoreCipher) throws -> R
  ) async throws -> (result: R, cipher: StoreCipher) {
    if let found = try known(attempt) { return found }
    if let key = description.storeKey {
      if let found = try self.attempt(key, attempt) { return found }
      throw failure
    }
    guard !description.keyVaults.isEmpty else { throw Self.noVault }
    for vault in description.keyVaults {
      let keys: [StoredKey]
      do {
        keys = try await vault.keys(for: store, interaction: description.keyInteraction)
      } catch let error as KeyringError {
        description.log?.unavailable(vault, error)
        silence.append((vault.name, error))
        continue
      }
      for stored in keys where !tried.contains(where: { $0.isSame(as: stored.key) }) {
        guard let found = try self.attempt(stored.key, attempt) else { continue }
        description.log?.foundKey(in: vault)
        description.knownCipher?.remember(found.cipher)
        return found
      }
    }
    throw failure
  }

  /// What the key of an earlier step gives; nil where there is none or the file has another key by
  /// now, which only the vaults know.
  private func known<R>(
    _ attempt: (StoreCipher) throws -> R
  ) throws -> (result: R, cipher: StoreCipher)? {
    guard let cipher = description.knownCipher?.cipher(of: store) else { return nil }
    do {
      return (try attempt(cipher), cipher)
    } catch let error as CipherError where [.wrongKeyOrDamaged, .truncated].contains(error.code) {
      return nil
    } catch let error as CipherError {
      throw StoreError(error, path: path)
    }
  }

  static var noVault: StoreError {
    StoreError(.keyMissing, "the store's description names no key vault and no key; set keyVaults")
  }

  private mutating func attempt<R>(
    _ key: StoreKey, _ attempt: (StoreCipher) throws -> R
  ) throws -> (result: R, cipher: StoreCipher)? {
    tried.append(key)
    for format in CipherFormat.allCases {
      if format != .version3 {
        // What the first page's MAC says costs less than another opening.
        let pages = try pages(key)
        if pages == format.pages {
          guard format.isAvailable else { throw unavailable(format.pages) }
        } else {
          foreign = pages ?? foreign
          // The log may have a newer first page: all that a change of the key wrote before a kill.
          guard file.hasLog, format.isAvailable else { continue }
        }
      }
      do {
        let cipher = StoreCipher(store: store, key: key, format: format)
        return (try attempt(cipher), cipher)
      } catch let error as CipherError where error.code == .wrongKeyOrDamaged {
        refusal = refusal ?? error
      } catch let error as CipherError where error.code == .truncated {
        // Pages of another size do not fill whole ones of ours.
        guard let pages = try pages(key), pages.pageSize != 4096 else { throw StoreError(error, path: path) }
        foreign = pages
      } catch let error as CipherError {
        throw StoreError(error, path: path)
      }
    }
    return nil
  }

  private var salt: [UInt8] { withUnsafeBytes(of: store.uuid) { Array($0) } }

  private func pages(_ key: StoreKey) throws -> PageFormat? {
    try translating(path) { try key.withUnsafeBytes { try PageScan.format(of: file, key: $0, salt: salt) } }
  }

  // MARK: What is wrong

  private func unavailable(_ pages: PageFormat) -> StoreError {
    StoreError(
      .cipherFormat,
      "the store at \(path) is in the format of \(pages), which this libsqlcipher cannot read; open it where"
        + " SQLCipher 4 is installed, and convert it to the version 3 format there")
  }

  private var failure: any Error {
    if let foreign, foreign == .version3 { return damaged([1]) }
    if let foreign {
      return StoreError(
        .cipherFormat,
        "the key opens \(path), but the file is in the format of \(foreign), which is no store's; export it"
          + " into an unencrypted"
          + " database with the program that made it, and encrypt that",
        cause: refusal)
    }
    if tried.isEmpty { return missing }
    if let page = try? intactPage(), page > 1 { return damaged([1]) }
    let others = silence.map { "; \($0.vault) could not be asked" }.joined()
    if tried.count > 1 {
      return StoreError(
        .keyAmbiguous,
        "\(tried.count) different keys were found for the store at \(path) and none opens it; bring back"
          + " the key of"
          + " this copy, or its recovery code\(others)", cause: silence.first?.error ?? refusal)
    }
    return StoreError(
      .wrongKey,
      "the key found for the store at \(path) does not open it: it is an older one or another copy's; bring"
        + " back the"
        + " key of this copy, or its recovery code\(others)", cause: silence.first?.error ?? refusal)
  }

  private var missing: any Error {
    if let first = silence.first { return first.error }
    let names = description.keyVaults.map { vault in
      (vault as? KeyFileVault)?.isThere == false ? "\(vault.name), which does not exist" : vault.name
    }.joined(separator: ", ")
    return StoreError(
      .keyMissing,
      "the key of the store at \(path) is not in \(names); no new one is made, since it could not open the"
        + " file;"
        + " bring the old key back, or restore it with the recovery code (`strongroom key recovery restore`)")
  }

  /// A page after the first that one of the keys did write: then the key is right and page 1 is
  /// damaged.
  private func intactPage() throws -> Int? {
    for key in tried {
      for format in CipherFormat.allCases {
        let cipher = StoreCipher(store: store, key: key, format: format)
        if let page = PageScan.firstIntactPage(file, try cipher.authenticator()) { return page }
      }
    }
    return nil
  }

  private func damaged(_ pages: [Int]) -> StoreError {
    StoreError(
      .fileDamaged,
      "the key is right, but page \(pages.map(String.init).joined(separator: ", ")) of \(path) is damaged;"
        + " restore a copy",
      cause: refusal)
  }
}
