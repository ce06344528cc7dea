import CipherDatabase
import Foundation
import StoreContract
import StoreKeyring

/// The copy of a store that is left beside it when a migration is about to drop data.
struct MigrationKeepsake {
  private let access: StoreAccess
  private let path: String
  private static let most = 3

  init(_ access: StoreAccess, _ description: PersistentStoreDescription) {
    self.access = access
    path = description.originalURL?.path ?? access.path
  }

  /// Copies the store under its own key. Older copies stay; a full set is never added to.
  /// - Throws: `StoreError`: `fileExists` when there are three copies already, `notWritable`, `diskFull`; nothing was changed then.
  func make() throws {
    guard let place = Self.places(path).first(where: { !FilePath.isTaken($0) }) else {
      throw StoreError(
        .fileExists,
        "the new version of the model has no place for some of the store's data, and \(Self.most) copies from earlier"
          + " migrations lie beside \(path) (\(path).before-migration…); remove those you no longer need; nothing was changed"
      )
    }
    let new = UnfinishedCopy.path(beside: place)
    defer { File.removeDatabase(new) }
    do {
      let key = try CipherKeySpec(access.key, store: access.store)
      try Backup.copy(access.connection, to: new, key: key, format: access.format) { _, _ in !Task.isCancelled
      }
      try File.placeDatabase(new, at: place)
    } catch let error as CipherError where error.code != .diskFull {
      throw StoreError(
        .notWritable,
        "the new version of the model has no place for some of the store's data, and the store could not be copied to"
          + " \(place) first; nothing was changed", cause: error)
    }
  }

  private static func places(_ path: String) -> [String] {
    (1...most).map { path + ".before-migration" + ($0 == 1 ? "" : "-\($0)") }
  }
}
