import CLibSecret
import Foundation
import StoreKeyring

extension KeyringSchema {
  /// Calls a closure with libsecret's schema of passwords of servers, and an account in its words.
  /// - Parameters:
  ///   - account: The account.
  ///   - isOwn: Whether the attribute is among them that only items of this package have, so that no item of
  ///     another program is replaced.
  ///   - body: The closure.
  /// - Returns: What the closure returns.
  static func withPassword<R>(
    _ account: ServerAccount, isOwn: Bool,
    _ body: (UnsafeMutablePointer<SecretSchema>?, OpaquePointer?) throws -> R
  ) rethrows -> R {
    let types = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, nil)
    let table = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free)
    func add(_ name: String, _ value: String, _ type: SecretSchemaAttributeType) {
      g_hash_table_insert(types, g_strdup(name), UnsafeMutableRawPointer(bitPattern: UInt(type.rawValue)))
      g_hash_table_insert(table, g_strdup(name), g_strdup(value))
    }
    add("protocol", "postgresql", SECRET_SCHEMA_ATTRIBUTE_STRING)
    add("server", account.server, SECRET_SCHEMA_ATTRIBUTE_STRING)
    add("port", String(account.port), SECRET_SCHEMA_ATTRIBUTE_INTEGER)
    add("user", account.user, SECRET_SCHEMA_ATTRIBUTE_STRING)
    add("object", account.database, SECRET_SCHEMA_ATTRIBUTE_STRING)
    if isOwn { add("authtype", "strongroom \(account.purpose.rawValue)", SECRET_SCHEMA_ATTRIBUTE_STRING) }
    let schema = secret_schema_newv(
      "org.gnome.keyring.NetworkPassword", SECRET_SCHEMA_DONT_MATCH_NAME, types)
    defer {
      g_hash_table_unref(table)
      g_hash_table_unref(types)
      secret_schema_unref(schema)
    }
    return try body(schema, table)
  }

  /// The bytes of a libsecret secret value.
  static func secret(_ value: OpaquePointer) -> SecretBytes {
    var length: gsize = 0
    let bytes = secret_value_get(value, &length)
    return SecretBytes(UnsafeRawBufferPointer(start: bytes, count: Int(length)))
  }

  /// Calls a closure with bytes as a libsecret secret value.
  static func withValue<R>(_ secret: SecretBytes, _ body: (OpaquePointer?) throws -> R) rethrows -> R {
    try secret.withUnsafeBytes { bytes in
      let value = secret_value_new(
        bytes.baseAddress?.assumingMemoryBound(to: CChar.self), gssize(bytes.count), "text/plain")
      defer { secret_value_unref(UnsafeMutableRawPointer(value)) }
      return try body(value)
    }
  }
}
