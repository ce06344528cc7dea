package import ObjectModel
package import StoreContract

/// Which tables, rows and links of a store become which of another version of its model, as far as the
/// models say.
package struct MigrationPlan<Schema: MigratedSchema>: Sendable {
  /// What the store has.
  package let old: Schema
  /// What it is to have.
  package let new: Schema
  /// Which entities and properties correspond.
  package let mapping: ModelMapping
  /// The conversions of the program that apply to the old version.
  package let conversions: ValueConversions?

  /// Compares what a store has with another version of its model.
  /// - Parameters:
  ///   - old: What it has.
  ///   - model: The other version.
  ///   - lastEntity: The highest number that the history has of an entity, be it there or not.
  ///   - conversions: The values that the program converts.
  package init(
    from old: Schema, to model: ManagedObjectModel, after lastEntity: Int64, _ conversions: ValueConversions?
  ) {
    let conversions = conversions.flatMap { $0.apply(to: old.model) ? $0 : nil }
    let mapping = ModelMapping(from: old.model, to: model) { conversions?.conversion($0, $1) != nil }
    let highest = old.model.entities.map(old.number).max() ?? 0
    var next = max(highest, lastEntity) + 1
    new = Schema(
      model: model,
      entityNumbers: model.entities.map { entity in
        if let known = mapping.entities[entity.name] { return old.number(known.old) }
        defer { next += 1 }
        return next
      })
    (self.old, self.mapping, self.conversions) = (old, mapping, conversions)
  }

  // MARK: Rows

  /// The rows of an entity without those of its subentities.
  package func ownRows(_ entity: EntityDescription) -> String { "_entity = \(old.number(entity))" }

  /// The numbers in the old version of what an entity of the new one has objects of.
  package func oldNumbers(in entity: EntityDescription) -> String {
    let numbers = mapping.old(in: entity).map { String(old.number($0)) }
    // No entity has the number 0; an empty list is not SQL everywhere.
    return (numbers.isEmpty ? ["0"] : numbers).joined(separator: ", ")
  }

  /// Whether a new entity has all objects of an old one.
  package func holds(_ entity: EntityDescription, all former: EntityDescription) -> Bool {
    Set(former.hierarchy.filter { !$0.isAbstract }).isSubset(of: mapping.old(in: entity))
  }

  /// What a stored field was.
  package func old(_ field: StoredField, _ pair: ModelMapping.EntityMapping) -> StoredField? {
    switch field {
    case .attribute(let attribute):
      pair.attributes[attribute.index].flatMap { $0.field >= 0 ? .attribute($0) : nil }
    case .toOne(let relationship):
      pair.relationships[relationship.index].flatMap { $0.field >= 0 ? .toOne($0) : nil }
    }
  }

  /// Whether every derived attribute was derived in the same way.
  package var isDerivedAlike: Bool {
    new.model.entities.allSatisfy { entity in
      entity.attributes.allSatisfy { attribute in
        guard attribute.derivation != nil, let pair = mapping.entities[entity.name] else { return true }
        return pair.attributes[attribute.index]?.derivation == attribute.derivation
      }
    }
  }

  // MARK: Links

  /// What the rows of a new table of links come from, and whether in the owner's direction.
  package func origin(of owner: RelationshipDescription) -> (old: RelationshipDescription, isForward: Bool)? {
    if let own = mapping.old(of: owner) { return (own, true) }
    return owner.inverse.flatMap { mapping.old(of: $0) }.map { ($0, false) }
  }

  /// Whether a table of links stays as it is.
  package func isUnchanged(_ links: MigratedLinks) -> Bool {
    guard let was = mapping.old(of: links.owner), let table = old.links(was) else { return false }
    if let inverse = links.owner.inverse {
      // A to-one's column and the table have the same pairs.
      if !inverse.isToMany, was.inverse?.isToMany ?? true { return false }
      if !inverse.isToMany, !mapping.allOld(of: inverse).allSatisfy({ $0 === was.inverse }) { return false }
      // One that is its own inverse has each pair both ways.
      if inverse === links.owner, was.inverse !== was { return false }
    }
    return table.owner === was && table.name.isSpelled(as: links.name)
      && table.hasPosition == links.hasPosition && table.hasInversePosition == links.hasInversePosition
      && holds(links.owner.entity, all: was.entity) && holds(links.owner.destination, all: was.destination)
  }
}

extension String {
  /// Whether the texts are the same to a database, to which a letter in two normal forms is two letters.
  package func isSpelled(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
