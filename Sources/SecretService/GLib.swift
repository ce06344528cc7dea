import CLibSecret
import StoreKeyring

/// Turns GLib calls with an error parameter into Swift calls that throw.
enum GLib {
  typealias ErrorPlace = UnsafeMutablePointer<UnsafeMutablePointer<GError>?>

  /// Makes a call whose result is nil only with an error.
  static func call<T>(_ doing: String, _ body: (ErrorPlace) -> UnsafeMutablePointer<T>?) throws
    -> UnsafeMutablePointer<T>
  {
    guard let result = try optional(doing, body) else {
      throw KeyringError(.vaultUnreachable, "\(doing) failed without a reason")
    }
    return result
  }

  static func optional<T>(
    _ doing: String, _ body: (ErrorPlace) -> UnsafeMutablePointer<T>?
  ) throws -> UnsafeMutablePointer<T>? {
    var problem: UnsafeMutablePointer<GError>?
    let result = body(&problem)
    if let problem { throw error(problem, doing) }
    return result
  }

  static func flag(_ doing: String, _ body: (ErrorPlace) -> gboolean) throws -> Bool {
    var problem: UnsafeMutablePointer<GError>?
    let result = body(&problem)
    if let problem { throw error(problem, doing) }
    return result != 0
  }

  /// The `KeyringError` for a GError, which is freed.
  static func error(_ error: UnsafeMutablePointer<GError>, _ doing: String) -> KeyringError {
    defer { g_error_free(error) }
    let domain = g_quark_to_string(error.pointee.domain).map { String(cString: $0) } ?? ""
    let number = Int(error.pointee.code)
    let text = error.pointee.message.map { String(cString: $0) } ?? ""
    let (code, advice): (KeyringError.Code, String) =
      switch (domain, number) {
      case ("g-io-error-quark", 19): (.cancelled, "it was cancelled")
      // Of files: a machine without an ID, as in a bare container.
      case ("g-io-error-quark", _), ("g-spawn-exit-error-quark", _), ("g-exec-error-quark", _),
        ("g-file-error-quark", _):
        (.noSessionBus, "there is no session bus, and so no keyring; \(KeyringError.withoutKeyring)")
      case ("g-dbus-error-quark", 2):
        (
          .noSecretService,
          "no program on the session bus offers the Secret Service; start a keyring (GNOME Keyring,"
            + " KWallet or KeePassXC),"
            + " or \(KeyringError.withoutKeyring)"
        )
      case ("g-dbus-error-quark", 19):
        (
          .noDefaultCollection,
          "the keyring has no default collection; create one, or \(KeyringError.withoutKeyring)"
        )
      case ("g-dbus-error-quark", 4), ("g-dbus-error-quark", 20):
        (.timedOut, "the keyring did not answer in time")
      case ("g-dbus-error-quark", 0):
        (.storageFailed, "the keyring could not store the key; check whether its disk is full")
      case ("secret-error", 2): (.vaultLocked, "the keyring is locked; unlock it and try again")
      case ("secret-error", 4): (.promptDismissed, "the prompt was closed")
      default: (.vaultUnreachable, "the keyring answered with an error")
      }
    return KeyringError(code, "\(doing): \(advice) [\(text)]", domain: domain, domainCode: number)
  }
}

extension KeyringError {
  /// Advice where there is no keyring: on servers, over ssh, in containers.
  static let withoutKeyring =
    "name a vault that does not need a keyring: a key file, a passphrase or a systemd credential"
    + " (KeyFileVault, PassphraseVault, CredentialVault; --vault file:PATH, passphrase or credential);"
    + " copy a key that is in a desktop's keyring from there (`strongroom key add`)"
}

/// Owns one reference to a GObject and releases it.
final class GObjectReference<T> {
  let pointer: UnsafeMutablePointer<T>

  init(owned pointer: UnsafeMutablePointer<T>) { self.pointer = pointer }

  deinit { g_object_unref(pointer) }
}
