import Foundation
import Strongroom

/// Finds the model bundles, single versions and bare files under some paths.
enum ModelFiles {
  /// A path and its bundle, or the error of reading it.
  typealias Found = (path: String, bundle: Result<XCDataModelBundle, ModelError>)

  /// - Throws: `ToolFailure` for a path without a model, so that it is not reported as checked.
  static func find(_ paths: [String]) throws -> [Found] {
    try paths.flatMap { path in
      let found = find(URL(fileURLWithPath: path))
      guard !found.isEmpty else {
        throw ToolFailure(
          "there is no Core Data model at \(path); name a .xcdatamodeld, a .xcdatamodel, a bare contents"
            + " file,"
            + " or a folder that has some (`model diff`, `diagram` and `generate` read models in JSON too)"
        )
      }
      return found
    }
  }

  /// Where a version of the bundle at a path is: the path itself where it has no other.
  static func place(_ version: XCDataModelBundle.Version, _ path: String) -> String {
    path.hasSuffix(".xcdatamodeld") ? "\(path)/\(version.name).xcdatamodel" : path
  }

  private static func find(_ url: URL) -> [Found] {
    let isBundle =
      ["xcdatamodeld", "xcdatamodel"].contains(url.pathExtension) || url.lastPathComponent == "contents"
    if isBundle {
      do throws(ModelError) {
        return [(url.path, .success(try XCDataModelBundle(url: url)))] + nested(url)
      } catch {
        return [(url.path, .failure(error))]
      }
    }
    return entries(url).flatMap { find($0) }
  }

  /// Bundles inside a version folder, where some projects have them by mistake.
  private static func nested(_ url: URL) -> [Found] {
    guard url.pathExtension == "xcdatamodeld" else { return [] }
    return entries(url).filter { $0.pathExtension == "xcdatamodel" }.flatMap { version in
      entries(version).filter { $0.pathExtension == "xcdatamodeld" || $0.pathExtension == "xcdatamodel" }
        .flatMap { find($0) }
    }
  }

  private static func entries(_ url: URL) -> [URL] {
    let entries =
      (try? FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)) ?? []
    return entries.sorted { $0.path < $1.path }.filter { entry in
      var isFolder: ObjCBool = false
      let exists = FileManager.default.fileExists(atPath: entry.path, isDirectory: &isFolder)
      return exists && (isFolder.boolValue || entry.lastPathComponent == "contents")
    }
  }
}
