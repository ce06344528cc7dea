public import Foundation

/// The folders that `ModelConfiguration(url:)` is given, which Foundation has no names for on
/// Linux.
extension URL {
  /// The user's folder for programs' data: `XDG_DATA_HOME`, or `~/.local/share`.
  @_disfavoredOverload
  public static var applicationSupportDirectory: URL { DataFolder.url }

  /// The user's folder for documents.
  @_disfavoredOverload
  public static var documentsDirectory: URL { known(.documentDirectory, or: "Documents") }

  /// The user's folder for what can be made again: `XDG_CACHE_HOME`, or `~/.cache`.
  @_disfavoredOverload
  public static var cachesDirectory: URL { known(.cachesDirectory, or: ".cache") }

  private static func known(_ folder: FileManager.SearchPathDirectory, or name: String) -> URL {
    FileManager.default.urls(for: folder, in: .userDomainMask).first
      ?? FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(name, isDirectory: true)
  }
}

/// Where the programs of a user keep their data.
enum DataFolder {
  static var url: URL {
    let given = ProcessInfo.processInfo.environment["XDG_DATA_HOME"]
    // The specification says that a relative path there is none.
    return given.flatMap { $0.hasPrefix("/") ? URL(fileURLWithPath: $0, isDirectory: true) : nil }
      ?? FileManager.default.homeDirectoryForCurrentUser.appendingPathComponent(
        ".local/share", isDirectory: true)
  }
}
