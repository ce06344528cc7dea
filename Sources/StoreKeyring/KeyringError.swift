/// Why a key could not be had or kept. Messages never hold key bytes.
public struct KeyringError: Error, Sendable, CustomStringConvertible {
  /// The kind of failure. More may come; match with `==`.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    /// The name of the code.
    public let description: String
    /// Makes a code of a third party's vault.
    public init(_ name: String) { description = name }

    /// There is no session bus to reach a keyring over.
    public static let noSessionBus = Code("noSessionBus")
    /// No program on the session bus offers the Secret Service.
    public static let noSecretService = Code("noSecretService")
    /// The service is there but does not answer properly.
    public static let vaultUnreachable = Code("vaultUnreachable")
    /// The key is there, or may be, but the vault is locked.
    public static let vaultLocked = Code("vaultLocked")
    /// The service has no default collection to keep keys in.
    public static let noDefaultCollection = Code("noDefaultCollection")
    /// No key was found, but the vault is in a state in which that proves nothing.
    public static let vaultStateUnknown = Code("vaultStateUnknown")
    /// No answer in time.
    public static let timedOut = Code("timedOut")
    /// The caller gave up.
    public static let cancelled = Code("cancelled")
    /// The user closed the prompt.
    public static let promptDismissed = Code("promptDismissed")
    /// An item is there but holds no key.
    public static let itemDamaged = Code("itemDamaged")
    /// A key just stored could not be read back as it was.
    public static let readBackFailed = Code("readBackFailed")
    /// The vault could not store the key.
    public static let storageFailed = Code("storageFailed")
    /// The disk is too full to store the key.
    public static let diskFull = Code("diskFull")
    /// A new key was asked for a file that exists; it could not open it.
    public static let fileExists = Code("fileExists")
    /// The vault lends keys and keeps none.
    public static let vaultReadOnly = Code("vaultReadOnly")
    /// The passphrase is not the one a key was wrapped with.
    public static let wrongPassphrase = Code("wrongPassphrase")
    /// A recovery code was mistyped, is another store's, or from a newer version.
    public static let recoveryCodeInvalid = Code("recoveryCodeInvalid")
    /// Others than the owner can read or change the key's file.
    public static let keyFileExposed = Code("keyFileExposed")
    /// A new key was asked for a store that has one.
    public static let keyExists = Code("keyExists")
    /// No other vault holds the key that was to be removed.
    public static let lastCopy = Code("lastCopy")
    /// A vault beside the store holds its key and was not named.
    public static let vaultNotNamed = Code("vaultNotNamed")
  }

  /// The kind of failure.
  public let code: Code
  /// What is wrong and what to do.
  public let message: String
  /// The error domain of the library underneath.
  public let domain: String?
  /// The code in `domain`.
  public let domainCode: Int?
  /// The error underneath.
  public let cause: (any Error)?
  /// Where it was thrown.
  public let fileID: String
  /// The line in `fileID`.
  public let line: Int

  /// Makes an error.
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

  /// Code, message and the library's own code.
  public var description: String {
    "\(code): \(message)" + (domain.map { " (\($0) \(domainCode ?? 0))" } ?? "")
  }
}
