public import StoreContract
public import StoreKeyring

/// Where the keys of a store are, which a description has under one key.
private struct StoreKeyOptions: Sendable {
  var keyVaults: [any KeyVault] = []
  var recoveryCodeHandler: (@Sendable (RecoveryCode) -> Void)?
  var storeKey: StoreKey?
  var keyInteraction = KeyInteraction.silent
  /// Nil for a label with the file's or the database's name.
  var keyLabel: String?
}

extension PersistentStoreDescription {
  private static let keyOptions = "StoreKeys"

  private var keys: StoreKeyOptions {
    get { options[Self.keyOptions] as? StoreKeyOptions ?? StoreKeyOptions() }
    set { options[Self.keyOptions] = newValue }
  }

  /// Where the store's key is stored: vaults, read in this order.
  ///
  /// Opening stops at the first key that opens the store. The key of a new store is added to every
  /// vault that can store keys.
  public var keyVaults: [any KeyVault] {
    get { keys.keyVaults }
    set { keys.keyVaults = newValue }
  }

  /// The first of `keyVaults`.
  ///
  /// Setting it removes the others.
  public var keyVault: (any KeyVault)? {
    get { keyVaults.first }
    set { keyVaults = newValue.map { [$0] } ?? [] }
  }

  /// Called once with the recovery code of a key that was just made, of a new file or of a store on a server
  /// that seals its first attribute; show the code to the user, who should write it down.
  ///
  /// A file records the call (`SQLCipherStore.recoveryCodeWasShown(of:)`).
  public var recoveryCodeHandler: (@Sendable (RecoveryCode) -> Void)? {
    get { keys.recoveryCodeHandler }
    set { keys.recoveryCodeHandler = newValue }
  }

  /// The key itself, for programs that store it on their own; goes before `keyVaults`.
  public var storeKey: StoreKey? {
    get { keys.storeKey }
    set { keys.storeKey = newValue }
  }

  /// Whether opening may ask the user to unlock the vault; silent unless set.
  public var keyInteraction: KeyInteraction {
    get { keys.keyInteraction }
    set { keys.keyInteraction = newValue }
  }

  /// What a user reads beside the key in the vault; contains the name of the file or of the database unless
  /// set.
  public var keyLabel: String {
    get { keys.keyLabel ?? "Strongroom key of \(url?.lastPathComponent ?? "a store")" }
    set { keys.keyLabel = newValue }
  }
}
