import Foundation

// Conditions that have no translation for the engine, of models in a program's own store: all of the models
// are in memory anyway where that store leaves the filtering to the container.
extension ModelContext {
  /// Whether the models of a class are in a program's own store.
  private func isCustom<T: PersistentModel>(_ type: T.Type) -> Bool {
    guard core.hasCustomStores, let entity = core.entity(of: type) else { return false }
    return (try? core.engine.persistentStoreCoordinator.persistentStore(for: entity)) is any CustomStoring
  }

  /// The descriptor without its condition and page, where the condition is to be evaluated model by model.
  func evaluated<T: PersistentModel>(_ descriptor: FetchDescriptor<T>) throws -> FetchDescriptor<T>? {
    guard let predicate = descriptor.predicate, isCustom(T.self) else { return nil }
    do { _ = try condition(predicate, in: core) } catch {
      var wider = descriptor
      wider.predicate = nil
      (wider.fetchLimit, wider.fetchOffset) = (nil, nil)
      return wider
    }
    return nil
  }

  /// The page of a descriptor among models in its order.
  /// - Throws: what evaluating throws.
  func evaluate<T: PersistentModel>(_ descriptor: FetchDescriptor<T>, among models: [T]) throws -> [T] {
    let found = try models.filter { try descriptor.predicate?.evaluate($0) ?? true }
    let rest = found.dropFirst(max(descriptor.fetchOffset ?? 0, 0))
    guard let limit = descriptor.fetchLimit, limit > 0 else { return Array(rest) }
    return Array(rest.prefix(limit))
  }
}
