public import Foundation

/// Opens a store with its recovery code. Holds nothing and keeps nothing.
public struct RecoveryCodeVault: KeyVault {
  private let code: RecoveryCode

  /// Works with a code.
  public init(_ code: RecoveryCode) { self.code = code }

  /// What messages call it.
  public var name: String { "the recovery code" }
  /// Nothing can be kept in a code.
  public var isReadOnly: Bool { true }

  /// The code's key.
  /// - Throws: `KeyringError` with code `recoveryCodeInvalid` when the code is another store's.
  public func keys(for store: UUID, interaction: KeyInteraction) async throws -> [StoredKey] {
    guard code.mayBelong(to: store) else {
      throw KeyringError(.recoveryCodeInvalid, "the recovery code is another store's; look for this store's")
    }
    return [
      StoredKey(identifier: KeyIdentifier("recovery"), store: store, key: code.key, created: nil, in: self)
    ]
  }
}
