package import ObjectModel

/// The whole of what a migration would do.
extension MigrationSurvey {
  /// What would become of every entity and property; `issues` are those that `issues()` found.
  package func forecast(_ issues: [MigrationIssue]) throws -> MigrationForecast {
    let present = try new.model.entities.map { entity in
      let pair = mapping.entities[entity.name]
      let isRenamed = pair.map { $0.old.name != entity.name } ?? false
      return MigrationForecast.Entity(
        name: entity.name, formerName: isRenamed ? pair?.old.name : nil,
        change: pair == nil ? .added : isRenamed ? .renamed : .unchanged,
        objectCount: try pair.map { try census.rows($0.old) } ?? 0,
        properties: try properties(entity) + (pair.map { try droppedProperties(of: $0.old) } ?? []))
    }
    let dropped = try old.model.entities.filter { mapping.new(of: $0) == nil }.map {
      MigrationForecast.Entity(
        name: $0.name, change: .dropped, objectCount: try census.rows($0),
        properties: try droppedProperties(of: $0).filter { $0.droppedCount > 0 })
    }
    let rebuilt = isCurrent ? [] : copied.filter { !mapping.old(in: $0).isEmpty }
    let estimate = isCurrent ? (seconds: 0, bytes: 0) : try estimate(rebuilt)
    return MigrationForecast(
      isCurrent: isCurrent, entities: present + dropped, issues: issues,
      questions: RenamingQuestions(from: old.model, to: new.model, mapping).questions,
      rebuiltEntities: rebuilt.map(\.name),
      droppedReferenceCount: try old.model.entities.reduce(0) { try $0 + droppedReferences(declaredBy: $1) },
      estimatedSeconds: estimate.seconds, estimatedBytes: estimate.bytes)
  }

  /// Whether the store has this version already.
  package var isCurrent: Bool { old.model.versionHash == new.model.versionHash }

  // MARK: Properties

  private func properties(_ entity: EntityDescription) throws -> [MigrationForecast.Property] {
    try entity.properties.filter { $0.declaringEntity === entity }.map { property in
      switch property {
      case .attribute(let attribute): try forecast(attribute)
      case .relationship(let relationship): try forecast(relationship)
      }
    }
  }

  private func forecast(_ attribute: AttributeDescription) throws -> MigrationForecast.Property {
    let pairs = attribute.entity.hierarchy.compactMap { mapping.entities[$0.name] }
    let was = pairs.lazy.compactMap { $0.attributes[attribute.index] }.first
    let type = attribute.type.rawValue
    guard let was else {
      return MigrationForecast.Property(
        name: attribute.name, isRelationship: false, change: .added, type: type,
        defaultedCount: try defaulted(attribute, pairs))
    }
    let isConverted = was.type != attribute.type
    return MigrationForecast.Property(
      name: attribute.name, formerName: was.name == attribute.name ? nil : was.name, isRelationship: false,
      change: isConverted ? .converted : was.name == attribute.name ? .unchanged : .renamed, type: type,
      formerType: isConverted ? was.type.rawValue : nil, defaultedCount: try defaulted(attribute, pairs))
  }

  /// The number of objects that get an attribute's default value.
  private func defaulted(
    _ attribute: AttributeDescription, _ pairs: [ModelMapping.EntityMapping]
  ) throws -> Int {
    guard attribute.field >= 0, attribute.derivation == nil, !attribute.defaultValue.isNull else { return 0 }
    return try pairs.reduce(0) { sum, pair in
      let rows = try census.rows(pair.old)
      guard let was = plan.old(.attribute(attribute), pair) else { return sum + rows }
      return attribute.isOptional ? sum : sum + rows - (try census.values(was, pair.old))
    }
  }

  private func forecast(_ relationship: RelationshipDescription) throws -> MigrationForecast.Property {
    let was = mapping.old(of: relationship)
    let isRenamed = was.map { $0.name != relationship.name } ?? false
    let isConverted = was.map { $0.isToMany != relationship.isToMany } ?? false
    return MigrationForecast.Property(
      name: relationship.name, formerName: isRenamed ? was?.name : nil, isRelationship: true,
      change: was == nil ? .added : isConverted ? .converted : isRenamed ? .renamed : .unchanged,
      type: type(relationship), formerType: isConverted ? was.map(type) : nil,
      droppedOrderCount: try was.map(droppedOrders) ?? 0, losesOrder: was.map(losesOrder) ?? false)
  }

  private func type(_ relationship: RelationshipDescription) -> String {
    relationship.destination.name + (relationship.isToMany ? "[]" : "")
  }

  /// The properties of an old entity that lose something, or that nothing corresponds to.
  private func droppedProperties(of old: EntityDescription) throws -> [MigrationForecast.Property] {
    try old.properties.filter { $0.declaringEntity === old }.compactMap { property in
      let (count, isMatched): (Int, Bool)
      switch property {
      case .attribute(let attribute):
        count = try old.hierarchy.reduce(0) { try $0 + droppedValues(of: attribute, in: $1) }
        isMatched = mapping.entities.values.contains { $0.attributes.values.contains(attribute) }
      case .relationship(let relationship):
        count = try droppedReferences(of: relationship)
        isMatched = mapping.entities.values.contains { $0.relationships.values.contains(relationship) }
      }
      guard count > 0 || !isMatched else { return nil }
      let type =
        switch property {
        case .attribute(let attribute): attribute.type.rawValue
        case .relationship(let relationship): type(relationship)
        }
      return MigrationForecast.Property(
        name: property.name, isRelationship: property.isRelationship, change: .dropped, type: type,
        droppedCount: count)
    }
  }

  /// The pairs of an entity's own relationships that are dropped, those of a pair of inverses once.
  private func droppedReferences(declaredBy entity: EntityDescription) throws -> Int {
    try entity.relationships.filter { $0.entity === entity && $0.joinTableOwner === $0 }.reduce(0) {
      try $0 + droppedReferences(of: $1, ofEitherEnd: $1.inverse != nil)
    }
  }

  // MARK: Estimates

  /// Bytes a second that are read and checked, and that are written.
  private static var speeds: (reading: Double, writing: Double) { (200e6, 30e6) }

  private func estimate(_ rebuilt: [EntityDescription]) throws -> (seconds: Double, bytes: Int) {
    let bytes = try database.byteCount()
    let all = try old.model.entities.reduce(0) { try $0 + census.rows($1) }
    let copied = try rebuilt.flatMap { mapping.old(in: $0) }.reduce(0) { try $0 + census.rows($1) }
    let share = all == 0 ? 0 : Double(copied) / Double(all)
    // New pages go into the log first, then into the file; a file of which half is free then is written anew.
    let times = share < 0.5 ? 2.0 : 3.0
    let written = Int(Double(bytes) * share * times) + (try isLossy() ? bytes : 0)
    return (Double(bytes) / Self.speeds.reading + Double(written) / Self.speeds.writing, written)
  }
}

extension PropertyDescription {
  fileprivate var isRelationship: Bool {
    if case .relationship = self { true } else { false }
  }
}
