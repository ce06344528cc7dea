import CipherDatabase
import Foundation
import Glibc
import StoreContract

/// What can be told of a store's file without its key.
enum StoreFile {
  enum State {
    case missing, empty, plaintext, tooShort
    case store(UUID)

    /// Why a file in this state cannot be opened.
    func refusal(_ path: String) -> StoreError {
      switch self {
      case .missing: StoreError(.fileMissing, "there is no store at \(path); check the path")
      case .empty:
        StoreError(
          .fileEmpty,
          "the file at \(path) is empty, so its data is gone or it never was a store; restore a copy")
      case .plaintext:
        StoreError(
          .fileIsPlaintext,
          "the file at \(path) is an unencrypted SQLite database; `strongroom encrypt` makes a store of one")
      case .tooShort, .store:
        StoreError(
          .fileTruncated, "the file at \(path) is cut off: it is shorter than one page; restore a copy")
      }
    }
  }

  static func state(_ path: String) throws -> State {
    guard FileManager.default.fileExists(atPath: path) else { return .missing }
    let header: [UInt8]
    var status = stat()
    do {
      header = try OpenFiles.head(path, 16)
    } catch {
      throw StoreError(
        .notWritable, "the file at \(path) cannot be read; check its owner and mode", cause: error)
    }
    let size = stat(path, &status) == 0 ? status.st_size : 0
    if size == 0 { return .empty }
    if header.starts(with: Array("SQLite format 3".utf8)) { return .plaintext }
    if size < 512 { return .tooShort }
    return .store(UUID(uuid: header.withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }))
  }

  /// Checked before a key is made, so that a place that cannot take a file leaves no key behind.
  static func checkWritable(_ path: String) throws {
    var directory = URL(fileURLWithPath: path).deletingLastPathComponent()
    while !FileManager.default.fileExists(atPath: directory.path), directory.path != "/" {
      directory.deleteLastPathComponent()
    }
    if !FileManager.default.isWritableFile(atPath: directory.path) {
      throw StoreError(.notWritable, "\(directory.path) cannot be written to; check its owner and mode")
    }
  }
}
