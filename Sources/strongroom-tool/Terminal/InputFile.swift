import Foundation

/// Files that are named on the command line, to be read.
enum InputFile {
  /// - Throws: `ToolFailure` with the path and what to do.
  static func read(_ path: String) throws -> Data {
    do {
      return try Data(contentsOf: URL(fileURLWithPath: path))
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
