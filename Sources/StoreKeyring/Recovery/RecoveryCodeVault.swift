public import Foundation

/// A read-only vault that supplies the key in a recovery code.
///
/// It stores nothing.
public struct RecoveryCodeVault: KeyVault {
  private let code: RecoveryCode

  /// Creates a vault from a recovery code.
  public init(_ code: RecoveryCode) { self.code = code }

  /// The vault's name in messages.
  public var name: String { "the recovery code" }
  /// True: a recovery code cannot store another key.
  public var isReadOnly: Bool { true }

  /// The code's key.
  /// - Throws: `KeyringError` with code `recoveryCodeInvalid` when the code belongs to another
  ///   store.
  public func keys(for store: UUID, interaction: KeyInteraction) async throws -> [StoredKey] {
    guard code.mayBelong(to: store) else {
      throw KeyringError(
        .recoveryCodeInvalid, "the recovery code belongs to another store; use this store's code")
    }
    return [
      StoredKey(identifier: KeyIdentifier("recovery"), store: store, key: code.key, created: nil, in: self)
    ]
  }
}
