/// Finds removed and added names that may mean the same thing.
///
/// A pair is alike when its kinds are the same and its names are similar, or it stands at the same
/// position of its entity; or when nothing else of this kind was removed or added.
package struct RenamingQuestions {
  /// What is compared of a removed or added part of a model.
  private struct Part {
    let name: String
    let kind: String
    let position: Int
  }

  package private(set) var questions: [MigrationForecast.RenamingQuestion] = []

  package init(from old: ManagedObjectModel, to new: ManagedObjectModel, _ mapping: ModelMapping) {
    ask(
      nil, removed: old.entities.filter { mapping.new(of: $0) == nil }.map { part($0) },
      added: new.entities.filter { mapping.entities[$0.name] == nil }.map { part($0) })
    for entity in new.entities {
      guard let pair = mapping.entities[entity.name] else { continue }
      let (before, after) = (pair.old.declaration, entity.declaration)
      let attributes = Set(pair.attributes.values.map(\.name))
      let relationships = Set(pair.relationships.values.map(\.name))
      ask(
        entity.name,
        removed: parts(before.attributes) { !attributes.contains($0) },
        added: parts(after.attributes) { name in
          entity.attribute(named: name).map { pair.attributes[$0.index] == nil } ?? false
        })
      ask(
        entity.name,
        removed: parts(before.relationships, of: pair.old, mapping) { !relationships.contains($0) },
        added: parts(after.relationships, of: entity, mapping) { name in
          entity.relationship(named: name).map { pair.relationships[$0.index] == nil } ?? false
        })
    }
  }

  private mutating func ask(_ entity: String?, removed: [Part], added: [Part]) {
    for former in removed {
      let alike = added.filter { $0.kind == former.kind }
      let rivals = removed.filter { $0.kind == former.kind }
      let found =
        alike.first { NearestName.isNear(former.name, $0.name) }
        ?? alike.first { $0.position == former.position }
        ?? (alike.count == 1 && rivals.count == 1 ? alike.first : nil)
      if let found {
        questions.append(
          MigrationForecast.RenamingQuestion(
            entityName: entity, formerName: former.name, name: found.name))
      }
    }
  }

  /// Entities are alike by what they declare, whatever their names.
  private func part(_ entity: EntityDescription) -> Part {
    let own = entity.declaration
    let attributes = own.attributes.map { "\($0.name) \($0.type.rawValue)" }.sorted()
    let relationships = own.relationships.map { "\($0.name) \($0.isToMany)" }.sorted()
    return Part(
      name: entity.name, kind: (attributes + relationships).joined(separator: ", "), position: entity.index)
  }

  private func parts(_ attributes: [Attribute], where isWanted: (String) -> Bool) -> [Part] {
    attributes.enumerated().filter { isWanted($0.element.name) }.map { position, attribute in
      Part(name: attribute.name, kind: attribute.type.rawValue, position: position)
    }
  }

  /// The kind of a relationship is its destination, under the name of the new version.
  private func parts(
    _ relationships: [Relationship], of entity: EntityDescription, _ mapping: ModelMapping,
    where isWanted: (String) -> Bool
  ) -> [Part] {
    relationships.enumerated().filter { isWanted($0.element.name) }.map { position, relationship in
      let destination = entity.relationship(named: relationship.name)?.destination
      let now = destination.flatMap { mapping.new(of: $0)?.new.name }
      return Part(
        name: relationship.name,
        kind: "\(now ?? relationship.destinationEntityName) \(relationship.isToMany)", position: position)
    }
  }
}
