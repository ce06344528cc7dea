import Foundation
import Glibc

/// One line of a log; what it has no value for is left out.
///
/// The judge has what each means.
struct Line: Codable {
  var at = Playground.now
  var begin: String?
  var end: String?
  var kind: String?
  var group: Int?
  var groups: [Int]?
  var id: Int64?
  /// Objects that are inserted.
  var inserts: Int?
  /// Objects, each with the value that was read before.
  var updates: [Row]?
  var deletes: [Row]?
  var outcome: String?
  var text: String?
  var rows: [Row]?
  var ids: [Int64]?
  var count: Int?
  var seen: [Transaction]?
  var token: Data?

  struct Row: Codable {
    let id: Int64
    let value: String
  }

  /// A transaction of the history, with the number of each object and what was done to it.
  struct Transaction: Codable {
    let number: Int64
    let author: String?
    let changes: [[Int64]]
  }
}

/// A file that each line is appended to by one write, so that a kill leaves whole lines and at most a piece
/// of the last.
struct LogFile {
  private let descriptor: Int32
  private let encoder = JSONEncoder()

  init(_ url: URL) throws {
    descriptor = open(url.path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    if descriptor < 0 { throw CocoaError(.fileWriteUnknown) }
  }

  func append(_ line: some Encodable) throws {
    var data = try encoder.encode(line)
    data.append(UInt8(ascii: "\n"))
    let written = data.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    if written != data.count { throw CocoaError(.fileWriteUnknown) }
  }

  /// The last whole line of a file that has what is asked for.
  static func last<T>(_ url: URL, _ find: (Line) -> T?) throws -> T? {
    let text = try String(decoding: Data(contentsOf: url), as: UTF8.self)
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    // What follows the last end of a line is a piece of one.
    lines.removeLast()
    for line in lines.reversed() {
      if let found = find(try JSONDecoder().decode(Line.self, from: Data(line.utf8))) { return found }
    }
    return nil
  }
}
