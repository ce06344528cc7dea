import CipherDatabase
import Foundation
import StoreContract
import StoreKeyring

/// The copy of a store that is left beside it when a migration drops data.
///
/// It gets its name as the last step before the commit: a migration that fails leaves none, and one
/// that is killed amid its commit leaves one, which the next removes.
struct PreMigrationCopy {
  private static let most = 3
  private let place: String
  /// Locked, so that no process takes the copy for one that a killed process left.
  private let copy: DatabaseFile
  /// The store's own file, whose log is empty.
  private let original: FileState?
  private var isMade = false

  /// Copies a store, which the caller has alone, under its own key.
  ///
  /// Older copies stay, but for those of the store as it is now; a full set is never added to.
  /// - Throws: `StoreError`: `fileExists` when there are three copies already, `notWritable`,
  ///   `diskFull`; nothing was changed then.
  init(_ access: WholeFileAccess) throws {
    let path = access.path
    original = FileState(of: path)
    for place in Self.places(path) where original?.isNoted(on: place) == true { File.removeDatabase(place) }
    guard let place = Self.places(path).first(where: { !FilePath.isTaken($0) }) else {
      throw StoreError(
        .fileExists,
        "the new version of the model has no place for some of the store's data, and \(Self.most) copies"
          + " from earlier"
          + " migrations lie beside \(path) (\(path).before-migration…); remove those you no longer need;"
          + " nothing was changed"
      )
    }
    self.place = place
    let new = UnfinishedCopy.path(beside: place)
    do {
      let key = try access.cipher.spec
      try Backup.copy(access.connection, to: new, key: key, format: access.format) { _, _ in
        !Task.isCancelled
      }
      copy = try DatabaseFile(new)
    } catch let error as CipherError {
      File.removeDatabase(new)
      throw Self.failure(error, place)
    }
  }

  /// Gives the copy its name, as the last step of the migration's transaction.
  mutating func makePermanent() throws {
    original?.note(on: copy.path)
    do {
      try File.placeDatabase(copy.path, at: place)
    } catch {
      throw Self.failure(error, place)
    }
    isMade = true
  }

  /// Removes the copy where it did not get its name, or got it before the disk was found too full
  /// for the migration.
  func end(failedWith error: (any Error)? = nil) {
    copy.release()
    let isUseless = (error as? CipherError)?.code == .diskFull
    if !isMade || isUseless { File.removeDatabase(isMade ? place : copy.path) }
  }

  private static func failure(_ error: CipherError, _ place: String) -> any Error {
    guard [.readOnlyDirectory, .alreadyExists, .foreignJournal, .cannotOpen].contains(error.code) else {
      return error
    }
    return StoreError(
      .notWritable,
      "the new version of the model has no place for some of the store's data, and the store could not be"
        + " copied to"
        + " \(place) first; nothing was changed", cause: error)
  }

  private static func places(_ path: String) -> [String] {
    (1...most).map { path + ".before-migration" + ($0 == 1 ? "" : "-\($0)") }
  }
}
