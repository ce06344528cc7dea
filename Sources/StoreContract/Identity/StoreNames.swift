package import Foundation

/// The names that a store has for itself and for its objects.
package final class StoreNames: Sendable {
  /// The store's own identifier, which is any text.
  package let storeIdentifier: String
  /// The same where it is a UUID.
  package let uuid: UUID?
  /// Its objects'.
  package let objects = ReferenceObjects()

  package init(storeIdentifier: String) {
    self.storeIdentifier = storeIdentifier
    uuid = UUID(uuidString: storeIdentifier)
  }
}
