import Foundation
import Glibc

/// Guesses what a file is that no key opens, from its first bytes and its size.
enum ForeignFile {
  private static let archives: [[UInt8]] = [
    [0x50, 0x4B, 3, 4], [0x1F, 0x8B, 8], [0xFD, 0x37, 0x7A, 0x58, 0x5A], [0x28, 0xB5, 0x2F, 0xFD],
    [0x42, 0x5A, 0x68, 0x39], [0x37, 0x7A, 0xBC, 0xAF],
  ]
  private static let journals: [[UInt8]] = [
    [0x37, 0x7F, 6, 0x82], [0x37, 0x7F, 6, 0x83], [0xD9, 0xD5, 5, 0xF9, 0x20, 0xA1, 0x63, 0xD7],
  ]

  /// Why a file is not a store, or may not be one; nil when it looks like a store.
  ///
  /// `isCertain` is true when no other cause is possible.
  ///
  /// - `hasKey`: Whether a key for the file was found or may exist.
  static func reason(_ path: String, hasKey: Bool) -> (text: String, isCertain: Bool)? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    if status.st_mode & S_IFMT == S_IFDIR { return ("\(path) is a folder, not a store", true) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      return ("\(path) is not a regular file, so it is not a store", true)
    }
    let head = head(path)
    if let kind = kind(head) { return ("\(path) \(kind)", true) }
    if hasKey { return nil }
    let size = Int(status.st_size)
    if size < 4096 {
      return ("\(path) is shorter than one page, so it is not a store, or it was truncated", false)
    }
    if size % 4096 != 0, access(path + "-wal", F_OK) != 0 { return (odd(path, size), false) }
    return (
      "\(path) looks like a store whose key is stored elsewhere, or like an encrypted database of another"
        + " program; without the key these cannot be distinguished", false
    )
  }

  private static func odd(_ path: String, _ size: Int) -> String {
    size % 1024 == 0
      ? "\(path) may be an encrypted database of another program, with pages of 1024 or 2048 bytes; a"
        + " store has pages of 4096 bytes, so it is not a store, or it was truncated"
      : "\(path) has \(size) bytes, not a whole number of pages: it is not a store, or it was truncated"
  }

  /// Whether a file is text: a model as XML or JSON.
  static func isText(_ path: String) -> Bool { isText(head(path)) }

  private static func head(_ path: String) -> [UInt8] {
    var status = stat()
    // Opening a FIFO blocks until another process writes to it.
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      let file = FileHandle(forReadingAtPath: path), let data = try? file.read(upToCount: 4096)
    else {
      return []
    }
    return Array(data)
  }

  private static func kind(_ head: [UInt8]) -> String? {
    if head.isEmpty { return nil }
    if head.starts(with: Array("SQLite format 3\0".utf8)) { return nil }
    if journals.contains(where: { head.starts(with: $0) }) {
      return "is a log or journal of an SQLite database, not a store"
    }
    if archives.contains(where: { head.starts(with: $0) }) {
      return "is a compressed file or an archive, not a store"
    }
    if head.starts(with: [0x7F, 0x45, 0x4C, 0x46]) { return "is a program, not a store" }
    if isText(head) { return "is text, not a store" }
    return isEncrypted(head)
      ? nil : "is not a store: its bytes are not random enough to be encrypted"
  }

  private static func isText(_ head: [UInt8]) -> Bool {
    // The head may end within a character.
    guard !head.isEmpty, !head.contains(where: { $0 < 9 || ($0 > 13 && $0 < 32 && $0 != 27) }) else {
      return false
    }
    return (0..<4).contains { String(validating: head.dropLast($0), as: UTF8.self) != nil }
  }

  /// Whether bytes look encrypted, that is, every byte value occurs about equally often: the
  /// chi-squared sum lies within nine standard deviations of the expected one.
  ///
  /// Heads shorter than 2,048 bytes count as encrypted.
  private static func isEncrypted(_ head: [UInt8]) -> Bool {
    guard head.count >= 2048 else { return true }
    var counts = [Double](repeating: 0, count: 256)
    for byte in head { counts[Int(byte)] += 1 }
    let expected = Double(head.count) / 256
    let chiSquare = counts.reduce(0) { $0 + ($1 - expected) * ($1 - expected) / expected }
    return chiSquare < 255 + 9 * (2 * 255).squareRoot()
  }
}
