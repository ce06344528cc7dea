import CipherDatabase
import Foundation
import Glibc
import StoreContract

/// What a store's file shows without its key.
enum StoreFile {
  enum State {
    /// With the path at which a store can be made.
    case missing(String)
    case empty(DatabaseFile), plaintext(DatabaseFile), tooShort
    case store(DatabaseFile, UUID)

    /// Why a file in this state cannot be opened.
    func refusal(_ path: String) -> StoreError {
      switch self {
      case .missing: StoreError(.fileMissing, "there is no store at \(path); check the path")
      case .empty:
        StoreError(
          .fileEmpty,
          "the file at \(path) is empty, so its data was lost or it never was a store; restore a copy")
      case .plaintext:
        StoreError(
          .fileIsPlaintext,
          "the file at \(path) is an unencrypted SQLite database; `strongroom encrypt` makes a store of one"
            + " that"
            + " `strongroom decrypt` made, and `strongroom import` of one of Core Data's")
      case .tooShort, .store:
        StoreError(
          .fileTruncated, "the file at \(path) is cut off: it is shorter than one page; restore a copy")
      }
    }
  }

  /// Inspects the file at a path, and opens it with a shared lock.
  /// - Throws: `StoreError`: `fileMissing` for a dangling link, `busy`, `notWritable`.
  static func state(_ path: String, waiting milliseconds: Int) throws -> State {
    do throws(CipherError) {
      let file = try DatabaseFile(path, waiting: milliseconds)
      let header = try file.head(16)
      let size = file.size
      if size == 0 { return .empty(file) }
      if header.starts(with: Array("SQLite format 3".utf8)) { return .plaintext(file) }
      if size < 512 { return .tooShort }
      return .store(file, UUID(uuid: header.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }))
    } catch  where error.code == .fileIsMissing {
      return .missing(try translating(path) { try FilePath.resolvedForCreation(path) })
    } catch  where error.code == .cannotOpen {
      throw StoreError(
        .notWritable, "the file at \(path) cannot be read; check its owner and mode", cause: error)
    } catch {
      throw StoreError(error, path: path)
    }
  }

  /// Opens the file of the store that a description names, with a shared lock.
  /// - Throws: `StoreError` for what is no store.
  static func store(_ description: PersistentStoreDescription) throws -> (file: DatabaseFile, store: UUID) {
    let path = description.url?.path ?? ""
    let state = try state(path, waiting: description.busyTimeoutMilliseconds)
    guard case .store(let file, let identifier) = state else { throw state.refusal(path) }
    return (file, identifier)
  }

  /// Checked before a key is made, so that a directory that cannot be written to leaves no key
  /// behind.
  static func checkWritable(_ path: String) throws {
    var directory = URL(fileURLWithPath: path).deletingLastPathComponent()
    while !FileManager.default.fileExists(atPath: directory.path), directory.path != "/" {
      directory.deleteLastPathComponent()
    }
    if !FileManager.default.isWritableFile(atPath: directory.path) {
      throw StoreError(.notWritable, "\(directory.path) cannot be written to; check its owner and mode")
    }
  }

  /// How a file can be opened: on a read-only medium, SQLite can neither lock a file nor make a
  /// log.
  /// - Throws: `notWritable` when a log beside such a file has what is not in the file.
  static func access(
    _ file: DatabaseFile, isReadOnly: Bool
  ) throws -> ConnectionOptions.Access {
    guard isReadOnly || Glibc.access(file.path, W_OK) != 0 else { return .readWrite }
    guard FilePath.isOnReadOnlyMedium(file.path) else { return .readOnly }
    for suffix in ["-wal", "-journal"] {
      var status = stat()
      guard lstat(file.path + suffix, &status) != 0 || status.st_size == 0 else {
        throw StoreError(
          .notWritable,
          "the last saves of the store at \(file.path) are in \(file.path)\(suffix), which cannot be read"
            + " from a"
            + " medium that is mounted for reading only; copy both files to another one")
      }
    }
    return .immutable
  }
}
