import CipherDatabase
import Foundation
import Glibc
import ObjectQuery
import StoreContract

extension StoreError {
  /// What a failure of the database means to a store's user.
  init(_ error: CipherError, path: String) {
    let (code, message): (StoreError.Code, String) =
      switch error.code {
      case .fileIsMissing: (.fileMissing, "there is no store at \(path)")
      case .danglingLink:
        (.fileMissing, "\(path) is a link that leads nowhere; mount what it leads to, or remove the link")
      case .alreadyExists:
        (.fileExists, "there is a file at \(path); move it away, or choose another place")
      case .fileIsEmpty: (.fileEmpty, "the file at \(path) is empty; restore a copy")
      case .fileIsPlaintext:
        (
          .fileIsPlaintext,
          "the file at \(path) is an unencrypted SQLite database; `strongroom encrypt` makes a store of one that"
            + " `strongroom decrypt` made"
        )
      case .wrongKeyOrDamaged:
        (.wrongKey, "the key does not open \(path), or its first page is damaged; try a copy of the file")
      case .damagedPage, .connectionPoisoned:
        (
          .fileDamaged,
          "\(Self.place(error)) is damaged in the store at \(path); nothing more is written; restore a copy"
        )
      case .truncated: (.fileTruncated, "the file at \(path) is cut off; restore a copy")
      case .foreignJournal:
        (.fileDamaged, "\(error.message): it is not the store's own; move it away and open again")
      case .busy:
        (
          .busy,
          "another process, or another connection or pinned context of this program, holds the store at \(path);"
            + " try again when it is done"
        )
      case .fileReplaced:
        (
          .fileReplaced,
          "the file at \(path) was replaced or removed while it was open; nothing was saved; close the store and open it"
            + " again"
        )
      case .otherNames:
        (
          .notWritable,
          "the file at \(path) has another name (a hard link), by which other programs would save past this one; find it with"
            + " `find -samefile`, and remove it, or give it a copy of its own"
        )
      case .formatUnavailable:
        (.cipherFormat, "this libsqlcipher knows no files of SQLCipher 4; do it where version 4 is installed")
      case .interrupted: (.cancelled, "the work on \(path) was cancelled; nothing was changed")
      case .readOnlyDirectory, .cannotOpen:
        (.notWritable, "\(path) or its directory cannot be written to; check owner and mode")
      case .ioError:
        (
          .diskFailed,
          "the disk failed under \(path) (\(error.resultCode)); nothing was saved; look at the disk"
        )
      case .diskFull: (.diskFull, "the disk is full; nothing was saved; make room and save again")
      case .libraryIsNotSQLCipher:
        (
          .notEncrypting,
          "the SQLite library in this process cannot encrypt: a plain libsqlite3 was loaded before libsqlcipher;"
            + " nothing was written"
        )
      case .tooBig: (.invalidValue, "a value, or the values of one object, are longer than the store takes")
      case .constraint: (.notUnique, "a uniqueness constraint would be broken; nothing was saved")
      default: (.other, error.message)
      }
    self.init(code, message, cause: error)
  }
}

extension StoreError {
  fileprivate static func place(_ error: CipherError) -> String {
    switch error.pages.count {
    case 0: "something"
    case 1: "page \(error.pages[0])"
    default: "one of the pages \(error.pages.map(String.init).joined(separator: ", "))"
    }
  }

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
