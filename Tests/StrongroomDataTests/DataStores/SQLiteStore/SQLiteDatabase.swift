import CSQLCipher
import Foundation

/// A plain SQLite file: SQLCipher's library without a key.
final class SQLiteDatabase {
  struct Failure: Error { let message: String }
  private var handle: OpaquePointer?
  private let trace: @Sendable (String) -> Void
  private var failure: Failure { Failure(message: String(cString: sqlite3_errmsg(handle))) }

  init(_ url: URL, trace: @escaping @Sendable (String) -> Void) throws {
    self.trace = trace
    guard sqlite3_open(url.path, &handle) == SQLITE_OK else { throw failure }
  }

  deinit { sqlite3_close(handle) }

  /// Runs a statement, with NULL for nil, and returns the first column of each row.
  @discardableResult
  func run(_ sql: String, _ values: [SQLValue?] = []) throws -> [String] {
    trace(sql)
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else { throw failure }
    for case (let index, let value?) in zip(Int32(1)..., values) { value.bind(to: statement, at: index) }
    var found: [String] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      found.append(String(cString: sqlite3_column_text(statement, 0)))
    }
    // Says how the last step ended.
    guard sqlite3_finalize(statement) == SQLITE_OK else { throw failure }
    return found
  }

  func transaction(_ body: () throws -> Void) throws {
    try run("BEGIN IMMEDIATE")
    defer { _ = try? run("ROLLBACK") }  // Nothing after a commit.
    try body()
    try run("COMMIT")
  }
}

/// What a Swift value is in a column, and in a condition: what it is in JSON; nothing for nil.
enum SQLValue: Decodable {
  case integer(Int64), real(Double), text(String)

  init(from decoder: any Decoder) throws {
    let json = try decoder.singleValueContainer()
    if let number = (try? json.decode(Int64.self)) ?? (try? json.decode(Bool.self)).map({ $0 ? 1 : 0 }) {
      self = .integer(number)
    } else if let number = try? json.decode(Double.self) {
      self = .real(number)
    } else {
      // Of an identifier the primary key, as JSON. Other objects, and lists, are not compared.
      self = .text((try? json.decode(String.self)) ?? (try? json.decode([String: String].self))?["key"] ?? "")
    }
  }

  static func of(_ value: some Encodable) throws -> SQLValue? {
    try JSONDecoder().decode([SQLValue?].self, from: JSONEncoder().encode([value]))[0]
  }

  func bind(to statement: OpaquePointer?, at index: Int32) {
    let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    switch self {
    case .integer(let number): sqlite3_bind_int64(statement, index, number)
    case .real(let number): sqlite3_bind_double(statement, index, number)
    case .text(let text): sqlite3_bind_text(statement, index, text, Int32(text.utf8.count), transient)
    }
  }
}
