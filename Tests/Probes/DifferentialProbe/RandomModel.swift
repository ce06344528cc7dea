import SeededRandom
import Strongroom

/// Makes models: an Item, subentities of it, and others; attributes of every type, relationships
/// and indexes of every kind.
enum RandomModel {
  private static let types: [AttributeType] = [
    .integer16, .integer32, .integer64, .double, .float, .decimal, .boolean, .date, .string, .string, .binary,
    .uuid, .uri,
    .transformable,
  ]

  static func make(_ random: inout Random) throws -> ManagedObjectModel {
    let others = (0..<(1 + random.below(3))).map { "Other\($0)" }
    let roots = ["Item"] + others
    var entities: [Entity] = []
    for root in roots {
      // At least one of each type in the first.
      let own =
        root == "Item"
        ? types + (0..<random.below(6)).map { _ in random.element(types)! }
        : (0..<(2 + random.below(5))).map { _ in random.element(types)! }
      entities.append(entity(root, nil, own, &random))
    }
    for number in 0..<random.below(3) {
      let parent = random.element(entities)!.name
      entities.append(
        entity("Special\(number)", parent, (0..<random.below(4)).map { _ in random.element(types)! }, &random)
      )
    }
    let names = entities.map(\.name)
    // Item to itself both ways, then whatever comes.
    link(&entities, "Item", "Item", (false, true), &random)
    link(&entities, "Item", others[0], (true, true), &random)
    for _ in 0..<(3 + random.below(6)) {
      link(
        &entities, random.element(names)!, random.element(names)!, (random.chance(2), !random.chance(3)),
        &random)
    }
    let composite = Composite(
      "Place", [Attribute("city", .string), Attribute("x", .double)])
    return try ManagedObjectModel(ModelDeclaration(entities: entities, composites: [composite]))
  }

  private static func entity(
    _ name: String, _ parent: String?, _ types: [AttributeType], _ random: inout Random
  ) -> Entity {
    var attributes = types.enumerated().map { number, type in
      Attribute("\(name.lowercased())\(number)\(type.rawValue)", type)
    }
    if random.chance(2) || name == "Item" {
      attributes.append(Attribute("\(name.lowercased())Place", .composite, composite: "Place"))
    }
    if random.chance(2) || name == "Item" {
      attributes.append(Attribute("\(name.lowercased())Mood", .string, transient: true))
    }
    var result = Entity(name, parent: parent) {
      for attribute in attributes { attribute }
    }
    let texts = attributes.filter { $0.type == .string && !$0.isTransient }.map(\.name)
    let numbers = attributes.filter {
      [.integer16, .integer32, .integer64, .double, .float, .date].contains($0.type)
    }.map(\.name)
    if !texts.isEmpty, random.chance(2) {
      result.fetchIndexes.append(
        FetchIndex("words", texts.map { FetchIndexElement($0, fullText: true) }))
    }
    if !numbers.isEmpty, random.chance(2) {
      result.fetchIndexes.append(
        FetchIndex(
          "boxes", numbers.prefix(1 + random.below(5)).map { FetchIndexElement($0, rTree: true) }))
    }
    for name in numbers + texts where random.chance(6) {
      result.fetchIndexes.append(
        FetchIndex("by\(name)", [FetchIndexElement(name, ascending: random.chance(2))]))
    }
    return result
  }

  /// One or many on either end; an end may be missing, in order, or its own inverse.
  private static func link(
    _ entities: inout [Entity], _ from: String, _ to: String, _ isMany: (Bool, Bool),
    _ random: inout Random
  ) {
    guard let source = entities.firstIndex(where: { $0.name == from }),
      let target = entities.firstIndex(where: { $0.name == to })
    else { return }
    let number = entities.reduce(0) { $0 + $1.relationships.count }
    let (there, back) = ("\(isMany.1 ? "many" : "one")\(number)", "\(isMany.0 ? "many" : "one")\(number)back")
    func add(
      _ place: Int, _ name: String, _ other: String, _ many: Bool, _ inverse: String?, _ random: inout Random
    ) {
      let isOrdered = many && random.chance(3)
      entities[place].relationships.append(
        many
          ? Relationship(name, toMany: other, inverse: inverse, ordered: isOrdered)
          : Relationship(name, to: other, inverse: inverse))
    }
    switch random.below(6) {
    case 0: add(source, there, to, isMany.1, nil, &random)
    case 1 where from == to: add(source, there, to, isMany.1, there, &random)
    default:
      add(source, there, to, isMany.1, back, &random)
      add(target, back, from, isMany.0, there, &random)
    }
  }
}
