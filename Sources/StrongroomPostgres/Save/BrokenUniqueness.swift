import ObjectModel
import ObjectQuery
import StoreContract

/// A uniqueness constraint that a save breaks; which objects do is found out afterwards.
struct BrokenUniqueness: Error {
  let cause: ServerError
  let save: SaveChangesRequest

  /// The error for the program, with the objects of the save that have a value of others, or of each other.
  ///
  /// One statement.
  func error(in store: PostgresStore) throws -> StoreError {
    guard let broken = try store.open.schema.uniqueness.first(where: { $0.name == cause.constraint }) else {
      return StoreError(.notUnique, "another object has the same values; change them", cause: cause)
    }
    let names = broken.columns.map(\.field.name).joined(separator: " and ")
    return StoreError(
      .notUnique,
      "another \(broken.entity.name) has the same \(names); change it or delete the other",
      objectIDs: try colliding(broken, store), cause: cause)
  }

  private func colliding(
    _ broken: ServerSchema.Uniqueness, _ store: PostgresStore
  ) throws -> [ManagedObjectID] {
    let nodes = (save.inserted + save.updated.map(\.node)).filter { $0.entity.isKind(of: broken.entity) }
    func key(_ node: IncrementalStoreNode) -> [AttributeValue] {
      broken.columns.map { node.value(of: $0.field) }
    }
    var owners: [[AttributeValue]: ManagedObjectID] = [:]
    for node in nodes where !key(node).contains(.null) {
      if owners.updateValue(node.objectID, forKey: key(node)) != nil { return [node.objectID] }
    }
    // What the save replaces or deletes has no part in it.
    let deleted = save.deleted.map(\.objectID).filter { $0.entity.root === broken.entity.root }
    let own = Set(nodes.map(\.reference) + deleted.map(\.reference))
    let values = broken.columns.indices.map { place in
      FetchExpression.list(owners.keys.map { .value($0[place]) })
    }
    let condition = FetchPredicate.and(
      zip(broken.columns, values).map { .comparison(FetchComparison(.keyPath([$0.field.name]), .in, $1)) })
    for node in try store.fetchNodes(FetchRequest(broken.entity.name, where: condition), lookup: nil) {
      if !own.contains(node.reference), let id = owners[key(node)] { return [id] }
    }
    return []
  }
}
