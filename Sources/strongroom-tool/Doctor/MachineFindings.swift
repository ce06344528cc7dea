import Foundation
import Glibc
import SQLCipherStore
import SecretService
import StoreKeyring
import StrongroomPostgres

/// What every store needs of the machine and of the session.
enum MachineFindings {
  /// Tells each when it is known.
  ///
  /// - `needsKeyring`: Whether a key is to be in the keyring.
  static func all(needsKeyring: Bool, _ tell: (Finding) -> Void) async {
    tell(encryption)
    tell(Finding("libpq", PostgresStore.libraryVersion))
    tell(clock(Date()))
    tell(bus(ProcessInfo.processInfo.environment))
    tell(await keyring(needsKeyring))
  }

  private static var encryption: Finding {
    let (cipher, sqlite) = SQLCipherStore.libraryVersions
    guard cipher.isEmpty else { return Finding("SQLCipher", "\(cipher), SQLite \(sqlite)") }
    return Finding(
      "SQLCipher", .bad, "SQLite \(sqlite) without encryption is loaded in its place",
      advice: "do not preload libsqlite3 (LD_PRELOAD), and link libsqlcipher before it")
  }

  /// Where the bus is to be; what uses it says whether it answers.
  static func bus(_ environment: [String: String]) -> Finding {
    func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    let socket = (value("XDG_RUNTIME_DIR") ?? "/run/user/\(getuid())") + "/bus"
    let address = value("DBUS_SESSION_BUS_ADDRESS") ?? "unix:path=\(socket)"
    // Of other kinds only a connection tells.
    let path = address.wholeMatch(of: /unix:path=([^,;]+).*/)?.1.removingPercentEncoding
    guard let path, !isSocket(path) else { return Finding("session bus", address) }
    return Finding(
      "session bus", .note, "none at \(path)",
      advice: "only the keyring needs it: log in to a desktop, or run `dbus-run-session`; without a keyring,"
        + " give --vault file:PATH, passphrase or credential")
  }

  private static func isSocket(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
  }

  private static func keyring(_ needsKeyring: Bool) async -> Finding {
    let bad: Finding.State = needsKeyring ? .bad : .note
    do {
      guard let found = try await SecretServiceVault(deadline: .seconds(5)).condition() else {
        return Finding(
          "keyring", .note, "libsecret's own file, since SECRET_BACKEND says so",
          advice: "its password comes from the desktop's portal; where there is none, unset SECRET_BACKEND")
      }
      let program = found.program ?? "a program that is not known"
      guard let collection = found.collection else {
        return Finding(
          "keyring", bad, "\(program), without a default collection",
          advice: advice(withoutCollectionIn: program))
      }
      if found.isLocked {
        return Finding(
          "keyring", .note, "\(program), its collection \(collection) is locked",
          advice: "unlock it; --prompt has it ask for its password")
      }
      return Finding("keyring", "\(program), its collection \(collection) is unlocked")
    } catch let error as KeyringError where error.code == .noSessionBus {
      return Finding("keyring", bad, "none, since no session bus answers")
    } catch { return Finding("keyring", bad, "none that answers", advice: "\(error)") }
  }

  /// How each program comes to a default collection.
  private static func advice(withoutCollectionIn program: String) -> String {
    switch program {
    case _ where program.hasPrefix("gnome-keyring"):
      "log in with a password, which makes the keyring \"Login\"; or make one in Passwords and Keys"
        + " (seahorse) and choose Set as default"
    case _ where program.hasPrefix("kwallet") || program.hasPrefix("ksecret"):
      "make a wallet in the settings of KDE Wallet, and log in anew"
    case "keepassxc":
      "open a database in KeePassXC, and choose the group that it exposes, in the database's settings under"
        + " Secret Service Integration"
    default: "make a collection in the keyring's settings, and make it the default"
    }
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
