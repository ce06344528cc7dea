/// Why a key could not be read or stored.
///
/// Messages never contain key bytes.
public struct KeyringError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure.
  ///
  /// Later versions may add codes; compare with `==`.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    /// The name of the code.
    public let description: String
    /// Creates a code for a vault of your own.
    public init(_ name: String) { description = name }

    /// There is no session bus to reach a keyring over.
    public static let noSessionBus = Code("noSessionBus")
    /// No program on the session bus offers the Secret Service.
    public static let noSecretService = Code("noSecretService")
    /// The service exists but does not answer properly.
    public static let vaultUnreachable = Code("vaultUnreachable")
    /// The vault is locked; it has, or may have, the key.
    public static let vaultLocked = Code("vaultLocked")
    /// The service has no default collection to store keys in.
    public static let noDefaultCollection = Code("noDefaultCollection")
    /// No key was found, but the vault is in a state in which it may still have one.
    public static let vaultStateUnknown = Code("vaultStateUnknown")
    /// The vault did not answer before the deadline.
    public static let timedOut = Code("timedOut")
    /// The caller cancelled the call.
    public static let cancelled = Code("cancelled")
    /// The user closed the prompt.
    public static let promptDismissed = Code("promptDismissed")
    /// An item exists but holds no key.
    public static let itemDamaged = Code("itemDamaged")
    /// A key was stored, but reading it back failed or returned something else.
    public static let readBackFailed = Code("readBackFailed")
    /// The vault could not store the key.
    public static let storageFailed = Code("storageFailed")
    /// The disk is too full to store the key.
    public static let diskFull = Code("diskFull")
    /// A new key was requested for a store whose file exists; it could not open that file.
    public static let fileExists = Code("fileExists")
    /// The vault is read-only.
    public static let vaultReadOnly = Code("vaultReadOnly")
    /// The passphrase is not the one a key was wrapped with.
    public static let wrongPassphrase = Code("wrongPassphrase")
    /// A recovery code was mistyped, belongs to another store, or is from a newer version.
    public static let recoveryCodeInvalid = Code("recoveryCodeInvalid")
    /// Users other than the owner can read or change the key's file.
    public static let keyFileExposed = Code("keyFileExposed")
    /// A new key was requested for a store that already has one.
    public static let keyExists = Code("keyExists")
    /// No other vault holds a copy of the key that was to be removed.
    public static let lastCopy = Code("lastCopy")
    /// A vault beside the store holds its key but was not among the given vaults.
    public static let vaultNotNamed = Code("vaultNotNamed")
  }

  /// The kind of failure.
  public let code: Code
  /// What is wrong and what to do about it.
  public let message: String
  /// The error domain of the underlying library.
  public let domain: String?
  /// The code in `domain`.
  public let domainCode: Int?
  /// The underlying error.
  public let cause: (any Error)?
  /// The file that threw the error, as `#fileID`.
  public let fileID: String
  /// The line in `fileID`.
  public let line: Int

  /// Creates an error.
  public init(
    _ code: Code, _ message: String, domain: String? = nil, domainCode: Int? = nil, cause: (any Error)? = nil,
    fileID: String = #fileID, line: Int = #line
  ) {
    self.code = code
    self.message = message
    self.domain = domain
    self.domainCode = domainCode
    self.cause = cause
    self.fileID = fileID
    self.line = line
  }

  /// The code, the message and the underlying library's code.
  public var description: String {
    "\(code): \(message)" + (domain.map { " (\($0) \(domainCode ?? 0))" } ?? "")
  }
}
