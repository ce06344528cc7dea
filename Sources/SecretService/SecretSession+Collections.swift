import CLibSecret
import StoreKeyring

extension SecretSession {
  /// The items with these attributes in every collection, locked ones too, without any prompt.
  func searchCollections(_ attributes: OpaquePointer?) throws -> [GObjectReference<SecretItem>] {
    var items: [GObjectReference<SecretItem>] = []
    for path in try collectionPaths() {
      let collection = GObjectReference(
        owned: try GLib.call("reading a collection of the keyring") {
          secret_collection_new_for_dbus_path_sync(
            service, path, SECRET_COLLECTION_NONE, cancellable.pointer, $0)
        })
      // No schema, for the reason in `search`.
      let paths = try GLib.optional("searching the keyring") {
        secret_collection_search_for_dbus_paths_sync(
          collection.pointer, nil, attributes, cancellable.pointer, $0)
      }
      defer { g_strfreev(paths) }
      var next = paths
      while let item = next?.pointee {
        items.append(
          GObjectReference(
            owned: try GLib.call("reading an item of the keyring") {
              secret_item_new_for_dbus_path_sync(service, item, SECRET_ITEM_NONE, cancellable.pointer, $0)
            }))
        next = next?.advanced(by: 1)
      }
    }
    return items
  }

  /// The paths of all collections as they are now; libsecret's own list may be of an earlier time.
  private func collectionPaths() throws -> [String] {
    let owner = g_dbus_proxy_get_name(proxy).map { String(cString: $0) } ?? "org.freedesktop.secrets"
    let answer = try call(
      "asking for the keyring's collections", owner, "/org/freedesktop/secrets",
      "org.freedesktop.DBus.Properties", "Get",
      [g_variant_new_string("org.freedesktop.Secret.Service"), g_variant_new_string("Collections")])
    defer { g_variant_unref(answer) }
    guard let boxed = g_variant_get_child_value(answer, 0) else { return [] }
    defer { g_variant_unref(boxed) }
    guard let list = g_variant_get_variant(boxed) else { return [] }
    defer { g_variant_unref(list) }
    guard String(cString: g_variant_get_type_string(list)) == "ao" else {
      throw KeyringError(.vaultUnreachable, "the keyring's list of collections is none")
    }
    return (0..<g_variant_n_children(list)).compactMap { index in
      guard let path = g_variant_get_child_value(list, index) else { return nil }
      defer { g_variant_unref(path) }
      return String(cString: g_variant_get_string(path, nil))
    }
  }

  /// Removes the items with these attributes.
  /// - Throws: `vaultLocked` where one is locked and no prompt is allowed.
  func remove(_ attributes: OpaquePointer?, _ interaction: KeyInteraction, _ doing: String) throws {
    if interaction == .prompt {
      _ = try GLib.flag(doing) {
        secret_service_clear_sync(service, nil, attributes, cancellable.pointer, $0)
      }
      return
    }
    for item in try searchCollections(attributes) {
      guard secret_item_get_locked(item.pointer) == 0 else {
        throw KeyringError(
          .vaultLocked, "\(doing): the keyring is locked, so nothing was removed; unlock it and try again")
      }
      _ = try GLib.flag(doing) { secret_item_delete_sync(item.pointer, cancellable.pointer, $0) }
    }
  }
}
