import Foundation
import MappingModels
import Strongroom

/// A folder with one store for tests of mapping models.
final class MappingPlace: Sendable {
  let folder: URL
  let vault = InMemoryVault()
  var url: URL { folder.appendingPathComponent("library.strongroom") }

  init() throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("mapping-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  var description: PersistentStoreDescription {
    var description = PersistentStoreDescription(url: url, vault: vault)
    description.busyTimeoutMilliseconds = 100
    return description
  }

  /// Opens the store, runs some work, and closes it.
  @discardableResult
  func with<R>(
    _ model: ManagedObjectModel, _ mapping: MappingModel? = nil,
    _ change: (inout PersistentStoreDescription) -> Void = { _ in },
    _ body: (ManagedObjectContext) throws -> R
  ) async throws -> R {
    var description = description
    description.mappingModel = mapping
    change(&description)
    let container = PersistentContainer(managedObjectModel: model, description: description)
    try await container.loadPersistentStores()
    let result = Result { try body(container.newContext()) }
    try container.close()
    return try result.get()
  }

  /// The error of a migration; the store is compared with what it was.
  func refusal(
    _ model: ManagedObjectModel, _ mapping: MappingModel,
    _ change: (inout PersistentStoreDescription) -> Void = { _ in }
  ) async throws -> (error: (any Error)?, isUnchanged: Bool) {
    let before = try Data(contentsOf: url)
    var failure: (any Error)?
    do { try await with(model, mapping, change) { _ in } } catch { failure = error }
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    return (failure, try Data(contentsOf: url) == before && names == ["library.strongroom"])
  }
}

extension ManagedObjectContext {
  /// The values of an attribute of all objects of an entity, in the order of another.
  func texts(_ entity: String, _ name: String, by order: String? = nil) throws -> [String] {
    let request = FetchRequest(entity, sortDescriptors: [FetchSortDescriptor(order ?? name)])
    return try fetch(request).map { try $0.value(forKey: name).text }
  }

  /// The one object whose attribute has a value.
  func object(_ entity: String, _ name: String, _ value: AttributeValue) throws -> ManagedObject? {
    try fetch(FetchRequest(entity, where: .compare(name, .equal, value))).first
  }
}
