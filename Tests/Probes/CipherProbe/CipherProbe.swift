import CipherDatabase
import Foundation

/// `cipher-probe PATH` makes a file and writes a row; prints `made`, or the code of the refusal.
/// `cipher-probe lock PATH` tries to have a file of the same key to itself; prints `locked`, or the
/// code of the refusal. `cipher-probe open PATH` opens it and prints `opened`, or the code of the
/// refusal.
@main
struct CipherProbe {
  static func main() throws {
    let arguments = CommandLine.arguments
    let locks = arguments[1] == "lock"
    let opens = arguments[1] == "open"
    var options = ConnectionOptions()
    options.createIfMissing = !locks && !opens
    options.busyTimeoutMilliseconds = 50
    let key = [UInt8](repeating: 7, count: 32)
    let salt = [UInt8](repeating: 9, count: 16)
    do {
      let spec = try key.withUnsafeBytes { key in
        try salt.withUnsafeBytes { try CipherKeySpec(key: key, salt: $0) }
      }
      let connection = try Connection(path: arguments[locks || opens ? 2 : 1], key: spec, options: options)
      if locks {
        try connection.lockExclusively()
      } else if !opens {
        try connection.execute("CREATE TABLE secret (value TEXT); INSERT INTO secret VALUES ('readable?')")
      }
      connection.close()
      print(locks ? "locked" : opens ? "opened" : "made")
    } catch let error as CipherError {
      print(error.code.rawValue)
    }
  }
}
