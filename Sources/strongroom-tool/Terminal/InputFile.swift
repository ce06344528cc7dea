import Foundation

/// Reads files that are named on the command line.
enum InputFile {
  /// Reads a whole file, or its first bytes; a pipe too, such as a shell makes of `<(COMMAND)`.
  /// - Throws: `ToolFailure` with the path and what to do.
  static func read(_ path: String, upToCount count: Int? = nil) throws -> Data {
    do {
      let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
      return try (count.map { try file.read(upToCount: $0) } ?? file.readToEnd()) ?? Data()
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
