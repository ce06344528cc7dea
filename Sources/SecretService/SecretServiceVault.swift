import CLibSecret
public import Foundation
public import StoreKeyring

/// The desktop's keyring: GNOME Keyring, KWallet, KeePassXC, or another Secret Service.
///
/// The vault uses libsecret. With `SECRET_BACKEND=file` in the environment, it uses libsecret's own
/// encrypted file instead.
///
/// A key is one item with the attributes `application`, `store` and `keyid`. Items are only added
/// and removed. They are found by store, whichever program created them, so that the `strongroom`
/// tool finds the keys of all programs.
///
/// Every call runs on its own thread and ends at its deadline or when the calling task is
/// cancelled.
public struct SecretServiceVault: HistoryHeadVault {
  let application: String
  let deadline: Duration
  let promptDeadline: Duration

  /// Creates a vault over the keyring of the session.
  /// - Parameters:
  ///   - application: The program's reverse-DNS name, stored in clear text with each added key.
  ///   - deadline: How long a call without a prompt may take.
  ///   - promptDeadline: How long a call that may prompt the user may take.
  public init(
    application: String = "org.strongroom", deadline: Duration = .seconds(10),
    promptDeadline: Duration = .seconds(120)
  ) {
    self.application = application
    self.deadline = deadline
    self.promptDeadline = promptDeadline
  }

  /// The vault's name in messages.
  public var name: String { "the Secret Service keyring" }

  /// The session's service or libsecret's file.
  ///
  /// Items are found by store in all its collections.
  public var location: KeyVaultLocation? {
    KeyVaultLocation(service: SecretFileSession.isChosen ? "libsecret's file" : "Secret Service")
  }

  /// Every key of a store, newest first.
  /// - Throws: `KeyringError` with code `noSessionBus`, `noSecretService`, `vaultLocked`,
  ///   `noDefaultCollection`, `vaultStateUnknown`, `timedOut` or `itemDamaged`.
  public func keys(for store: UUID, interaction: KeyInteraction) async throws -> [StoredKey] {
    try await call(interaction) { session in
      try session.keys(store, of: self, interaction: interaction)
    }
  }

  /// Adds a key to the default collection, and returns after it has been read back.
  /// - Throws: `KeyringError`. With code `readBackFailed` the item has been removed again.
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
          .readBackFailed,
          "the keyring stored the key but did not return it; no store was created with it")
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

  /// The head in the item of the store.
  /// - Throws: `KeyringError`; `itemDamaged` for an item that cannot be read.
  public func historyHead(for store: UUID, interaction: KeyInteraction) async throws -> HistoryHead? {
    try await call(interaction) { session in
      guard let text = try session.head(store, interaction: interaction) else { return nil }
      guard let head = HistoryHead(text: text) else {
        throw KeyringError(.itemDamaged, "the history head in the keyring cannot be read; remove its item")
      }
      return head
    }
  }

  /// Stores the head in an item with the one attribute `history`, in the default collection.
  /// - Throws: `KeyringError`.
  public func setHistoryHead(
    _ head: HistoryHead, for store: UUID, label: String, interaction: KeyInteraction
  ) async throws {
    try await call(interaction) { session in
      try session.setHead(head.text, store, label: label, interaction: interaction)
    }
  }

  func call<R: Sendable>(
    _ interaction: KeyInteraction, _ body: @escaping @Sendable (any KeyringSession) throws -> R
  ) async throws -> R {
    try await BoundedCall.run(within: interaction == .prompt ? promptDeadline : deadline) { cancellable in
      if SecretFileSession.isChosen { return try body(SecretFileSession(cancellable: cancellable)) }
      let session = try SecretSession(cancellable)
      do {
        return try body(session)
      } catch let error as KeyringError where error.isDeadService {
        // The daemon ended while this process was connected; a new one may have started.
        secret_service_disconnect()
        return try body(SecretSession(cancellable))
      }
    }
  }
}

extension KeyringError {
  /// Whether the error is `org.freedesktop.DBus.Error.ServiceUnknown` for a name that existed.
  var isDeadService: Bool { domain == "g-dbus-error-quark" && domainCode == 2 }
}
