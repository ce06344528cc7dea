import AppleModel
import ArgumentParser
import Foundation
import Strongroom

/// Loads a model named on the command line: a model's bundle or file, compiled or not, or a store,
/// which contains its model.
enum ModelSource {
  static func model(_ path: String, _ keys: KeyArguments) async throws -> ManagedObjectModel {
    let url = URL(fileURLWithPath: path)
    if ["mom", "momd", "omo"].contains(url.pathExtension) {
      return try AppleModel(contentsOf: url).managedObjectModel()
    }
    guard ServerAddressText(path) != nil || isStore(path) else {
      return try ManagedObjectModel.load(contentsOf: url).model
    }
    return try await KeyArguments.model(try keys.description(path))
  }

  /// Whether a path is a regular file that is not text: models are folders, XML or JSON.
  private static func isStore(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
      && !ForeignFile.isText(path)
  }
}
