public import Foundation

/// What a file of tables is written as.
public enum TableFormat: String, Sendable, Hashable, CaseIterable {
  /// A SQLite database that is not encrypted.
  case sqlite
  /// Lines of values between commas, semicolons or tabs; the first has their names.
  case csv
  /// A JSON object on each line.
  case jsonLines

  /// Finds out what a file is by its first bytes, and by its extension where they could be either.
  ///
  /// - Parameter url: The file.
  /// - Returns: Nil for what is none of them, and where there is no file.
  public static func of(_ url: URL) -> TableFormat? {
    let kind = try? FileManager.default.attributesOfItem(atPath: url.resolvingSymlinksInPath().path)[.type]
    // Opening a FIFO blocks until another process writes to it.
    guard kind as? FileAttributeType == .typeRegular,
      let file = try? FileHandle(forReadingFrom: url), let head = try? file.read(upToCount: 4096)
    else { return nil }
    if head.starts(with: Array("SQLite format 3\0".utf8)) { return .sqlite }
    let mark = head.starts(with: ByteOrderMark.utf8) ? 3 : 0
    let isOtherUnicode = ByteOrderMark.isUTF16(head)
    switch url.pathExtension.lowercased() {
    case "csv", "tsv", "tab": return .csv
    case "jsonl", "ndjson", "json": return .jsonLines
    default: break
    }
    guard !isOtherUnicode, !head.isEmpty, !head.contains(where: { $0 < 9 || ($0 > 13 && $0 < 32) }),
      (0..<4).contains(where: { String(validating: head.dropLast($0), as: UTF8.self) != nil })
    else { return nil }
    let first = head.dropFirst(mark).first { $0 > 32 }
    if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") { return .jsonLines }
    let line = head.prefix { $0 != 10 }
    return line.contains { CSVReader.separators.contains($0) } ? .csv : nil
  }
}

/// How a text begins that is not plain UTF-8: with a mark, or as UTF-16 without one.
enum ByteOrderMark {
  static let utf8: [UInt8] = [0xEF, 0xBB, 0xBF]

  static func isUTF16(_ head: some Collection<UInt8>) -> Bool {
    if head.starts(with: [0xFF, 0xFE]) || head.starts(with: [0xFE, 0xFF]) { return true }
    // Two letters of ASCII.
    let zeros = head.prefix(4).map { $0 == 0 }
    return zeros == [true, false, true, false] || zeros == [false, true, false, true]
  }
}
