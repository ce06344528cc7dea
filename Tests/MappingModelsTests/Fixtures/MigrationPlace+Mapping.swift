import MappingModels
import MigrationPlace
import Strongroom

extension MigrationPlace {
  /// Opens the store with a mapping model, runs some work, and closes it.
  @discardableResult
  func with<R>(
    _ model: ManagedObjectModel, _ mapping: MappingModel?,
    _ change: (inout PersistentStoreDescription) -> Void = { _ in },
    _ body: (ManagedObjectContext) throws -> R
  ) async throws -> R {
    try await with(
      model,
      {
        $0.mappingModel = mapping
        change(&$0)
      }, body)
  }

  /// The error of a migration; the store is compared with what it was.
  func refusal(
    _ model: ManagedObjectModel, _ mapping: MappingModel?,
    _ change: (inout PersistentStoreDescription) -> Void = { _ in }
  ) async throws -> (error: (any Error)?, isUnchanged: Bool) {
    let before = try bytes()
    var failure: (any Error)?
    do { try await with(model, mapping, change) { _ in } } catch { failure = error }
    return (failure, try bytes() == before && others().isEmpty)
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
