import ObjectModel
import ObjectQuery
import StoreContract

extension PredicateTranslation {
  /// Whether an object is of an entity, which its row says.
  mutating func isKind(_ object: FetchExpression, _ name: String) -> String? {
    if object == .value(.null) { return "0" }
    guard let destination = schema.model.entity(named: name), destination.root === entity(of: object)?.root,
      let term = single(object), term.kind == .object
    else { return nil }
    let members = destination.hierarchy.map { String(schema.entityNumbers[$0.index]) }.joined(separator: ", ")
    let number = sql(term)
    if case .column(_, _, let alias, nil) = term, number == "\(alias)._id" {
      return "\(alias)._entity IN (\(members))"
    }
    return
      "(SELECT _entity FROM \(schema.table(destination).name.quoted) WHERE _id = \(number)) IN (\(members))"
  }

  /// The column of a property that only a subentity has, which is null in the rows of all others,
  /// for a choice by the kind.
  mutating func ownColumn(
    _ condition: FetchPredicate, _ then: FetchExpression, _ otherwise: FetchExpression
  ) -> SQLTerm? {
    guard case .kind(.selfObject, let name) = condition, case .keyPath(let names) = then, names.count == 1,
      otherwise == .value(.null), names[0].hasPrefix(name + ":")
    else { return nil }
    switch entity.queryProperty(named: names[0]) {
    case .attribute(let attribute)? where attribute.entity.name == name: return term(then)
    case .relationship(let toOne)? where toOne.entity.name == name && !toOne.isToMany: return term(then)
    default: return nil
    }
  }

  /// The entity that an object is of by the model.
  private func entity(of object: FetchExpression) -> EntityDescription? {
    switch object {
    case .selfObject: return entity
    case .keyPath, .variable:
      guard let (scope, names) = path(of: object) else { return nil }
      return Self.follow(names, from: scope.entity)
    case .element(let collection, _, let names):
      return entity(of: collection).flatMap { Self.follow(names, from: $0) }
    case .conditional(_, let then, let otherwise): return entity(of: then) ?? entity(of: otherwise)
    default: return nil
    }
  }

  private static func follow(_ names: [String], from entity: EntityDescription) -> EntityDescription? {
    var entity = entity
    for name in names {
      guard let relationship = entity.queryRelationship(named: name) else { return nil }
      entity = relationship.destination
    }
    return entity
  }
}
