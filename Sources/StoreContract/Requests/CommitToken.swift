public import Foundation
package import ObjectModel

/// Identifies one save, to find out whether it was stored when its commit failed with an unknown
/// outcome: by an object that it inserted, changed or deleted.
///
/// Numbers are never reused and versions rise with every save, so the object's version answers the
/// question.
public struct CommitToken: Sendable, Hashable, Codable {
  /// The store.
  public let store: UUID
  /// The object's entity.
  public let entityName: String
  /// The object's number.
  public let reference: Int64
  /// The version that the save gave it; nil when it was deleted.
  public let version: Int64?
  /// By what the store has a save refused that is on its way still; nil where none can be.
  package var record: Data?

  /// The token of a write that gave one object a version.
  package init(store: UUID, entity: EntityDescription, reference: Int64, version: Int64) {
    self.store = store
    entityName = entity.name
    self.reference = reference
    self.version = version
  }

  /// The token of a save; nil when the save changed join table rows only.
  package init?(_ save: SaveChangesRequest) {
    let node = save.inserted.first ?? save.updated.first?.node
    guard let id = node?.objectID ?? save.deleted.first?.objectID, let own = id.storeIdentifier else {
      return nil
    }
    store = own
    entityName = id.entity.name
    reference = id.reference
    version = node?.version
  }

  /// Whether the save was stored, by the version that the object has now; nil where it is not there.
  package func isMet(by stored: Int64?) -> Bool {
    guard let version else { return stored == nil }
    return stored.map { $0 >= version } ?? false
  }
}
