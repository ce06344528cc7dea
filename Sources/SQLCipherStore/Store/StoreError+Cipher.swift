import CipherDatabase
import Foundation
import Glibc
import ObjectQuery
import StoreContract

extension StoreError {
  /// What a failure of the database means to a store's user.
  init(_ error: CipherError, path: String) {
    let (code, message) =
      error.meaningForFile(path) ?? error.meaningForContents(path) ?? error.meaningForSystem(path)
      ?? (.other, error.message)
    self.init(code, message, cause: error)
  }
}

extension CipherError {
  fileprivate typealias Meaning = (code: StoreError.Code, message: String)

  /// What is wrong with the file itself: its name, its size or its kind.
  fileprivate func meaningForFile(_ path: String) -> Meaning? {
    switch code {
    case .fileIsMissing: (.fileMissing, "there is no store at \(path)")
    case .danglingLink:
      (
        .fileMissing,
        "\(path) is a symbolic link to a file that does not exist; mount its file system, or remove the link"
      )
    case .alreadyExists: (.fileExists, "there is a file at \(path); move it away, or choose another path")
    case .fileIsEmpty: (.fileEmpty, "the file at \(path) is empty; restore a copy")
    case .fileIsPlaintext:
      (
        .fileIsPlaintext,
        "the file at \(path) is an unencrypted SQLite database; `strongroom encrypt` makes a store of one"
          + " that"
          + " `strongroom decrypt` made"
      )
    case .truncated: (.fileTruncated, "the file at \(path) is cut off; restore a copy")
    case .fileReplaced:
      (
        .fileReplaced,
        "the file at \(path) was replaced or removed while it was open; nothing was saved; close the store"
          + " and"
          + " open it again"
      )
    case .otherNames:
      (
        .notWritable,
        "the file at \(path) has another name (a hard link), by which other programs would save past this"
          + " one;"
          + " find it with `find -samefile`, and remove it, or give it a copy of its own"
      )
    default: nil
    }
  }

  /// What is wrong with the key, the pages or the values.
  fileprivate func meaningForContents(_ path: String) -> Meaning? {
    switch code {
    case .wrongKeyOrDamaged:
      (.wrongKey, "the key does not open \(path), or its first page is damaged; try a copy of the file")
    case .damagedPage, .connectionPoisoned:
      (
        .fileDamaged,
        "\(damagedPart) is damaged in the store at \(path); nothing more is written; restore a copy"
      )
    case .foreignJournal:
      (.fileDamaged, "\(message): it is not the store's own; move it away and open again")
    case .formatUnavailable:
      (.cipherFormat, "this libsqlcipher knows no files of SQLCipher 4; do it where version 4 is installed")
    case .libraryIsNotSQLCipher:
      (
        .notEncrypting,
        "the SQLite library in this process cannot encrypt: a plain libsqlite3 was loaded before"
          + " libsqlcipher;"
          + " nothing was written"
      )
    case .tooBig: (.invalidValue, "a value, or the values of one object, are longer than the store takes")
    case .constraint: (.notUnique, "a uniqueness constraint would be broken; nothing was saved")
    default: nil
    }
  }

  /// What the system or other users of the file did not allow.
  fileprivate func meaningForSystem(_ path: String) -> Meaning? {
    switch code {
    case .busy:
      (
        .busy,
        "another process, or another connection or pinned context of this program, uses the store at \(path);"
          + " try again when it is done"
      )
    case .busyForReader: (.busy, message)
    case .interrupted: (.cancelled, "the work on \(path) was cancelled; nothing was changed")
    case .readOnlyDirectory, .cannotOpen:
      (.notWritable, "\(Self.unwritable(path)) cannot be written to; check owner and mode")
    case .ioError:
      (.diskFailed, "the disk failed under \(path) (\(resultCode)); nothing was saved; check the disk")
    case .diskFull: (.diskFull, "the disk is full; nothing was saved; make room and save again")
    default: nil
    }
  }

  /// Of a store's file and those beside it, the first that cannot be written to.
  private static func unwritable(_ path: String) -> String {
    let files = ["", "-wal", "-shm", "-journal"].map { path + $0 }
    return files.first { access($0, F_OK) == 0 && access($0, W_OK) != 0 } ?? "\(path) or its directory"
  }

  private var damagedPart: String {
    switch pages.count {
    case 0: "something"
    case 1: "page \(pages[0])"
    default: "one of the pages \(pages.map(String.init).joined(separator: ", "))"
    }
  }
}

extension StoreError {
  /// Whether Foundation failed to write for want of room.
  static func isOfFullDisk(_ error: any Error) -> Bool {
    let error = error as NSError
    if error.domain == NSPOSIXErrorDomain { return [Int(ENOSPC), Int(EDQUOT)].contains(error.code) }
    if error.domain == NSCocoaErrorDomain, error.code == CocoaError.Code.fileWriteOutOfSpace.rawValue {
      return true
    }
    return (error.userInfo[NSUnderlyingErrorKey] as? any Error).map(isOfFullDisk) ?? false
  }
}

/// Runs work on the database at a path with its errors turned into the store's.
func translating<R>(_ path: String, _ body: () throws -> R) throws -> R {
  do {
    return try body()
  } catch let error as CipherError {
    // What a function of ours throws, SQL passes on as text.
    if error.message == TextPattern.tooComplex.message { throw TextPattern.tooComplex }
    throw StoreError(error, path: path)
  }
}
