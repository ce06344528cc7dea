import Foundation

/// Reads files that are named on the command line.
enum InputFile {
  /// Reads a whole file, or its first bytes.
  /// - Throws: `ToolFailure` with the path and what to do.
  static func read(_ path: String, upToCount count: Int? = nil) throws -> Data {
    let url = URL(fileURLWithPath: path)
    do {
      guard let count else { return try Data(contentsOf: url) }
      return try FileHandle(forReadingFrom: url).read(upToCount: count) ?? Data()
    } catch {
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
        throw ToolFailure("there is no file at \(path); check the path")
      }
      throw ToolFailure(
        isFolder.boolValue
          ? "\(path) is a folder; name a file" : "\(path) cannot be read; check its owner and mode")
    }
  }
}
