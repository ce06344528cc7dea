import CLibSecret
public import Foundation
public import StoreKeyring

/// The desktop's keyring through libsecret: GNOME Keyring, KWallet, KeePassXC, or whoever offers the Secret Service; with
/// `SECRET_BACKEND=file` in the environment libsecret's own encrypted file.
///
/// A key is one item with the attributes `application`, `store` and `keyid`; items are only ever added and removed. They are found
/// by the store, whatever program made them, so that the `strongroom` tool finds the keys of all.
/// Every call runs on a thread of its own and ends by its deadline or when the calling task is cancelled.
public struct SecretServiceVault: KeyVault {
  let application: String
  let deadline: Duration
  let promptDeadline: Duration

  /// Uses the keyring of the session.
  /// - Parameters:
  ///   - application: The program's reverse-DNS name; kept in clear text beside the keys that are added.
  ///   - deadline: How long a silent call may take.
  ///   - promptDeadline: How long a call may take that asks the user.
  public init(
    application: String = "org.strongroom", deadline: Duration = .seconds(10),
    promptDeadline: Duration = .seconds(120)
  ) {
    self.application = application
    self.deadline = deadline
    self.promptDeadline = promptDeadline
  }

  /// What messages call it.
  public var name: String { "the Secret Service keyring" }

  /// The one service of the session, or libsecret's file: items are found by the store in all of its collections.
  public var location: KeyVaultLocation? {
    KeyVaultLocation(service: SecretFileSession.isChosen ? "libsecret's file" : "Secret Service")
  }

  /// Every key of a store, newest first.
  /// - Throws: `KeyringError`: no bus, no service, locked, no default collection, state unknown, timed out, damaged.
  public func keys(for store: UUID, interaction: KeyInteraction) async throws -> [StoredKey] {
    try await call(interaction) { session in
      try session.keys(store, of: self, interaction: interaction)
    }
  }

  /// Adds a key to the default collection, and answers when it has been read back.
  /// - Throws: `KeyringError`, also `readBackFailed`; the item is then removed again.
  public func add(
    _ key: StoreKey, for store: UUID, label: String, interaction: KeyInteraction
  ) async throws -> KeyIdentifier {
    try await call(interaction) { session in
      let identifier = KeyIdentifier()
      try session.add(
        key, store, identifier, application: application, label: label, interaction: interaction)
      let back = try session.keys(store, of: self, interaction: .silent)
        .first { $0.identifier == identifier }
      guard let back, back.key.isSame(as: key) else {
        try? session.remove(store, identifier, interaction: .silent)
        throw KeyringError(
          .readBackFailed, "the keyring took the key but did not give it back; no store was made with it")
      }
      return identifier
    }
  }

  /// Removes one key.
  /// - Throws: `KeyringError`.
  public func remove(_ identifier: KeyIdentifier, for store: UUID, interaction: KeyInteraction) async throws {
    try await call(interaction) { session in
      try session.remove(store, identifier, interaction: interaction)
    }
  }

  private func call<R: Sendable>(
    _ interaction: KeyInteraction, _ body: @escaping @Sendable (any KeyringSession) throws -> R
  ) async throws -> R {
    try await BoundedCall.run(within: interaction == .prompt ? promptDeadline : deadline) { cancellable in
      if SecretFileSession.isChosen { return try body(SecretFileSession(cancellable: cancellable)) }
      let session = try SecretSession(cancellable)
      do {
        return try body(session)
      } catch let error as KeyringError where error.isDeadService {
        // The daemon went away under this process's connection; a new one may be there.
        secret_service_disconnect()
        return try body(SecretSession(cancellable))
      }
    }
  }
}

extension KeyringError {
  /// `org.freedesktop.DBus.Error.ServiceUnknown` of a name that was there before.
  var isDeadService: Bool { domain == "g-dbus-error-quark" && domainCode == 2 }
}
