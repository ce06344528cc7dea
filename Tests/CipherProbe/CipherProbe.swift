import CipherDatabase
import Foundation

/// Makes a file at the path given and writes a row; prints `made`, or the code of the refusal.
@main
struct CipherProbe {
  static func main() throws {
    var options = ConnectionOptions()
    options.createIfMissing = true
    let key = [UInt8](repeating: 7, count: 32)
    let salt = [UInt8](repeating: 9, count: 16)
    do {
      let spec = try key.withUnsafeBytes { key in
        try salt.withUnsafeBytes { try CipherKeySpec(key: key, salt: $0) }
      }
      let connection = try Connection(path: CommandLine.arguments[1], key: spec, options: options)
      try connection.execute("CREATE TABLE secret (value TEXT); INSERT INTO secret VALUES ('readable?')")
      connection.close()
      print("made")
    } catch let error as CipherError {
      print(error.code.rawValue)
    }
  }
}
