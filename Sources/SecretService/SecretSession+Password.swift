import CLibSecret
import StoreKeyring

extension SecretSession {
  func password(_ account: ServerAccount, interaction: KeyInteraction) throws -> SecretBytes? {
    if let own = try password(account, isOwn: true, interaction) { return own }
    return account.purpose == .password ? try password(account, isOwn: false, interaction) : nil
  }

  private func password(
    _ account: ServerAccount, isOwn: Bool, _ interaction: KeyInteraction
  ) throws -> SecretBytes? {
    let found = try items(interaction) { interaction in
      try KeyringSchema.withPassword(account, isOwn: isOwn) { try search($1, interaction) }
    }
    // An item of a key's passphrase is found too where the purpose is not asked for.
    guard let item = found.first(where: { isOwn || !isOwnItem($0) }) else { return nil }
    let loaded = try GLib.flag("reading a password") {
      secret_item_load_secret_sync(item.pointer, cancellable.pointer, $0)
    }
    guard loaded, let value = secret_item_get_secret(item.pointer) else {
      throw KeyringError(.itemDamaged, "an item of the keyring has no secret")
    }
    defer { secret_value_unref(UnsafeMutableRawPointer(value)) }
    return KeyringSchema.secret(value)
  }

  private func isOwnItem(_ item: GObjectReference<SecretItem>) -> Bool {
    let attributes = secret_item_get_attributes(item.pointer)
    defer { g_hash_table_unref(attributes) }
    return "authtype".withCString { name in
      g_hash_table_lookup(attributes, name).map {
        String(cString: $0.assumingMemoryBound(to: CChar.self)).hasPrefix("strongroom ")
      } ?? false
    }
  }

  func setPassword(
    _ password: SecretBytes, _ account: ServerAccount, label: String, interaction: KeyInteraction
  ) throws {
    try prepareDefaultCollection(interaction)
    let isStored = try KeyringSchema.withPassword(account, isOwn: true) { schema, attributes in
      try KeyringSchema.withValue(password) { value in
        try GLib.flag("storing a password") {
          secret_service_store_sync(
            service, schema, attributes, "default", label.filter { !$0.isNewline }, value,
            cancellable.pointer, $0)
        }
      }
    }
    if !isStored { throw KeyringError(.storageFailed, "the keyring did not store the password") }
    writeToDisk()
  }

  func removePassword(_ account: ServerAccount, interaction: KeyInteraction) throws {
    if interaction == .prompt { _ = try password(account, isOwn: true, .prompt) }
    try KeyringSchema.withPassword(account, isOwn: true) {
      try remove($1, interaction, "removing a password")
    }
  }
}

extension SecretFileSession {
  func password(_ account: ServerAccount, interaction: KeyInteraction) throws -> SecretBytes? {
    try KeyringSchema.withPassword(account, isOwn: true) { schema, attributes in
      var problem: UnsafeMutablePointer<GError>?
      let value = secret_password_lookupv_binary_sync(schema, attributes, cancellable.pointer, &problem)
      if let problem { throw GLib.error(problem, "reading a password") }
      guard let value else { return nil }
      defer { secret_value_unref(UnsafeMutableRawPointer(value)) }
      return KeyringSchema.secret(value)
    }
  }

  func setPassword(
    _ password: SecretBytes, _ account: ServerAccount, label: String, interaction: KeyInteraction
  ) throws {
    let isStored = try KeyringSchema.withPassword(account, isOwn: true) { schema, attributes in
      try KeyringSchema.withValue(password) { value in
        try GLib.flag("storing a password") {
          secret_password_storev_binary_sync(
            schema, attributes, "default", label.filter { !$0.isNewline }, value, cancellable.pointer, $0)
        }
      }
    }
    if !isStored { throw KeyringError(.storageFailed, "libsecret's file did not store the password") }
  }

  func removePassword(_ account: ServerAccount, interaction: KeyInteraction) throws {
    _ = try KeyringSchema.withPassword(account, isOwn: true) { schema, attributes in
      try GLib.flag("removing a password") {
        secret_password_clearv_sync(schema, attributes, cancellable.pointer, $0)
      }
    }
  }
}
