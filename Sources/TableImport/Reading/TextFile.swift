import CipherDatabase
import Foundation
import Glibc

/// A text file read piece by piece.
final class TextFile {
  let path: String
  private let descriptor: Int32
  private let before: [Int]
  private var buffer = [UInt8](repeating: 0, count: 1 << 18)
  private var isFirst = true

  /// The most bytes of a row, which is in memory as a whole.
  static let mostBytes = 64 << 20

  init(_ url: URL) throws(TableImportError) {
    path = url.path
    var status = stat()
    guard stat(path, &status) == 0 else {
      throw TableImportError(.fileMissing, "there is no file at \(path); check the path")
    }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw TableImportError(.unknownFormat, "\(path) is no file; name a file")
    }
    guard status.st_size > 0 else { throw TableImportError(.fileEmpty, "the file at \(path) has no bytes") }
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      throw TableImportError(.other, "\(path) cannot be read; check its owner and mode")
    }
    before = Self.state(path)
  }

  deinit { Glibc.close(descriptor) }

  /// Gives a body each piece in turn, without the byte order mark.
  /// - Throws: `TableImportError`; what the body throws; `CipherError` `interrupted` when the task is
  ///   cancelled.
  func each(_ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    while true {
      if Task.isCancelled { throw CipherError(.interrupted, "cancelled") }
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      guard count >= 0 else {
        throw TableImportError(.other, "\(path) cannot be read to its end; check the disk")
      }
      if count == 0 { break }
      try buffer.withUnsafeBytes { all in
        var piece = all[..<count]
        if isFirst {
          isFirst = false
          if ByteOrderMark.isUTF16(piece) {
            throw TableImportError(
              .wrongEncoding, "\(path) is UTF-16; convert it: iconv -f UTF-16 -t UTF-8 FILE")
          }
          if piece.starts(with: ByteOrderMark.utf8) { piece = piece.dropFirst(ByteOrderMark.utf8.count) }
        }
        try body(UnsafeRawBufferPointer(rebasing: piece))
      }
    }
    guard before == Self.state(path) else {
      throw TableImportError(.busy, "another program wrote to \(path) meanwhile; try again")
    }
  }

  private static func state(_ path: String) -> [Int] {
    var status = stat()
    guard stat(path, &status) == 0 else { return [] }
    return [Int(status.st_size), Int(status.st_mtim.tv_sec), Int(status.st_mtim.tv_nsec), Int(status.st_ino)]
  }
}
