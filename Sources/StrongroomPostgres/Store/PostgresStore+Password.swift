public import StoreContract
public import StoreKeyring
import StoreKeys

extension PostgresStore {
  /// Stores the password of the user that a description's address names in the first of its vaults that
  /// stores passwords, where opening finds it.
  ///
  /// No statement; the server is not asked whether it is right. An address without a server, port, user or
  /// database names libpq's default.
  /// - Parameters:
  ///   - password: The password, or the passphrase.
  ///   - description: The store, with its vaults.
  ///   - purpose: Whether it is the user's password, or the passphrase of the TLS key (`sslkey`).
  /// - Throws: `StoreError`: `invalidValue` where the description has no address of a server; `keyMissing`
  ///   where it names no vault that stores passwords. `KeyringError` where the vault fails.
  public static func setPassword(
    _ password: SecretBytes, for description: PersistentStoreDescription,
    purpose: ServerAccount.Purpose = .password
  ) async throws {
    let (account, vault) = try place(description, purpose)
    try await vault.setPassword(
      password, for: account, label: "Password of \(account.user) at \(account.server)",
      interaction: description.keyInteraction)
  }

  /// Removes what `setPassword(_:for:purpose:)` stored.
  ///
  /// No statement. It is not an error where nothing is stored.
  /// - Parameters:
  ///   - description: The store, with its vaults.
  ///   - purpose: What it was stored for.
  /// - Throws: As `setPassword(_:for:purpose:)`.
  public static func removePassword(
    for description: PersistentStoreDescription, purpose: ServerAccount.Purpose = .password
  ) async throws {
    let (account, vault) = try place(description, purpose)
    try await vault.removePassword(for: account, interaction: description.keyInteraction)
  }

  private static func place(
    _ description: PersistentStoreDescription, _ purpose: ServerAccount.Purpose
  ) throws -> (ServerAccount, any PasswordVault) {
    try ServerAddress.check(description)
    guard let account = ServerAccount(description, purpose) else { throw StoreError.unreadableAddress }
    guard let vault = description.keyVaults.lazy.compactMap({ $0 as? any PasswordVault }).first else {
      throw StoreError(
        .keyMissing, "no vault of the store's description stores passwords; add a SecretServiceVault")
    }
    return (account, vault)
  }
}
