import CLibSecret
import Foundation
import Glibc
import StoreKeyring

/// Talks to the Secret Service within one call, on that call's thread.
struct SecretSession: KeyringSession {
  let service: UnsafeMutablePointer<SecretService>
  let cancellable: BoundedCall.Cancellable

  init(_ cancellable: BoundedCall.Cancellable) throws {
    self.cancellable = cancellable
    do {
      service = try Self.reach(cancellable)
    } catch let error as KeyringError where error.domain == "g-dbus-error-quark" && error.domainCode == 16 {
      // KWallet refuses a public key whose first byte is zero, which libsecret leaves out: one of 256. The
      // next one has another.
      secret_service_disconnect()
      service = try Self.reach(cancellable)
    }
  }

  private static func reach(
    _ cancellable: BoundedCall.Cancellable
  ) throws -> UnsafeMutablePointer<SecretService> {
    try GLib.call("reaching the Secret Service") {
      secret_service_get_sync(SECRET_SERVICE_OPEN_SESSION, cancellable.pointer, $0)
    }
  }

  /// The path of the default collection, nil when there is none.
  private func defaultPath() throws -> String? {
    // A NULL path without an error means that there is no default collection.
    let path = try GLib.optional("asking for the default collection") {
      secret_service_read_alias_dbus_path_sync(service, "default", cancellable.pointer, $0)
    }
    defer { g_free(path) }
    return path.map { String(cString: $0) }.flatMap { $0 == "/" ? nil : $0 }
  }

  func defaultCollection() throws -> UnsafeMutablePointer<SecretCollection>? {
    try GLib.optional("asking for the default collection") {
      secret_collection_for_alias_sync(service, "default", SECRET_COLLECTION_NONE, cancellable.pointer, $0)
    }
  }

  // MARK: Finding

  func keys(_ store: UUID, of vault: SecretServiceVault, interaction: KeyInteraction) throws -> [StoredKey] {
    try readable(items(store, interaction: interaction)) {
      try storedKey($0, store, vault)
    }
  }

  /// The unlocked items of a store.
  ///
  /// Empty only when the keyring is unlocked and has none.
  private func items(
    _ store: UUID, interaction: KeyInteraction
  ) throws -> [GObjectReference<SecretItem>] { try items(interaction) { try search(store, $0) } }

  /// The unlocked items that a search finds.
  ///
  /// Empty only when the keyring is unlocked and has none.
  func items(
    _ interaction: KeyInteraction, _ search: (KeyInteraction) throws -> [GObjectReference<SecretItem>]
  ) throws -> [GObjectReference<SecretItem>] {
    let found = try search(interaction)
    let locked = found.filter { secret_item_get_locked($0.pointer) != 0 }
    if found.isEmpty {
      guard let collection = try defaultCollection() else {
        throw Self.noDefaultCollection()
      }
      defer { g_object_unref(collection) }
      guard secret_collection_get_locked(collection) != 0 else { return [] }
      guard interaction == .prompt else { throw Self.locked(proven: false) }
      try unlock(UnsafeMutableRawPointer(collection))
      return try search(.prompt)
    }
    if locked.isEmpty { return found }
    guard interaction == .prompt else {
      if locked.count < found.count { return found.filter { secret_item_get_locked($0.pointer) == 0 } }
      throw try lockedItems()
    }
    for item in locked { try unlock(UnsafeMutableRawPointer(item.pointer)) }
    return try search(.prompt)
  }

  private static func noDefaultCollection() -> KeyringError {
    KeyringError(
      .noDefaultCollection,
      "the keyring has no default collection; create one in its settings and make it the default, log in anew"
        + " where it was created just now, or \(KeyringError.withoutKeyring)")
  }

  private static func locked(proven: Bool) -> KeyringError {
    KeyringError(
      .vaultLocked,
      proven
        ? "the key is in the keyring, which is locked; unlock the keyring, or \(letItAsk), and try again"
        : "the keyring is locked, so it is unknown whether it has the key; unlock it, or \(letItAsk),"
          + " and try again")
  }

  /// Advice where a prompt would help: some keyrings stay locked for programs until one lets them ask.
  private static let letItAsk = "let it ask (`--prompt`, `KeyInteraction.prompt`)"

  /// The error for items that are all locked.
  ///
  /// KeePassXC locks the items of its open database for each process until the user has allowed it.
  private func lockedItems() throws -> KeyringError {
    guard let collection = try defaultCollection() else { return Self.locked(proven: true) }
    defer { g_object_unref(collection) }
    if secret_collection_get_locked(collection) != 0 { return Self.locked(proven: true) }
    return KeyringError(
      .vaultLocked,
      "the key is in the keyring, which asks before it hands out the key, or which has locked it;"
        + " \(Self.letItAsk), and try again")
  }

  private func search(
    _ store: UUID, _ interaction: KeyInteraction
  ) throws -> [GObjectReference<SecretItem>] {
    try KeyringSchema.withAttributes(store, nil, nil) { try search($0, interaction) }
  }

  /// The items with these attributes, locked ones too.
  func search(
    _ attributes: OpaquePointer?, _ interaction: KeyInteraction
  ) throws -> [GObjectReference<SecretItem>] {
    // A locked KeePassXC answers a search of the whole service after a prompt, and not before.
    if interaction == .silent { return try searchCollections(attributes) }
    // No schema, so that its name is not matched: a locked keyring that was read from disk does not
    // answer searches by it.
    let list = try GLib.optional("searching the keyring") {
      secret_service_search_sync(service, nil, attributes, SECRET_SEARCH_ALL, cancellable.pointer, $0)
    }
    var items: [GObjectReference<SecretItem>] = []
    var next = list
    while let node = next {
      if let data = node.pointee.data {
        items.append(GObjectReference(owned: data.assumingMemoryBound(to: SecretItem.self)))
      }
      next = node.pointee.next
    }
    g_list_free(list)
    return items
  }

  func unlock(_ object: UnsafeMutableRawPointer) throws {
    let list = g_list_append(nil, object)
    defer { g_list_free(list) }
    var unlocked: UnsafeMutablePointer<GList>?
    var error: UnsafeMutablePointer<GError>?
    let count = secret_service_unlock_sync(service, list, cancellable.pointer, &unlocked, &error)
    g_list_free(unlocked)
    if let error { throw GLib.error(error, "unlocking the keyring") }
    if count < 1 {
      throw KeyringError(.promptDismissed, "the keyring was not unlocked; unlock it and try again")
    }
  }

  // MARK: Reading

  private func storedKey(
    _ item: GObjectReference<SecretItem>, _ store: UUID, _ vault: SecretServiceVault
  ) throws -> StoredKey {
    let loaded = try GLib.flag("reading a key") {
      secret_item_load_secret_sync(item.pointer, cancellable.pointer, $0)
    }
    guard loaded, let value = secret_item_get_secret(item.pointer) else {
      throw KeyringError(.itemDamaged, "an item of the keyring has no secret")
    }
    defer { secret_value_unref(UnsafeMutableRawPointer(value)) }
    let attributes = secret_item_get_attributes(item.pointer)
    defer { g_hash_table_unref(attributes) }
    return StoredKey(
      identifier: KeyringSchema.identifier(attributes), store: store,
      key: try KeyringSchema.key(value, store),
      created: Date(timeIntervalSince1970: Double(secret_item_get_created(item.pointer))), in: vault)
  }

  // MARK: Writing

  func prepareDefaultCollection(_ interaction: KeyInteraction) throws {
    guard let collection = try defaultCollection() else {
      throw Self.noDefaultCollection()
    }
    defer { g_object_unref(collection) }
    if secret_collection_get_locked(collection) == 0 { return }
    guard interaction == .prompt else { throw Self.locked(proven: false) }
    try unlock(UnsafeMutableRawPointer(collection))
  }

  func add(
    _ key: StoreKey, _ store: UUID, _ identifier: KeyIdentifier, application: String, label: String,
    interaction: KeyInteraction
  ) throws {
    try prepareDefaultCollection(interaction)
    let isStored = try KeyringSchema.with { schema in
      try KeyringSchema.withAttributes(store, identifier, application) { attributes in
        try KeyringSchema.withValue(key, store) { value in
          try GLib.flag("storing a key") {
            secret_service_store_sync(
              service, schema, attributes, "default", label.filter { !$0.isNewline }, value,
              cancellable.pointer, $0)
          }
        }
      }
    }
    if !isStored { throw KeyringError(.storageFailed, "the keyring did not store the key") }
    writeToDisk()
  }

  func remove(_ store: UUID, _ identifier: KeyIdentifier, interaction: KeyInteraction) throws {
    if interaction == .prompt { _ = try items(store, interaction: .prompt) }
    try KeyringSchema.withAttributes(store, identifier, nil) {
      try remove($0, interaction, "removing a key")
    }
  }
}
