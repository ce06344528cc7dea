import CipherDatabase
import Foundation
import Glibc
import StoreContract
import StoreKeyring

/// What lies beside a store and depends on its key: wrapped keys of vaults that may not have been
/// named, and the copies that migrations left.
struct FilesBesideStore {
  private let path: String
  private let store: UUID
  private let passphrases: [WrappedKeyFile]
  /// The paths of the copies, in the order of their numbers.
  let copies: [String]

  init(_ path: String, _ store: UUID) {
    self.path = path
    self.store = store
    // Through a link the same file has two names, and either may have neighbours.
    var places = [URL(fileURLWithPath: path)]
    if let real = realpath(path, nil) {
      defer { free(real) }
      places.append(URL(fileURLWithPath: String(cString: real)))
    }
    var seen: Set<KeyVaultLocation> = []
    passphrases = places.map { WrappedKeyFile(beside: $0) }.filter {
      seen.insert(KeyVaultLocation(file: $0.url)).inserted
    }
    seen = [KeyVaultLocation(file: places[0])]
    copies = places.flatMap { Self.copies(beside: $0) }.filter {
      seen.insert(KeyVaultLocation(file: URL(fileURLWithPath: $0))).inserted
    }
  }

  /// `STORE.before-migration`, `-2`, `-3` and so on, that are ordinary files.
  private static func copies(beside store: URL) -> [String] {
    let folder = store.deletingLastPathComponent().path
    let start = store.lastPathComponent + ".before-migration"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let numbered = names.compactMap { name -> (number: Int, path: String)? in
      guard name.hasPrefix(start) else { return nil }
      let rest = name.dropFirst(start.count)
      guard let number = rest.isEmpty ? 1 : rest.first == "-" ? Int(rest.dropFirst()) : nil else {
        return nil
      }
      return (number, folder + "/" + name)
    }
    return numbered.sorted { $0.number < $1.number }.map(\.path).filter { path in
      var status = stat()
      return lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }
  }

  // MARK: Passphrases

  /// Wrapped keys of the store that none of some items is: no vault that was named opens them.
  private func unnamedKeys(besides known: [StoredKey]) throws -> [(
    file: WrappedKeyFile, keys: Set<KeyIdentifier>
  )] {
    let known = Set(known.map(\.identifier))
    return try passphrases.compactMap { file in
      let keys = Set(try file.identifiers(for: store)).subtracting(known)
      return keys.isEmpty ? nil : (file, keys)
    }
  }

  /// - Throws: `KeyringError` with code `vaultNotNamed` when passphrases would open the store no
  ///   more that were not named.
  func checkPassphrases(named: [StoredKey]) throws {
    guard let (file, keys) = try unnamedKeys(besides: named).first else { return }
    throw KeyringError(
      .vaultNotNamed,
      "\(file.url.path) holds keys of the store (\(keys.count)) under passphrases that were not named,"
        + " which would open it no"
        + " more; name them too (PassphraseVault; --vault passphrase), or have them removed"
        + " (removingOtherPassphrases; --remove-passphrases)")
  }

  /// Takes the wrapped keys out that are none of some items.
  /// - Returns: The names of files in which they stayed.
  func removePassphrases(besides known: [StoredKey], isRequested: Bool) -> [String] {
    guard let strangers = try? unnamedKeys(besides: known) else { return passphrases.map(\.url.path) }
    return strangers.compactMap { file, keys in
      if isRequested, (try? file.remove(keys, for: store)) != nil { return nil }
      return file.url.path
    }
  }

  // MARK: Copies

  /// Encrypts the copies that one of some keys opens under a new key, and leaves other copies
  /// alone.
  /// - Returns: The paths of those that have the new key now, and of those that still have their
  ///   old one.
  func rekeyCopies(
    from keys: [StoreKey], to new: StoreKey, _ description: PersistentStoreDescription,
    _ progress: @Sendable (StoreProgress) -> Void
  ) async -> (rotated: [String], left: [String]) {
    var (rotated, left): ([String], [String]) = ([], [])
    for copy in copies {
      do {
        guard let access = try await access(copy, keys, description) else { continue }
        defer { access.close() }
        try access.takeWhole(progress)
        let cipher = access.cipher.with(new)
        _ = access.connection.rekeyAndClose(try cipher.spec)
        try WholeFileAccess.proveRotated(access.file, cipher, progress)
        rotated.append(copy)
      } catch {
        left.append(copy)
      }
    }
    return (rotated, left)
  }

  /// A copy opened with one of some keys; nil when none of them does, or it is another store's.
  private func access(
    _ copy: String, _ keys: [StoreKey], _ description: PersistentStoreDescription
  ) async throws -> WholeFileAccess? {
    var description = description
    description.url = URL(fileURLWithPath: copy)
    guard let (file, other) = try? StoreFile.store(description), other == store else { return nil }
    file.release()
    for key in keys {
      description.storeKey = key
      do {
        return try await WholeFileAccess.open(description, for: .writing)
      } catch let error as StoreError where error.code == .wrongKey {
        continue
      }
    }
    return nil
  }
}
