import CLibSecret
import Foundation
import StoreKeyring

/// The schema and attributes of a key's item in a keyring.
enum KeyringSchema {
  private static let name = "org.strongroom.StoreKey"

  /// Calls a closure with the schema and the attribute of a store's history head: another attribute than
  /// those of keys, so that no search for keys finds it.
  static func withHead<R>(
    _ store: UUID, _ body: (UnsafeMutablePointer<SecretSchema>?, OpaquePointer?) throws -> R
  ) rethrows -> R {
    let types = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, nil)
    g_hash_table_insert(
      types, g_strdup("history"),
      UnsafeMutableRawPointer(bitPattern: UInt(SECRET_SCHEMA_ATTRIBUTE_STRING.rawValue)))
    let schema = secret_schema_newv("org.strongroom.HistoryHead", SECRET_SCHEMA_DONT_MATCH_NAME, types)
    let table = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free)
    g_hash_table_insert(table, g_strdup("history"), g_strdup(store.uuidString.lowercased()))
    defer {
      g_hash_table_unref(table)
      g_hash_table_unref(types)
      secret_schema_unref(schema)
    }
    return try body(schema, table)
  }

  /// The text of a libsecret secret value.
  static func text(_ value: OpaquePointer) -> String {
    var length: gsize = 0
    let text = secret_value_get(value, &length)
    return String(decoding: UnsafeRawBufferPointer(start: text, count: Int(length)), as: UTF8.self)
  }

  /// Calls a closure with a text as a libsecret secret value.
  static func withValue<R>(_ text: String, _ body: (OpaquePointer?) throws -> R) rethrows -> R {
    let value = secret_value_new(text, gssize(text.utf8.count), "text/plain")
    defer { secret_value_unref(UnsafeMutableRawPointer(value)) }
    return try body(value)
  }

  /// Calls a closure with the schema.
  ///
  /// The schema's name is not matched, since a locked keyring that was read from disk does not
  /// answer searches by it.
  static func with<R>(_ body: (UnsafeMutablePointer<SecretSchema>?) throws -> R) rethrows -> R {
    let types = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, nil)
    for name in ["application", "store", "keyid"] {
      g_hash_table_insert(
        types, g_strdup(name),
        UnsafeMutableRawPointer(bitPattern: UInt(SECRET_SCHEMA_ATTRIBUTE_STRING.rawValue)))
    }
    let schema = secret_schema_newv(name, SECRET_SCHEMA_DONT_MATCH_NAME, types)
    defer {
      g_hash_table_unref(types)
      secret_schema_unref(schema)
    }
    return try body(schema)
  }

  /// Calls a closure with the attributes of a store's items, or of one item.
  ///
  /// Without an application the attributes match the items of every program.
  static func withAttributes<R>(
    _ store: UUID, _ identifier: KeyIdentifier?, _ application: String?, _ body: (OpaquePointer?) throws -> R
  ) rethrows -> R {
    let table = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free)
    defer { g_hash_table_unref(table) }
    func set(_ name: String, _ value: String) { g_hash_table_insert(table, g_strdup(name), g_strdup(value)) }
    if let application { set("application", application) }
    set("store", store.uuidString.lowercased())
    if let identifier { set("keyid", identifier.description) }
    return try body(table)
  }

  /// The key identifier in an item's attributes; empty when they have none.
  static func identifier(_ attributes: OpaquePointer?) -> KeyIdentifier {
    let text = "keyid".withCString { name in
      g_hash_table_lookup(attributes, name).map { String(cString: $0.assumingMemoryBound(to: CChar.self)) }
    }
    return KeyIdentifier(text ?? "")
  }

  /// Calls a closure with a key's text as a libsecret secret value.
  static func withValue<R>(
    _ key: StoreKey, _ store: UUID, _ body: (OpaquePointer?) throws -> R
  ) rethrows -> R {
    try KeyItem.withText(key, store: store) { text in
      let value = secret_value_new(
        text.baseAddress?.assumingMemoryBound(to: CChar.self), gssize(text.count), "text/plain")
      defer { secret_value_unref(UnsafeMutableRawPointer(value)) }
      return try body(value)
    }
  }

  /// Reads the key in a libsecret secret value.
  static func key(_ value: OpaquePointer?, _ store: UUID) throws -> StoreKey {
    guard let value else { throw KeyringError(.itemDamaged, "an item of the keyring has no secret") }
    var length: gsize = 0
    let text = secret_value_get(value, &length)
    if length == 0 {
      throw KeyringError(
        .itemDamaged,
        "the keyring has an item for the key, without the key: its program ended before it had written it;"
          + " restore the key with the recovery code")
    }
    return try KeyItem.key(UnsafeRawBufferPointer(start: text, count: Int(length)), store: store)
  }
}
