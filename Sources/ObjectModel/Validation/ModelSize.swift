/// How large a model becomes: each entity has what it inherits, and each attribute the elements of
/// its composite, so that a short description may make a model that no machine has room for.
struct ModelSize {
  /// The most properties of all entities together.
  static let most = 1_000_000

  /// The number of properties of all entities, with inherited ones and elements of composites
  /// counted each time, and of the entities in which each unidirectional to-one is listed; `most +
  /// 1` where there are more.
  private(set) var propertyCount = 0
  private var entities: [String: Entity] = [:]
  private var composites: [String: Composite] = [:]
  private var elementCounts: [String: Int] = [:]
  private var entityCounts: [String: Int] = [:]

  /// - Parameter description: Without circles of inheritance or of composites.
  init(_ description: ModelDeclaration) {
    entities = Dictionary(description.entities.map { ($0.name, $0) }) { first, _ in first }
    composites = Dictionary(description.composites.map { ($0.name, $0) }) { first, _ in first }
    var families: [String: Int] = [:]
    for entity in description.entities { families[root(entity), default: 0] += 1 }
    for entity in description.entities {
      add(count(entity))
      for relationship in entity.relationships
      where relationship.inverseName == nil && !relationship.isToMany {
        add(entities[relationship.destinationEntityName].map { families[root($0)] ?? 0 } ?? 0)
      }
      if propertyCount > Self.most { return }
    }
  }

  private mutating func add(_ count: Int) { propertyCount = min(propertyCount + count, Self.most + 1) }

  private func root(_ entity: Entity) -> String {
    var top = entity
    while let parent = top.superentityName.flatMap({ entities[$0] }) { top = parent }
    return top.name
  }

  private mutating func count(_ entity: Entity) -> Int {
    if let known = entityCounts[entity.name] { return known }
    var count = entity.relationships.count
    for attribute in entity.attributes { count = min(count + self.count(attribute), Self.most + 1) }
    if let parent = entity.superentityName.flatMap({ entities[$0] }) { count += self.count(parent) }
    entityCounts[entity.name] = min(count, Self.most + 1)
    return min(count, Self.most + 1)
  }

  private mutating func count(_ attribute: Attribute) -> Int {
    guard attribute.type == .composite, let name = attribute.compositeName,
      let composite = composites[name]
    else { return 1 }
    if let known = elementCounts[name] { return known }
    var count = 1
    for element in composite.attributes { count = min(count + self.count(element), Self.most + 1) }
    elementCounts[name] = count
    return count
  }
}
