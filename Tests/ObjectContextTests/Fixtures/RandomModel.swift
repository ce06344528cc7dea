import SeededRandom
import Strongroom

/// A model of random entities, and random changes to it.
///
/// Every root entity has the attribute `tag`, by which objects are recognised in every version.
struct RandomModel {
  private(set) var entities: [Entity] = []
  private var random: Random
  private var names = 0

  private static let types: [AttributeType] = [.string, .integer16, .integer32, .integer64, .double, .date]

  init(seed: UInt64) {
    random = Random(seed: seed)
    for number in 0..<3 + random.below(3) {
      let parent = random.chance(3) ? random.element(entities)?.name : nil
      var entity = Entity("E\(number)", parent: parent)
      if parent == nil { entity.attributes.append(Attribute("tag", .integer64)) }
      for _ in 0..<1 + random.below(4) { entity.attributes.append(attribute()) }
      entities.append(entity)
    }
    for _ in 0..<2 + random.below(5) { addRelationship() }
  }

  /// The model; nil when the changes made none.
  var model: ManagedObjectModel? { try? ManagedObjectModel(ModelDeclaration(entities: entities)) }

  private mutating func name(_ kind: String) -> String {
    names += 1
    return "\(kind)\(names)"
  }

  private mutating func attribute() -> Attribute {
    let type = random.element(Self.types) ?? .string
    return Attribute(name("a"), type)
  }

  private mutating func addRelationship() {
    let (one, other) = (random.below(entities.count), random.below(entities.count))
    let (near, far) = (name("r"), name("r"))
    let hasInverse = !random.chance(3)
    func make(_ name: String, _ destination: Int, _ inverse: String?, _ kind: Int) -> Relationship {
      kind == 0
        ? Relationship(name, to: entities[destination].name, inverse: inverse)
        : Relationship(name, toMany: entities[destination].name, inverse: inverse, ordered: kind == 1)
    }
    let kinds = (random.below(3), random.below(3))
    entities[one].relationships.append(make(near, other, hasInverse ? far : nil, kinds.0))
    if hasInverse { entities[other].relationships.append(make(far, one, near, kinds.1)) }
  }

  /// Makes the next version by some changes.
  mutating func change() {
    for index in entities.indices {
      entities[index].renamingIdentifier = nil
      for place in entities[index].attributes.indices {
        entities[index].attributes[place].renamingIdentifier = nil
      }
      for place in entities[index].relationships.indices {
        entities[index].relationships[place].renamingIdentifier = nil
      }
    }
    for _ in 0..<1 + random.below(4) { changeOnce() }
  }

  private mutating func changeOnce() {
    let index = random.below(entities.count)
    switch random.below(12) {
    case 0: entities[index].attributes.append(attribute())
    case 1: dropAttribute(index)
    case 2: renameAttribute(index)
    case 3: changeType(index)
    case 4: requireAttribute(index)
    case 5: moveAttribute(index)
    case 6: addRelationship()
    case 7: changeRelationship(index)
    case 8: dropRelationship(index)
    case 9: changeParent(index)
    case 10: dropEntity(index)
    default: changeEntity(index)
    }
  }

  /// The position of an attribute other than the tag.
  private mutating func attribute(of index: Int) -> Int? {
    random.element(entities[index].attributes.indices.filter { entities[index].attributes[$0].name != "tag" })
  }

  private mutating func dropAttribute(_ index: Int) {
    guard let place = attribute(of: index) else { return }
    let name = entities[index].attributes.remove(at: place).name
    for index in entities.indices {
      entities[index].uniquenessConstraints.removeAll { $0.propertyNames == [name] }
    }
  }

  private mutating func renameAttribute(_ index: Int) {
    guard let place = attribute(of: index) else { return }
    let former = entities[index].attributes[place].name
    entities[index].attributes[place].name = name("a")
    // Without the identifier the old one is dropped and the new one added.
    entities[index].attributes[place].renamingIdentifier = random.chance(4) ? nil : former
    for index in entities.indices {
      entities[index].uniquenessConstraints.removeAll { $0.propertyNames == [former] }
    }
  }

  private mutating func changeType(_ index: Int) {
    guard let place = attribute(of: index) else { return }
    let wider: [AttributeType: AttributeType] = [
      .integer16: .integer32, .integer32: random.chance(2) ? .integer16 : .double, .integer64: .integer32,
    ]
    let type = entities[index].attributes[place].type
    entities[index].attributes[place].type = wider[type] ?? (random.chance(3) ? .binary : type)
    entities[index].attributes[place].defaultValue = nil
    entities[index].attributes[place].isOptional = true
  }

  private mutating func requireAttribute(_ index: Int) {
    guard let place = attribute(of: index) else { return }
    let attribute = entities[index].attributes[place]
    let defaults: [AttributeType: AttributeValue] = [
      .string: .string("default"), .integer16: .integer(-1), .integer32: .integer(-1),
      .integer64: .integer(-1),
      .double: .double(-1),
    ]
    entities[index].attributes[place].isOptional.toggle()
    entities[index].attributes[place].defaultValue = random.chance(4) ? nil : defaults[attribute.type]
  }

  private mutating func moveAttribute(_ index: Int) {
    guard let place = attribute(of: index) else { return }
    let own = entities[index].name
    let near = entities.indices.filter {
      entities[$0].superentityName == own || entities[$0].name == entities[index].superentityName
    }
    guard let other = random.element(near) else { return }
    entities[other].attributes.append(entities[index].attributes.remove(at: place))
  }

  /// The position of the inverse of a relationship.
  private func inverse(_ relationship: Relationship) -> (entity: Int, place: Int)? {
    guard let name = relationship.inverseName else { return nil }
    for entity in entities.indices {
      if let place = entities[entity].relationships.firstIndex(where: { $0.name == name }) {
        return (entity, place)
      }
    }
    return nil
  }

  private mutating func changeRelationship(_ index: Int) {
    guard let place = random.element(Array(entities[index].relationships.indices)) else { return }
    let relationship = entities[index].relationships[place]
    let back = inverse(relationship)
    switch random.below(5) {
    case 0:
      entities[index].relationships[place].isToMany.toggle()
      entities[index].relationships[place].isOrdered = false
      entities[index].relationships[place].maxCount = relationship.isToMany ? 1 : 0
    case 1: entities[index].relationships[place].isOrdered = relationship.isToMany && !relationship.isOrdered
    case 2:
      let former = relationship.name
      entities[index].relationships[place].name = name("r")
      entities[index].relationships[place].renamingIdentifier = random.chance(4) ? nil : former
      if let back {
        entities[back.entity].relationships[back.place].inverseName =
          entities[index].relationships[place].name
      }
    case 3:
      // The inverse goes, and this one stays.
      guard let back else { return }
      entities[index].relationships[place].inverseName = nil
      entities[back.entity].relationships.remove(at: back.place)
    default: entities[index].relationships[place].isOptional.toggle()
    }
  }

  private mutating func dropRelationship(_ index: Int) {
    guard let place = random.element(Array(entities[index].relationships.indices)) else { return }
    let relationship = entities[index].relationships.remove(at: place)
    if let back = inverse(relationship) { entities[back.entity].relationships.remove(at: back.place) }
  }

  private mutating func changeParent(_ index: Int) {
    let parent = entities[index].superentityName == nil ? random.element(entities)?.name : nil
    setParent(parent == entities[index].name ? nil : parent, of: index)
  }

  private mutating func setParent(_ parent: String?, of index: Int) {
    entities[index].superentityName = parent
    entities[index].attributes.removeAll { $0.name == "tag" }
    if parent == nil { entities[index].attributes.insert(Attribute("tag", .integer64), at: 0) }
  }

  private mutating func dropEntity(_ index: Int) {
    guard entities.count > 2 else { return }
    let name = entities[index].name
    for relationship in entities[index].relationships {
      guard let back = inverse(relationship), back.entity != index else { continue }
      entities[back.entity].relationships.remove(at: back.place)
    }
    let parent = entities[index].superentityName
    entities.remove(at: index)
    for other in entities.indices {
      entities[other].relationships.removeAll { $0.destinationEntityName == name }
      if entities[other].superentityName == name { setParent(parent, of: other) }
    }
  }

  private mutating func changeEntity(_ index: Int) {
    switch random.below(4) {
    case 0: entities[index].isAbstract.toggle()
    case 1:
      guard let place = attribute(of: index) else { return }
      entities[index].uniquenessConstraints = [UniquenessConstraint(entities[index].attributes[place].name)]
    case 2:
      var entity = Entity(name("E"))
      entity.attributes = [Attribute("tag", .integer64), attribute()]
      entities.append(entity)
    default:
      let former = entities[index].name
      let new = name("E")
      entities[index].name = new
      entities[index].renamingIdentifier = random.chance(5) ? nil : former
      for other in entities.indices {
        if entities[other].superentityName == former { entities[other].superentityName = new }
        for place in entities[other].relationships.indices
        where entities[other].relationships[place].destinationEntityName == former {
          entities[other].relationships[place].destinationEntityName = new
        }
      }
    }
  }
}
