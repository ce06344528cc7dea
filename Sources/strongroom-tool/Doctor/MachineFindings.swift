import Foundation
import Glibc
import SQLCipherStore
import SecretService
import StrongroomPostgres

/// What every store needs of the machine and of the session.
enum MachineFindings {
  /// - `needsKeyring`: Whether a key is to be in the keyring.
  static func all(needsKeyring: Bool) async -> [Finding] {
    [encryption, Finding("libpq", PostgresStore.libraryVersion), bus(needsKeyring)]
      + [await keyring(needsKeyring), clock(Date())]
  }

  private static var encryption: Finding {
    let (cipher, sqlite) = SQLCipherStore.libraryVersions
    guard cipher.isEmpty else { return Finding("SQLCipher", "\(cipher), SQLite \(sqlite)") }
    return Finding(
      "SQLCipher", .bad, "SQLite \(sqlite) without encryption is loaded in its place",
      advice: "do not preload libsqlite3 (LD_PRELOAD), and link libsqlcipher before it")
  }

  static func bus(_ needsKeyring: Bool) -> Finding {
    let address = ProcessInfo.processInfo.environment["DBUS_SESSION_BUS_ADDRESS"] ?? ""
    if !address.isEmpty { return Finding("session bus", address) }
    let socket = "/run/user/\(getuid())/bus"
    if access(socket, F_OK) == 0 { return Finding("session bus", socket) }
    return Finding(
      "session bus", needsKeyring ? .bad : .note, "none: DBUS_SESSION_BUS_ADDRESS is not set",
      advice: "log in to a desktop, or run `dbus-run-session`; without a keyring, give --vault file:PATH,"
        + " passphrase or credential")
  }

  private static func keyring(_ needsKeyring: Bool) async -> Finding {
    let bad: Finding.State = needsKeyring ? .bad : .note
    do {
      guard let found = try await SecretServiceVault(deadline: .seconds(5)).condition() else {
        return Finding("keyring", "libsecret's own file, since SECRET_BACKEND says so")
      }
      let program = found.program ?? "a program that is not known"
      guard let collection = found.collection else {
        return Finding(
          "keyring", bad, "\(program), without a default collection",
          advice: "make a collection in the keyring's settings, and make it the default")
      }
      if found.isLocked {
        return Finding(
          "keyring", .note, "\(program), its collection \(collection) is locked",
          advice: "unlock it, or give --prompt")
      }
      return Finding("keyring", "\(program), its collection \(collection) is unlocked")
    } catch { return Finding("keyring", bad, "none that answers", advice: "\(error)") }
  }

  /// With a wrong clock, servers' certificates are refused, and the history has wrong times.
  static func clock(_ now: Date) -> Finding {
    let text = now.formatted(.iso8601)
    // The first version is of 2026.
    let first = Date(timeIntervalSince1970: 1_767_225_600)
    let last = Date(timeIntervalSince1970: 4_102_444_800)
    if (first..<last).contains(now) { return Finding("clock", text) }
    return Finding("clock", .bad, text, advice: "set the clock: `timedatectl set-ntp true`")
  }
}
