import ArgumentParser
import Foundation
import Strongroom

/// A model as the command line names it: a model's bundle or file, or a store, which describes itself.
enum ModelSource {
  static func model(_ path: String, _ keys: KeyArguments) async throws -> ManagedObjectModel {
    guard isStore(path) else {
      return try ManagedObjectModel.load(contentsOf: URL(fileURLWithPath: path)).model
    }
    return try await KeyArguments.model(keys.description(path))
  }

  /// An ordinary file that is no text: models are folders, XML and JSON.
  private static func isStore(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
      && !ForeignFile.isText(path)
  }
}
