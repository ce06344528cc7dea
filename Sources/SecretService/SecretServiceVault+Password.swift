public import StoreKeyring

/// Passwords are items with the attributes of libsecret's schema for servers: `protocol` (`postgresql`),
/// `server`, `port`, `user`, and the database as `object`.
extension SecretServiceVault: PasswordVault {
  /// The secret of an account: the one that this package stored, or else another program's with the same
  /// `protocol`, `server`, `port`, `user` and `object`.
  /// - Throws: `KeyringError` with code `noSessionBus`, `noSecretService`, `vaultLocked`,
  ///   `noDefaultCollection`, `timedOut` or `itemDamaged`.
  public func password(
    for account: ServerAccount, interaction: KeyInteraction
  ) async throws -> SecretBytes? {
    try await call(interaction) { session in try session.password(account, interaction: interaction) }
  }

  /// Stores a secret in the default collection; items of other programs stay as they are.
  /// - Throws: `KeyringError`; `readBackFailed` where the keyring does not return it.
  public func setPassword(
    _ password: SecretBytes, for account: ServerAccount, label: String, interaction: KeyInteraction
  ) async throws {
    try await call(interaction) { session in
      try session.setPassword(password, account, label: label, interaction: interaction)
      guard let back = try session.password(account, interaction: .silent), back.isSame(as: password) else {
        throw KeyringError(
          .readBackFailed, "the keyring stored the password but did not return it; store it again")
      }
    }
  }

  /// Removes the secret that this package stored.
  /// - Throws: `KeyringError`.
  public func removePassword(for account: ServerAccount, interaction: KeyInteraction) async throws {
    try await call(interaction) { session in
      try session.removePassword(account, interaction: interaction)
    }
  }
}
