import Foundation

/// Looks for everything that is wrong with a model.
///
/// Linear in its size.
struct ModelCheck {
  private(set) var issues: [ModelIssue] = []
  private let description: ModelDeclaration
  private var entities: [String: Entity] = [:]
  private var composites: [String: Composite] = [:]
  private var ownProperties: [String: Set<String>] = [:]
  private static let longestName = 1 << 20
  private static let deepestInheritance = 256

  init(_ description: ModelDeclaration) {
    self.description = description
    for entity in description.entities {
      name(entity.name, entity.name, nil)
      if entities.updateValue(entity, forKey: entity.name) != nil {
        fault(.duplicateName, entity.name, nil, "two entities have this name; rename one")
      }
    }
    checkComposites()
    var depths: [String: Int] = [:]
    for entity in description.entities { checkInheritance(entity, &depths) }
    if !issues.isEmpty { return }
    let size = ModelSize(description).propertyCount
    if size > ModelSize.most {
      fault(
        .tooLarge, nil, nil,
        "its entities have more than \(ModelSize.most) properties with those that they inherit and the"
          + " elements of composites;"
          + " split the model")
      return
    }
    for entity in description.entities {
      ownProperties[entity.name] = Set(entity.attributes.map(\.name) + entity.relationships.map(\.name))
    }
    for entity in description.entities { check(entity) }
  }

  private mutating func fault(
    _ reason: ModelIssue.Reason, _ entity: String?, _ property: String?, _ suggestion: String
  ) {
    issues.append(ModelIssue(reason, entity, property, suggestion))
  }

  private mutating func name(_ name: String, _ entity: String?, _ property: String?) {
    if name.isEmpty {
      fault(.emptyName, entity, property, "give it a name")
    } else if name.utf8.count > Self.longestName {
      fault(.invalidName, nil, nil, "a name is longer than 1 MiB; shorten it")
    } else if name.unicodeScalars.contains(where: { $0.value < 32 }) {
      fault(.invalidName, entity, property, "the name holds control characters; take them out")
    } else if property != nil, name.unicodeScalars.first == "@" || name.unicodeScalars.contains(".") {
      fault(
        .invalidName, entity, property,
        "no key path leads to a name with a dot or an @ at its start; rename it")
    }
  }

  private mutating func checkComposites() {
    for composite in description.composites {
      name(composite.name, composite.name, nil)
      if composites.updateValue(composite, forKey: composite.name) != nil {
        fault(.duplicateName, composite.name, nil, "two composites have this name; rename one")
      }
    }
    var sound: Set<String> = []
    for composite in description.composites {
      var path: [String] = []
      checkComposite(composite.name, &path, &sound)
    }
  }

  private mutating func checkComposite(_ name: String, _ path: inout [String], _ sound: inout Set<String>) {
    if sound.contains(name) { return }
    if path.contains(name) || path.count > 100 {
      fault(.compositeCycle, name, nil, "the composite contains itself; break the circle")
      return
    }
    path.append(name)
    for attribute in composites[name]?.attributes ?? [] {
      check(attribute, of: name)
      if attribute.userInfo[Attribute.sealingKey] != nil {
        fault(
          .wrongSealing, name, attribute.name,
          "an element of a composite is not sealed alone; seal the attributes that have the composite")
      }
      if attribute.type == .composite, let inner = attribute.compositeName, composites[inner] != nil {
        checkComposite(inner, &path, &sound)
      }
    }
    path.removeLast()
    sound.insert(name)
  }

  /// - `depths`: How many entities each one that was looked at inherits through.
  private mutating func checkInheritance(_ entity: Entity, _ depths: inout [String: Int]) {
    var line: [String] = []
    var seen: Set<String> = []
    var depth = -1
    var next: Entity? = entity
    while let current = next {
      if let known = depths[current.name] {
        depth = known
        break
      }
      if !seen.insert(current.name).inserted {
        fault(
          .inheritanceCycle, entity.name, nil,
          "it inherits from itself through \(current.name); break the circle")
        break
      }
      line.append(current.name)
      guard let parent = current.superentityName else { break }
      next = entities[parent]
      if next == nil {
        fault(.missingSuperentity, current.name, nil, "its superentity \(parent) is not in the model; add it")
      }
    }
    for name in line.reversed() {
      depth += 1
      depths[name] = depth
      // Each entity has all that it inherits, so a long line takes memory by its square.
      if depth == Self.deepestInheritance {
        fault(
          .tooLarge, name, nil, "it inherits through \(depth) entities, which is the most; flatten the line")
      }
    }
  }

  private mutating func check(_ entity: Entity) {
    var seen: Set<String> = []
    for property in entity.attributes.map(\.name) + entity.relationships.map(\.name) {
      name(property, entity.name, property)
      if !seen.insert(property).inserted {
        fault(.duplicateName, entity.name, property, "two properties have this name; rename one")
      }
      var ancestor = entity.superentityName
      while let name = ancestor {
        if ownProperties[name]?.contains(property) == true {
          fault(.redeclaredProperty, entity.name, property, "\(name) declares it already; leave it out here")
        }
        ancestor = entities[name]?.superentityName
      }
    }
    for attribute in entity.attributes { check(attribute, of: entity.name) }
    for relationship in entity.relationships { check(relationship, entity) }
    checkSealing(entity)
    for constraint in entity.uniquenessConstraints {
      for property in constraint.propertyNames where find(property, entity) == nil {
        fault(
          .unknownProperty, entity.name, property,
          "a uniqueness constraint names it, but there is no such property")
      }
    }
    for index in entity.fetchIndexes {
      for case .some(let property) in index.elements.map(\.propertyName) where find(property, entity) == nil {
        fault(
          .unknownProperty, entity.name, property,
          "the index \(index.name) names it, but there is no such property")
      }
    }
  }

  private mutating func checkSealing(_ entity: Entity) {
    for attribute in entity.attributes {
      guard let obstacle = SealingCheck.obstacle(attribute) else { continue }
      fault(.wrongSealing, entity.name, attribute.name, obstacle)
    }
    for property in entity.uniquenessConstraints.flatMap(\.propertyNames) {
      let obstacle = attribute(property, entity).flatMap(SealingCheck.obstacleToUniqueness)
      if let obstacle { fault(.wrongSealing, entity.name, property, obstacle) }
    }
    for index in entity.fetchIndexes {
      for element in index.elements {
        guard let name = element.propertyName, let attribute = attribute(name, entity),
          let obstacle = SealingCheck.obstacle(attribute, in: element, of: index.name)
        else { continue }
        fault(.wrongSealing, entity.name, name, obstacle)
      }
    }
  }

  /// The entity that declares a property, own or inherited.
  private func find(_ property: String, _ entity: Entity) -> Entity? {
    var next: Entity? = entity
    while let current = next {
      if ownProperties[current.name]?.contains(property) == true { return current }
      next = current.superentityName.flatMap { entities[$0] }
    }
    return nil
  }

  /// An attribute that an entity declares or inherits.
  private func attribute(_ name: String, _ entity: Entity) -> Attribute? {
    find(name, entity)?.attributes.first { $0.name == name }
  }

  private mutating func check(_ attribute: Attribute, of owner: String) {
    if let value = attribute.defaultValue, !value.matches(attribute.type) {
      fault(
        .wrongDefault, owner, attribute.name, "the default is not of type \(attribute.type.rawValue)")
    } else if case .double(let number)? = attribute.defaultValue, number.isNaN {
      fault(.wrongDefault, owner, attribute.name, "the default is NaN, which no store can hold; take it out")
    }
    if let pattern = attribute.regularExpression, (try? NSRegularExpression(pattern: pattern)) == nil {
      fault(
        .wrongPattern, owner, attribute.name, "its regular expression cannot be read; repair or remove it"
      )
    }
    if attribute.type == .composite {
      guard let name = attribute.compositeName, composites[name] != nil else {
        fault(
          .missingComposite, owner, attribute.name,
          "its composite \(attribute.compositeName ?? "is not named and so") is not in the model; add it")
        return
      }
    }
    if attribute.type == .undefined, !attribute.isTransient {
      fault(
        .wrongDefault, owner, attribute.name,
        "it has no type, or one that is not known, which only a transient attribute may; choose one")
    }
  }

  private mutating func check(_ relationship: Relationship, _ entity: Entity) {
    guard let destination = entities[relationship.destinationEntityName] else {
      fault(
        .missingDestination, entity.name, relationship.name,
        "its destination \(relationship.destinationEntityName) is not in the model; add it or change the"
          + " destination"
      )
      return
    }
    if relationship.maxCount > 0, relationship.minCount > relationship.maxCount {
      fault(.wrongCounts, entity.name, relationship.name, "its least count is above its greatest")
    }
    if let inverse = relationship.inverseName {
      let owner = find(inverse, destination)
      if owner?.relationships.contains(where: { $0.name == inverse }) != true {
        fault(
          .missingInverse, entity.name, relationship.name,
          "its inverse \(destination.name).\(inverse) is not in the model; add it or take the inverse out")
      }
    }
  }
}
