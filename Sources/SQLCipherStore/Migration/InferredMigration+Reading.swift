import LightweightMigration
import ObjectModel
import StoreContract

/// Whether a store can be read with another version of its model as it is.
extension InferredMigration {
  /// What is in the way of reading the store with the new model without changing anything; none when
  /// every entity and property of that model is there.
  func readingObstacles() throws -> [String] {
    let unknown = new.roots.compactMap(unknownSubentity)
    if !unknown.isEmpty { return unknown }
    let lacking = new.model.entities.flatMap(obstacles)
    if !lacking.isEmpty { return lacking }
    let changed = new.roots.compactMap(obstacle)
    if !changed.isEmpty { return changed }
    let former = old.virtualIndexes.map { $0.creation(old.table($0.entity), old.entityNumbers)[0] }
    let indexes = new.virtualIndexes.filter {
      !former.contains($0.creation(new.table($0.entity), new.entityNumbers)[0])
    }
    return indexes.map { "the index \($0.name) of \($0.entity.name) is not in the store" }
      + new.orderedJoinTables.filter { !plan.isUnchanged($0.asMigrated) }.map {
        "\($0.owner.entity.name).\($0.owner.name) is stored in another way"
      }
  }

  private func obstacles(_ entity: EntityDescription) -> [String] {
    guard let pair = mapping.entities[entity.name], pair.old.name == entity.name else {
      return ["the store has no entity \(entity.name)"]
    }
    return entity.properties.filter { $0.declaringEntity === entity }.compactMap { property in
      let problem =
        switch property {
        case .attribute(let attribute): obstacle(attribute, pair)
        case .relationship(let relationship): obstacle(relationship, pair)
        }
      return problem.map { "\(entity.name).\(property.name) \($0)" }
    }
  }

  private func obstacle(_ attribute: AttributeDescription, _ pair: ModelMapping.EntityMapping) -> String? {
    if attribute.field < 0 { return nil }
    guard let was = pair.attributes[attribute.index], was.name == attribute.name, was.field >= 0 else {
      return "is not in the store"
    }
    // What does not fit may be written while the store is open.
    guard attribute.type.conversion(from: was.type) == .lossless else {
      return "is \(was.type.rawValue) in the store and \(attribute.type.rawValue) here"
    }
    return obstacle(.attribute(attribute), pair)
  }

  private func obstacle(_ now: RelationshipDescription, _ pair: ModelMapping.EntityMapping) -> String? {
    if now.isTransient { return nil }
    guard let was = pair.relationships[now.index], was.name == now.name else { return "is not in the store" }
    guard was.isToMany == now.isToMany, was.isOrdered == now.isOrdered,
      was.inverse?.name == now.inverse?.name, plan.holds(now.destination, all: was.destination)
    else { return "is stored in another way" }
    return now.field < 0 ? nil : obstacle(.toOne(now), pair)
  }

  private func obstacle(_ field: StoredField, _ pair: ModelMapping.EntityMapping) -> String? {
    if stayingColumn(field, pair) != nil { return nil }
    guard let was = plan.old(field, pair) else { return "is not in the store" }
    return was.isOptional && !field.isOptional
      ? "may be missing in the store and is required here" : "is stored in another way"
  }

  /// What is in the way of a whole hierarchy.
  private func obstacle(_ root: EntityDescription) -> String? {
    switch change(of: root) {
    case .none: return nil
    case .columns(let added, _) where added.isEmpty: return nil
    default: return "\(root.name) is stored in another way"
    }
  }

  /// What the store may have objects of in a hierarchy, and the new model does not.
  private func unknownSubentity(_ root: EntityDescription) -> String? {
    let known = Set(mapping.old(in: root))
    guard let was = mapping.entities[root.name]?.old,
      let added = was.hierarchy.first(where: { !$0.isAbstract && !known.contains($0) })
    else { return nil }
    return "\(root.name) has the subentity \(added.name) in the store, whose objects have no class here"
  }
}
