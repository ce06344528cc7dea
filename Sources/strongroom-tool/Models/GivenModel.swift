import AppleModel
import Foundation
import Strongroom

/// The model that the user names for a store of Core Data's.
enum GivenModel {
  /// A compiled model, or one as `ModelSource` reads it; nil where none is named.
  static func load(_ path: String?, _ keys: KeyArguments) async throws -> ManagedObjectModel? {
    guard let path else { return nil }
    let url = URL(fileURLWithPath: path)
    if ["mom", "momd", "omo"].contains(url.pathExtension) {
      return try AppleModel(contentsOf: url).managedObjectModel()
    }
    return try await ModelSource.model(path, keys)
  }
}
