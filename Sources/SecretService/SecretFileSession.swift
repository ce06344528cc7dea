import CLibSecret
import Foundation
import StoreKeyring

/// Access to libsecret's own encrypted file.
///
/// It takes the place of the Secret Service where `SECRET_BACKEND=file` is set. Its items are never locked.
/// In a sandbox the portal stores its password.
struct SecretFileSession: KeyringSession {
  let cancellable: BoundedCall.Cancellable

  /// Whether the environment chooses the file.
  ///
  /// libsecret itself chooses it in every sandbox; a program that may talk to the desktop's keyring there
  /// goes on using that one.
  static var isChosen: Bool {
    let environment = ProcessInfo.processInfo.environment
    if let backend = environment["SECRET_BACKEND"] { return backend == "file" }
    return false
  }

  func keys(_ store: UUID, of vault: SecretServiceVault, interaction: KeyInteraction) throws -> [StoredKey] {
    let list = try KeyringSchema.with { schema in
      try KeyringSchema.withAttributes(store, nil, nil) { attributes in
        try asking {
          try GLib.optional("searching libsecret's file") {
            secret_password_searchv_sync(schema, attributes, SECRET_SEARCH_ALL, cancellable.pointer, $0)
          }
        }
      }
    }
    var items: [OpaquePointer] = []
    var next = list
    while let node = next {
      if let data = node.pointee.data { items.append(OpaquePointer(data)) }
      next = node.pointee.next
    }
    defer {
      for item in items { g_object_unref(UnsafeMutableRawPointer(item)) }
      g_list_free(list)
    }
    return try readable(items) { item in
      var problem: UnsafeMutablePointer<GError>?
      let value = secret_retrievable_retrieve_secret_sync(item, cancellable.pointer, &problem)
      if let problem { throw GLib.error(problem, "reading a key") }
      defer { if let value { secret_value_unref(UnsafeMutableRawPointer(value)) } }
      let attributes = secret_retrievable_get_attributes(item)
      defer { g_hash_table_unref(attributes) }
      return StoredKey(
        identifier: KeyringSchema.identifier(attributes), store: store,
        key: try KeyringSchema.key(value, store),
        created: Date(timeIntervalSince1970: Double(secret_retrievable_get_created(item))), in: vault)
    }
  }

  func add(
    _ key: StoreKey, _ store: UUID, _ identifier: KeyIdentifier, application: String, label: String,
    interaction: KeyInteraction
  ) throws {
    let isStored = try KeyringSchema.with { schema in
      try KeyringSchema.withAttributes(store, identifier, application) { attributes in
        try KeyringSchema.withValue(key, store) { value in
          try asking {
            try GLib.flag("storing a key") {
              secret_password_storev_binary_sync(
                schema, attributes, "default", label.filter { !$0.isNewline }, value, cancellable.pointer, $0)
            }
          }
        }
      }
    }
    if !isStored { throw KeyringError(.storageFailed, "libsecret's file did not store the key") }
  }

  func remove(_ store: UUID, _ identifier: KeyIdentifier, interaction: KeyInteraction) throws {
    _ = try KeyringSchema.with { schema in
      try KeyringSchema.withAttributes(store, identifier, nil) { attributes in
        try asking {
          try GLib.flag("removing a key") {
            secret_password_clearv_sync(schema, attributes, cancellable.pointer, $0)
          }
        }
      }
    }
  }

  func head(_ store: UUID, interaction: KeyInteraction) throws -> String? {
    try KeyringSchema.withHead(store) { schema, attributes in
      var problem: UnsafeMutablePointer<GError>?
      let value = try asking {
        secret_password_lookupv_binary_sync(schema, attributes, cancellable.pointer, &problem)
      }
      if let problem { throw GLib.error(problem, "reading a history head") }
      guard let value else { return nil }
      defer { secret_value_unref(UnsafeMutableRawPointer(value)) }
      return KeyringSchema.text(value)
    }
  }

  func setHead(_ text: String, _ store: UUID, label: String, interaction: KeyInteraction) throws {
    let isStored = try KeyringSchema.withHead(store) { schema, attributes in
      try KeyringSchema.withValue(text) { value in
        try asking {
          try GLib.flag("storing a history head") {
            secret_password_storev_binary_sync(
              schema, attributes, "default", label.filter { !$0.isNewline }, value, cancellable.pointer, $0)
          }
        }
      }
    }
    if !isStored { throw KeyringError(.storageFailed, "libsecret's file did not store the history head") }
  }
}
