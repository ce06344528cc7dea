import AppleModel
import Foundation
import Strongroom

/// The model that the user names for a store of Core Data's.
enum GivenModel {
  /// All versions of a bundle, compiled or not, or the one model of anything else; none where none
  /// is named.
  static func load(_ path: String?, _ keys: KeyArguments) async throws -> [ManagedObjectModel] {
    guard let path else { return [] }
    let url = URL(fileURLWithPath: path)
    switch url.pathExtension {
    case "mom", "momd", "omo":
      return try CompiledModelBundle(url: url).versions.map { try AppleModel($0).managedObjectModel() }
    case "xcdatamodeld":
      return try XCDataModelBundle(url: url).versions.map { try ManagedObjectModel.load($0).model }
    default: return [try await ModelSource.model(path, keys)]
    }
  }
}
