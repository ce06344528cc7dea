import CipherDatabase
import Foundation

/// Opens encrypted files in a process of its own.
///
/// - `cipher-probe PATH` makes a file and writes a row; prints `made`, or the code of the refusal.
/// - `cipher-probe lock PATH` tries to have a file of the same key to itself; prints `locked`, or the
///   code of the refusal.
/// - `cipher-probe open PATH` opens it and prints `opened`, or the code of the refusal.
/// - `cipher-probe values PATH` binds, reads and writes values of every kind that
///   `STRONGROOM_SQL_DEBUG` must not print.
@main
struct CipherProbe {
  static func main() throws {
    let arguments = CommandLine.arguments
    let locks = arguments[1] == "lock"
    let opens = arguments[1] == "open"
    let usesValues = arguments[1] == "values"
    var options = ConnectionOptions()
    options.createIfMissing = !locks && !opens
    options.busyTimeoutMilliseconds = 50
    let key = [UInt8](repeating: 7, count: 32)
    let salt = [UInt8](repeating: 9, count: 16)
    do {
      let spec = try key.withUnsafeBytes { key in
        try salt.withUnsafeBytes { try CipherKeySpec(key: key, salt: $0) }
      }
      let connection = try Connection(
        path: arguments[locks || opens || usesValues ? 2 : 1], key: spec, options: options)
      if usesValues {
        try useValues(connection)
      } else if locks {
        try connection.lockExclusively()
      } else if !opens {
        try connection.execute("CREATE TABLE secret (value TEXT); INSERT INTO secret VALUES ('readable?')")
      }
      connection.close()
      print(usesValues ? "used" : locks ? "locked" : opens ? "opened" : "made")
    } catch let error as CipherError {
      print(error.code.rawValue)
    }
  }

  private static func useValues(_ connection: Connection) throws {
    try connection.execute("CREATE TABLE \"it's\" (a, b)")
    try connection.execute("INSERT INTO \"it's\" VALUES ('confidential', x'636f6e666964656e7469616c')")
    let insertion = try connection.cached("INSERT INTO \"it's\"\n  VALUES (?1, ?2)")
    for number in 0..<2 {
      insertion.bind(1, "confi'dential \(number)")
      Array("confidential".utf8).withUnsafeBytes { insertion.bind(2, blob: $0, copy: true) }
      try insertion.run()
    }
    insertion.bind(1, Int64(424_242))
    insertion.bind(2, Double(4.25))
    try insertion.run()
    insertion.bindNull(1)
    insertion.bind(2, blob: UnsafeRawBufferPointer(start: nil, count: 0), copy: true)
    try insertion.run()
    let pair = try connection.cached("SELECT ?, 'x', ?, ?2, ?, \"it's\".a FROM \"it's\" LIMIT 0")
    for index in 1...3 { pair.bind(Int32(index), Int64(424_242)) }
    try pair.run()
    let selection = try connection.cached("SELECT a FROM \"it's\" WHERE a LIKE ?1 AND a <> 'confidential'")
    selection.bind(1, "confi%")
    var rows = 0
    while try selection.step() { rows += 1 }
    // Ended before its end.
    let first = try connection.cached("SELECT a FROM \"it's\"")
    _ = try first.step()
    first.reset()
    guard rows == 2, connection.executionCount > 8 else { fatalError("\(rows) rows") }
  }
}
