package import ObjectModel

/// What keeps a migration from being done.
extension MigrationSurvey {
  /// What the two models, then the rows, do not allow.
  package func issues() throws -> [MigrationIssue] {
    let impossible = mapping.issues
    if impossible.contains(where: { $0.propertyName == nil }) { return try impossible.map(counted) }
    // What the rows say of properties that cannot be migrated anyway is not asked.
    func isPossible(_ field: StoredField) -> Bool {
      !impossible.contains { $0.propertyName == field.name && $0.entityName == field.declaringEntity.name }
    }
    var issues = try impossible.map(counted) + new.roots.compactMap(tooManyColumns)
    for entity in new.model.entities {
      if let pair = mapping.entities[entity.name], !pair.old.isAbstract {
        issues += try rowIssues(pair, pair.new.storedFields.filter(isPossible))
      }
      for constraint in entity.declaration.uniquenessConstraints
      where entity.storedFields.allSatisfy({ !constraint.propertyNames.contains($0.name) || isPossible($0) })
      {
        if let issue = try duplicates(constraint, of: entity) { issues.append(issue) }
      }
    }
    return issues
  }

  private func tooManyColumns(_ root: EntityDescription) -> MigrationIssue? {
    let (count, most) = (new.columnCount(root), database.columnLimit)
    guard count > most else { return nil }
    return MigrationIssue(
      .tooManyColumns, root.name, nil,
      "\(root.name) and its subentities need \(count) columns, and a table has \(most) at most; divide them")
  }

  /// The issue of an attribute's type with the objects whose values cannot be converted.
  private func counted(_ issue: MigrationIssue) throws -> MigrationIssue {
    guard issue.kind == .incompatibleType, let entity = issue.entityName.flatMap(new.model.entity(named:)),
      let attribute = issue.propertyName.flatMap(entity.attribute(named:))
    else { return issue }
    let selections = entity.hierarchy.compactMap { entity -> String? in
      guard let pair = mapping.entities[entity.name], !pair.old.isAbstract,
        let was = pair.attributes[attribute.index], was.field >= 0,
        attribute.type.conversion(from: was.type) == .impossible
      else { return nil }
      return rows(pair) + " AND \(column(.attribute(was), pair)) IS NOT NULL"
    }
    return try self.issue(issue, selections) ?? issue
  }

  /// The column of an old field in the row `r`.
  private func column(_ field: StoredField, _ pair: ModelMapping.EntityMapping) -> String {
    old.columnName(field, of: pair.old).map { "r.\($0)" } ?? "NULL"
  }

  private func rows(_ pair: ModelMapping.EntityMapping) -> String {
    "SELECT _id, _entity FROM \(old.tableName(pair.old)) AS r WHERE r.\(plan.ownRows(pair.old))"
  }

  /// An issue with the objects that statements select; nil when there are none.
  private func issue(
    _ issue: MigrationIssue, _ statements: [String], _ defaults: MigrationDefaults = MigrationDefaults()
  ) throws -> MigrationIssue? {
    guard !statements.isEmpty else { return nil }
    let sql = statements.joined(separator: " UNION ALL ")
    let count = try count("SELECT count(*) FROM (\(sql)) AS s", defaults)
    guard count > 0 else { return nil }
    return MigrationIssue(
      issue.kind, issue.entityName, issue.propertyName, issue.message, objectCount: count,
      objectURIs: try objectURIs(sql, defaults))
  }

  // MARK: Rows

  private func rowIssues(
    _ pair: ModelMapping.EntityMapping, _ fields: [StoredField]
  ) throws -> [MigrationIssue] {
    let entity = pair.new
    var issues: [MigrationIssue] = []
    if entity.isAbstract, try census.rows(pair.old) > 0,
      let issue = try issue(
        MigrationIssue(.abstractEntity, entity.name, nil, "\(entity.name) is abstract and has objects"),
        [rows(pair)])
    {
      issues.append(issue)
    }
    for field in fields {
      issues += try [missing(field, pair), outOfRange(field, pair), unconverted(field, pair)].compactMap {
        $0
      }
    }
    return issues
  }

  /// The objects that would have no value for a required property.
  private func missing(_ field: StoredField, _ pair: ModelMapping.EntityMapping) throws -> MigrationIssue? {
    if field.isOptional { return nil }
    let name = "\(pair.new.name).\(field.name)"
    switch field {
    case .attribute(let attribute):
      guard attribute.defaultValue.isNull, attribute.derivation == nil else { return nil }
      let was = plan.old(field, pair)
      var condition = was.map { " AND \(column($0, pair)) IS NULL" } ?? ""
      if case .attribute(let former)? = was, converts(attribute, former) {
        // Null may stand for a value, such as a composite without any.
        var defaults = MigrationDefaults()
        condition += " AND \(copy.value(field, pair, &defaults)) IS NULL"
      } else if was?.isOptional == false {
        return nil
      }
      return try issue(
        MigrationIssue(
          .missingValue, pair.new.name, field.name,
          "\(name) is required, has no default, and is missing: give it a default, make it optional, or say"
            + " what it was called before (the renaming identifier, in typed models originalName)"),
        [rows(pair) + condition])
    case .toOne(let toOne):
      if case .toOne(let was)? = plan.old(field, pair), !was.isOptional,
        plan.holds(toOne.destination, all: was.destination)
      {
        return nil
      }
      var defaults = MigrationDefaults()
      let value = copy.value(field, pair, &defaults)
      return try issue(
        MigrationIssue(
          .missingValue, pair.new.name, field.name,
          "\(name) is required and is missing: make it optional, or say what it was called before (the"
            + " renaming identifier, in typed models originalName)"),
        [rows(pair) + " AND \(value) IS NULL"])
    }
  }

  /// The objects whose number does not fit into the attribute's new type.
  private func outOfRange(_ field: StoredField, _ pair: ModelMapping.EntityMapping) throws -> MigrationIssue?
  {
    guard case .attribute(let attribute) = field, case .attribute(let was)? = plan.old(field, pair),
      attribute.type.conversion(from: was.type) == .ifInRange, let range = attribute.type.exactIntegers,
      database.obstacle(to: attribute, from: was) == nil
    else { return nil }
    let column = column(.attribute(was), pair)
    return try issue(
      MigrationIssue(
        .valueOutOfRange, pair.new.name, attribute.name,
        "\(pair.new.name).\(attribute.name) was \(was.type.rawValue), is \(attribute.type.rawValue), and has"
          + " values that do not fit"),
      [rows(pair) + " AND \(column) NOT BETWEEN \(range.lowerBound) AND \(range.upperBound)"])
  }

  /// The objects whose value the program cannot convert.
  private func unconverted(
    _ field: StoredField, _ pair: ModelMapping.EntityMapping
  ) throws -> MigrationIssue? {
    guard case .attribute(let attribute) = field, case .attribute(let was)? = plan.old(field, pair),
      let value = database.conversion(column(.attribute(was), pair), to: attribute, from: was)
    else { return nil }
    let selection =
      rows(pair) + " AND \(column(.attribute(was), pair)) IS NOT NULL AND \(value) IS NULL"
    guard try count("SELECT count(*) FROM (\(selection)) AS s") > 0 else { return nil }
    let reason = database.obstacle(to: attribute, from: was) ?? "its values cannot be read"
    return try issue(
      MigrationIssue(
        .incompatibleType, pair.new.name, attribute.name, "\(pair.new.name).\(attribute.name): \(reason)"),
      [selection])
  }

  /// Whether the program converts an attribute's values.
  private func converts(_ attribute: AttributeDescription, _ was: AttributeDescription) -> Bool {
    plan.conversions?.conversion(was, attribute) != nil
  }

  // MARK: Uniqueness

  /// The objects that would share the values of a uniqueness constraint.
  private func duplicates(
    _ constraint: UniquenessConstraint, of entity: EntityDescription
  ) throws -> MigrationIssue? {
    let fields = constraint.propertyNames.compactMap { name in
      entity.storedFields.first { $0.name == name }
    }
    guard fields.count == constraint.propertyNames.count, !fields.isEmpty,
      try !isUniqueAlready(fields, of: entity)
    else { return nil }
    var defaults = MigrationDefaults()
    let rows = entity.hierarchy.compactMap { entity -> String? in
      guard let pair = mapping.entities[entity.name], !pair.old.isAbstract else { return nil }
      let values = fields.enumerated().map {
        "\(copy.value($0.element, pair, &defaults)) AS c\($0.offset)"
      }
      return "SELECT r._id, r._entity, \(values.joined(separator: ", "))"
        + " FROM \(old.tableName(pair.old)) AS r WHERE r.\(plan.ownRows(pair.old))"
    }
    guard !rows.isEmpty else { return nil }
    let columns = fields.indices.map { "c\($0)" }
    let list = columns.joined(separator: ", ")
    let values = columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
    // What is null is equal to nothing.
    let sql =
      "WITH v AS (\(rows.joined(separator: " UNION ALL ")))"
      + " SELECT _id, _entity FROM v WHERE (\(list)) IN"
      + " (SELECT \(list) FROM v WHERE \(values) GROUP BY \(list) HAVING count(*) > 1)"
    let names = constraint.propertyNames.joined(separator: " with ")
    return try issue(
      MigrationIssue(
        .duplicateValues, entity.name, constraint.propertyNames.count == 1 ? names : nil,
        "objects have the same values of \(entity.name).\(names) where the new version wants them to be"
          + " unique"), [sql], defaults)
  }

  /// Whether the old version had the constraint on the same objects and values.
  private func isUniqueAlready(_ fields: [StoredField], of entity: EntityDescription) throws -> Bool {
    guard let pair = mapping.entities[entity.name], plan.holds(entity, all: pair.old),
      Set(mapping.old(in: entity)).isSubset(of: pair.old.hierarchy)
    else { return false }
    var names: Set<String> = []
    for field in fields {
      guard let was = plan.old(field, pair), field.isOptional || !was.isOptional else { return false }
      names.insert(was.name)
    }
    return pair.old.declaration.uniquenessConstraints.contains { Set($0.propertyNames) == names }
  }
}
