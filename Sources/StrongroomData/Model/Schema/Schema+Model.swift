import Foundation
import ObjectModel

extension Schema {
  /// The engine's model of the schema.
  /// - Throws: `SwiftDataError.unknownSchema` with all that is wrong with the classes.
  func managedObjectModel() throws -> ManagedObjectModel {
    if isHandMade {
      return try HandMadeModel(entities, orders: binding?.orders ?? [:]).managedObjectModel(version)
    }
    var issues: [String] = []
    for (name, same) in Dictionary(grouping: shapes, by: \.name) where same.count > 1 {
      issues.append(
        "\(same.count) classes are called \(name), and an entity has the name of its class; rename all but"
          + " one"
      )
    }
    for shape in shapes {
      for property in shape.own {
        if let issue = property.issue { issues.append("\(shape.name).\(property.name): \(issue)") }
      }
    }
    guard issues.isEmpty else {
      throw SwiftDataError(.unknownSchema, issues.sorted().joined(separator: "; "))
    }
    let links = try Inverses(shapes)
    do {
      return try ManagedObjectModel(
        ModelDeclaration(
          entities: try shapes.map { try description(of: $0, links) },
          versionIdentifiers: [version.description]))
    } catch let error as ModelError {
      throw SwiftDataError(.unknownSchema, error.message, cause: error)
    }
  }

  private func description(of shape: ModelSchema, _ links: Inverses) throws -> ObjectModel.Entity {
    var entity = ObjectModel.Entity(shape.name, parent: shape.parent?.name)
    for property in shape.own { property.add(to: &entity, destination: ModelSchema.name) }
    for place in entity.relationships.indices {
      let name = entity.relationships[place].name
      entity.relationships[place].inverseName = links.inverse(of: name, in: shape)
      if entity.relationships[place].inverseName != nil {
        entity.relationships[place].inverseEntityName = entity.relationships[place].destinationEntityName
      }
    }
    for (kind, paths) in shape.constraints.flatMap(\.kind) {
      let names = try paths.map { path in
        if let names = shape.path(of: path), names.count == 1 { return names[0] }
        throw SwiftDataError(
          .unsupportedKeyPath,
          "#\(kind == .unique ? "Unique" : "Index") of \(shape.name) has a key path that is no persistent"
            + " property of it"
        )
      }
      switch kind {
      case .unique:
        let constraint = UniquenessConstraint(names)
        if !entity.uniquenessConstraints.contains(constraint) {
          entity.uniquenessConstraints.append(constraint)
        }
      case .index, .rTree, .fullText:
        if kind == .fullText { try Self.checkTexts(names, of: shape) }
        entity.fetchIndexes.append(
          FetchIndex(
            Self.indexName(names, kind),
            names.map { FetchIndexElement($0, rTree: kind == .rTree, fullText: kind == .fullText) }))
      }
    }
    return entity
  }
}

extension Schema {
  /// The name of an index of properties.
  static func indexName(_ names: [String], _ kind: SchemaConstraintPaths.Kind) -> String {
    let suffix =
      switch kind {
      case .rTree: "Range"
      case .fullText: "Words"
      case .index, .unique: ""
      }
    return "by" + names.map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined(separator: "And") + suffix
  }

  /// - Throws: `unsupportedKeyPath` for a property that is not stored as text.
  private static func checkTexts(_ names: [String], of shape: ModelSchema) throws {
    for name in names {
      let property = shape.properties.first { $0.name == name }
      if case .attribute(.string, _)? = property?.kind, property?.attribute?.isTransient != true { continue }
      throw SwiftDataError(
        .unsupportedKeyPath,
        "#Index of \(shape.name) has \(name) in an index of words, but it is not stored as text; take it out")
    }
  }
}

/// The inverse of each relationship.
struct Inverses: Sendable {
  private struct End: Hashable, Sendable {
    let entity: String
    let name: String
  }

  private var inverses: [End: String] = [:]

  init(_ shapes: [ModelSchema]) throws {
    for shape in shapes {
      for property in shape.own {
        guard case .relationship(let type, _, _) = property.kind,
          let path = property.relationship?.inverseKeyPath
        else { continue }
        let destination = ModelSchema.of(type)
        guard let back = Self.owner(of: path, in: destination) else {
          throw SwiftDataError(
            .unknownSchema,
            "\(shape.name).\(property.name): its inverse is no relationship of \(destination.name); name"
              + " one by its key path"
          )
        }
        try claim(shape, property, back.0, back.1)
        try claim(back.0, back.1, shape, property)
      }
    }
    infer(shapes)
  }

  func inverse(of name: String, in shape: ModelSchema) -> String? {
    inverses[End(entity: shape.name, name: name)]
  }

  private mutating func claim(
    _ shape: ModelSchema, _ property: PropertySchema, _ other: ModelSchema, _ inverse: PropertySchema
  ) throws {
    let end = End(entity: shape.name, name: property.name)
    if let known = inverses[end], known != inverse.name {
      throw SwiftDataError(
        .unknownSchema,
        "\(shape.name).\(property.name) has two inverses, \(known) and \(inverse.name); name one of them")
    }
    inverses[end] = inverse.name
  }

  /// The relationship that a key path reads, with the class that declares it.
  private static func owner(of path: AnyKeyPath, in shape: ModelSchema) -> (ModelSchema, PropertySchema)? {
    guard let names = shape.path(of: path), names.count == 1, let name = names.first else { return nil }
    var next: ModelSchema? = shape
    while let current = next {
      if let property = current.own.first(where: { $0.name == name }), case .relationship = property.kind {
        return (current, property)
      }
      next = current.parent
    }
    return nil
  }

  /// Where nothing is said, two relationships are each other's inverse when there is no other
  /// choice on either side.
  private mutating func infer(_ shapes: [ModelSchema]) {
    let free = shapes.flatMap { shape in
      shape.own.compactMap { property -> (ModelSchema, PropertySchema, ModelSchema)? in
        guard case .relationship(let type, _, _) = property.kind,
          inverses[End(entity: shape.name, name: property.name)] == nil
        else { return nil }
        return (shape, property, ModelSchema.of(type))
      }
    }
    func candidates(_ place: Int) -> [Int] {
      free.indices.filter {
        $0 != place && free[$0].2 === free[place].0 && free[place].2 === free[$0].0
      }
    }
    for place in free.indices {
      let found = candidates(place)
      guard found.count == 1, candidates(found[0]) == [place] else { continue }
      inverses[End(entity: free[place].0.name, name: free[place].1.name)] = free[found[0]].1.name
    }
  }
}
