import CLibSecret
import Foundation
import StoreKeyring

extension SecretSession {
  func head(_ store: UUID, interaction: KeyInteraction) throws -> String? {
    let found = try KeyringSchema.withHead(store) { try search($1, interaction) }
    guard let item = found.first else { return nil }
    if secret_item_get_locked(item.pointer) != 0 {
      guard interaction == .prompt else {
        throw KeyringError(
          .vaultLocked, "the history head is in the keyring, which is locked; unlock it and try again")
      }
      try unlock(UnsafeMutableRawPointer(item.pointer))
    }
    let loaded = try GLib.flag("reading a history head") {
      secret_item_load_secret_sync(item.pointer, cancellable.pointer, $0)
    }
    guard loaded, let value = secret_item_get_secret(item.pointer) else {
      throw KeyringError(.itemDamaged, "an item of the keyring has no secret")
    }
    defer { secret_value_unref(UnsafeMutableRawPointer(value)) }
    return KeyringSchema.text(value)
  }

  func setHead(_ text: String, _ store: UUID, label: String, interaction: KeyInteraction) throws {
    try prepareDefaultCollection(interaction)
    let isStored = try KeyringSchema.withHead(store) { schema, attributes in
      try KeyringSchema.withValue(text) { value in
        try GLib.flag("storing a history head") {
          secret_service_store_sync(
            service, schema, attributes, "default", label.filter { !$0.isNewline }, value,
            cancellable.pointer, $0)
        }
      }
    }
    if !isStored { throw KeyringError(.storageFailed, "the keyring did not store the history head") }
  }
}
