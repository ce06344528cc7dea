import CLibSecret
import Foundation
import StoreKeyring

/// What the keyring of a session is, and whether keys can be read from it and added to it.
package struct SecretServiceCondition: Sendable {
  /// The program that answers, as the kernel names it; nil where it does not say.
  package let program: String?
  /// The label of the collection that new keys are added to; nil where there is none.
  package let collection: String?
  /// Whether that collection is locked.
  package let isLocked: Bool
}

extension SecretServiceVault {
  /// Has GLib and libsecret print nothing, as they do of keyrings that answer oddly: errors say what there
  /// is to say.
  ///
  /// For the whole process, so it is for programs alone. `G_MESSAGES_DEBUG` keeps the messages.
  package static func dropLibraryMessages() {
    if ProcessInfo.processInfo.environment["G_MESSAGES_DEBUG"] != nil { return }
    g_log_set_writer_func({ _, _, _, _ in G_LOG_WRITER_HANDLED }, nil, nil)
  }

  /// Asks the keyring of the session, and changes nothing in it: no prompt is shown.
  /// - Returns: Its condition; nil where libsecret's own file takes its place.
  /// - Throws: `KeyringError` with code `noSessionBus`, `noSecretService`, `vaultUnreachable` or `timedOut`.
  package func condition() async throws -> SecretServiceCondition? {
    if SecretFileSession.isChosen { return nil }
    return try await BoundedCall.run(within: deadline) { try SecretSession($0).condition() }
  }
}

extension SecretSession {
  fileprivate func condition() throws -> SecretServiceCondition {
    guard let collection = try defaultCollection() else {
      return SecretServiceCondition(program: program, collection: nil, isLocked: false)
    }
    defer { g_object_unref(collection) }
    let label = secret_collection_get_label(collection)
    defer { g_free(label) }
    return SecretServiceCondition(
      program: program, collection: label.map { String(cString: $0) } ?? "",
      isLocked: secret_collection_get_locked(collection) != 0)
  }
}
