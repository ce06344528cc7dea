import ObjectModel

/// The table of a record type, as the type declares it.
struct RecordSchema: Sendable {
  struct Column: Sendable {
    var attribute: Attribute
    let originalName: String?
  }

  let type: any Record.Type
  let typeName: String
  let tableName: String
  let originalTableName: String?
  let key: String
  let columns: [Column]

  /// - Throws: `RecordError`: `notDescribable`, `unknownProperty`.
  init<Value: Record>(_ type: Value.Type) throws {
    let schema = try CodableSchema.of(type)
    self.type = type
    typeName = String(describing: type)
    tableName = type.tableName
    originalTableName = type.originalTableName
    key = try schema.name(of: type.primaryKey)
    var columns: [Column] = schema.properties.map {
      Column(attribute: Attribute($0.name, $0.form, optional: $0.isOptional), originalName: nil)
    }
    for options in type.columns {
      let name = try schema.name(of: options.keyPath)
      guard let index = columns.firstIndex(where: { $0.attribute.name == name }) else { continue }
      var attribute = columns[index].attribute
      attribute.isIndexed = options.isIndexed
      do { attribute.defaultValue = try options.defaultForm() } catch {
        throw RecordError.coding(.unencodable, "the default of \(typeName).\(name)", error)
      }
      columns[index] = Column(attribute: attribute, originalName: options.originalName)
    }
    self.columns = columns
    let form = columns.first { $0.attribute.name == key }?.attribute
    if form?.type == .transformable || form?.isOptional == true {
      throw RecordError(
        .notDescribable,
        "\(typeName).\(key) cannot be a primary key: it is optional or stored as JSON; choose a plain type"
          + " or an enumeration with a plain raw value")
    }
  }

  /// The entity of the table, based on the stored entity of its name: columns that the type does
  /// not declare stay, with their data.
  func description(over stored: Entity?) -> Entity {
    var entity = stored ?? Entity(tableName)
    entity.name = tableName
    let former = entity.attributes
    var own: [Attribute] = []
    var renamed: Set<String> = []
    for column in columns {
      var attribute = column.attribute
      let isStored = former.contains { $0.name == attribute.name }
      if let old = column.originalName, !isStored, former.contains(where: { $0.name == old }) {
        attribute.renamingIdentifier = old
        renamed.insert(old)
      }
      own.append(attribute)
    }
    let names = Set(own.map(\.name))
    for var other in former where !names.contains(other.name) && !renamed.contains(other.name) {
      // Rows that this type inserts have no value in it.
      if other.defaultValue == nil { other.isOptional = true }
      own.append(other)
    }
    entity.attributes = own
    let unique = UniquenessConstraint(key)
    entity.uniquenessConstraints = entity.uniquenessConstraints.map {
      UniquenessConstraint($0.propertyNames.map { name in renamedColumn(name, renamed) })
    }
    for index in entity.fetchIndexes.indices {
      for element in entity.fetchIndexes[index].elements.indices {
        let name = entity.fetchIndexes[index].elements[element].propertyName
        entity.fetchIndexes[index].elements[element].propertyName = name.map { renamedColumn($0, renamed) }
      }
    }
    if !entity.uniquenessConstraints.contains(unique) { entity.uniquenessConstraints.append(unique) }
    return entity
  }

  private func renamedColumn(_ name: String, _ renamed: Set<String>) -> String {
    guard renamed.contains(name) else { return name }
    return columns.first { $0.originalName == name }?.attribute.name ?? name
  }
}

extension ModelDeclaration {
  /// Replaces the entities that have the names of records' tables, and adds the others.
  ///
  /// Everything else stays.
  /// - Throws: `RecordError` with code `duplicateName` for two types of one table.
  mutating func merge(_ tables: [RecordSchema]) throws {
    var names: Set<String> = []
    for table in tables {
      guard names.insert(table.tableName).inserted else {
        throw RecordError(
          .duplicateName,
          "two record types have the table \(table.tableName); give one of them another tableName")
      }
    }
    for table in tables {
      let isStored = entities.contains { $0.name == table.tableName }
      let old = isStored ? table.tableName : table.originalTableName ?? table.tableName
      let index = entities.firstIndex { $0.name == old && (isStored || !names.contains(old)) }
      var entity = table.description(over: index.map { entities[$0] })
      entity.renamingIdentifier = !isStored && index != nil ? old : entity.renamingIdentifier
      if let index { entities[index] = entity } else { entities.append(entity) }
    }
  }
}
