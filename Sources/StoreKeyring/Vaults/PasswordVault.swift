/// A user of a database server, as programs name one in a keyring.
public struct ServerAccount: Sendable, Hashable {
  /// What a secret of an account is for.
  public enum Purpose: String, Sendable, Hashable, Codable {
    /// The user's password.
    case password
    /// The passphrase of the private key that the user proves itself with in TLS.
    case clientKey
  }

  /// The server's name, or the folder of its socket.
  public var server: String
  /// The server's port.
  public var port: Int
  /// The user's name.
  public var user: String
  /// The database.
  public var database: String
  /// What the secret is for.
  public var purpose: Purpose

  /// Names an account.
  public init(
    server: String, port: Int, user: String, database: String, purpose: Purpose = .password
  ) {
    self.server = server
    self.port = port
    self.user = user
    self.database = database
    self.purpose = purpose
  }
}

/// A vault that can store passwords of servers beside keys.
public protocol PasswordVault: KeyVault {
  /// The secret of an account; nil only when the vault is unlocked and has none.
  /// - Throws: `KeyringError`.
  func password(for account: ServerAccount, interaction: KeyInteraction) async throws -> SecretBytes?

  /// Stores a secret in the place of the one before, and returns after it has been read back.
  /// - Throws: `KeyringError`.
  func setPassword(
    _ password: SecretBytes, for account: ServerAccount, label: String, interaction: KeyInteraction
  ) async throws

  /// Removes a secret. Removing one that is not there is not an error.
  /// - Throws: `KeyringError`.
  func removePassword(for account: ServerAccount, interaction: KeyInteraction) async throws
}
