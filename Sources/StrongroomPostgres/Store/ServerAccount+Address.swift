import CLibPQ
import Foundation
import StoreContract
import StoreKeyring
import StoreKeys

extension ServerAccount {
  /// The account that an address and libpq's own defaults name; nil for an address that libpq does not take.
  ///
  /// A service of `pg_service.conf` is not looked into: it has its password with it.
  init?(_ description: PersistentStoreDescription, _ purpose: Purpose) {
    guard let given = PQconninfoParse(description.url?.absoluteString ?? "", nil) else { return nil }
    defer { PQconninfoFree(given) }
    let defaults = PQconndefaults()
    defer { PQconninfoFree(defaults) }
    let values = Self.values(defaults).merging(Self.values(given)) { $1 }
    let user = values["user"] ?? NSUserName()
    self.init(
      server: values["host"] ?? values["hostaddr"] ?? "localhost",
      port: values["port"].flatMap { Int($0) } ?? 5432, user: user, database: values["dbname"] ?? user,
      purpose: purpose)
  }

  private static func values(_ options: UnsafeMutablePointer<PQconninfoOption>?) -> [String: String] {
    var values: [String: String] = [:]
    var next = options
    while let option = next?.pointee, let name = option.keyword {
      if let value = option.val, value.pointee != 0 { values[String(cString: name)] = String(cString: value) }
      next = next?.successor()
    }
    return values
  }
}

extension ServerPool {
  /// The connections to the server of a description, one of which is made.
  ///
  /// Where the server asks for a password, or the private key for a passphrase, that neither the address nor
  /// libpq's files and environment have, the vaults of the description are asked for it.
  /// - Throws: `keyMissing` where they have none either; `KeyringError` where a vault cannot answer.
  static func connected(_ description: PersistentStoreDescription) async throws -> ServerPool {
    let pool = try ServerPool(description)
    for _ in 0..<2 {
      do {
        try pool.read { _ in }
        return pool
      } catch let error as StoreError {
        guard let purpose = (error.cause as? ServerError)?.missing, !pool.has(purpose) else { throw error }
        pool.set(try await secret(purpose, description, error), for: purpose)
      }
    }
    try pool.read { _ in }
    return pool
  }

  private static func secret(
    _ purpose: ServerAccount.Purpose, _ description: PersistentStoreDescription, _ cause: StoreError
  ) async throws -> SecretBytes {
    guard let account = ServerAccount(description, purpose) else { throw cause }
    let vaults = description.keyVaults.compactMap { $0 as? any PasswordVault }
    for vault in vaults {
      let found = try await vault.password(for: account, interaction: description.keyInteraction)
      if let found { return found }
    }
    let places = vaults.map(\.name).joined(separator: ", ")
    let (what, advice) =
      purpose == .password
      ? ("the server asks for a password", "give it in PGPASSWORD or ~/.pgpass")
      : ("the private key of the address has a passphrase", "give it in the address, as sslpassword")
    throw StoreError(
      .keyMissing,
      "\(what), which is neither in the address nor where libpq looks, nor in"
        + " \(places.isEmpty ? "a vault, since the description names none for passwords" : places);"
        + " \(advice); a program stores it in a vault with PostgresStore.setPassword(_:for:purpose:)",
      cause: cause)
  }
}
