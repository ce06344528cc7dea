import Foundation
import Glibc

/// `STRONGROOM_SQL_DEBUG` in the environment, as Core Data's `-com.apple.CoreData.SQLDebug`: 1
/// prints each statement with its rows and time to standard error, 3 also the types and sizes of
/// its bindings.
enum SQLDebug {
  /// 0 for off; read once in a process.
  static let level = getenv("STRONGROOM_SQL_DEBUG").flatMap { Int(String(cString: $0)) } ?? 0

  static func print(_ label: String, _ statement: ExecutedStatement, _ bindings: [String]) {
    var line = "strongroom: sql: \(label): \(statement.sql)"
    if !bindings.isEmpty { line += " [\(bindings.joined(separator: ", "))]" }
    line += " -- \(statement.rows) row\(statement.rows == 1 ? "" : "s")"
    line += String(format: ", %.3f ms", statement.milliseconds)
    if statement.waitedMilliseconds > 0 { line += ", waited \(statement.waitedMilliseconds) ms" }
    // One call a line, so that lines of several threads do not mix.
    Array((line + "\n").utf8).withUnsafeBytes { _ = write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }
}
