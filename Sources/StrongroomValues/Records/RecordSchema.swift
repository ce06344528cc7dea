import ObjectModel

/// A record type as a table.
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

  /// - Throws: `ValuesError`: `notDescribable`, `unknownProperty`.
  init<Value: Record>(_ type: Value.Type) throws {
    let shape = try CodableSchema.of(type)
    self.type = type
    typeName = String(describing: type)
    tableName = type.tableName
    originalTableName = type.originalTableName
    key = try shape.name(of: type.primaryKey)
    var columns: [Column] = shape.properties.map {
      Column(attribute: Attribute($0.name, $0.form, optional: $0.isOptional), originalName: nil)
    }
    for said in type.columns {
      let name = try shape.name(of: said.keyPath)
      guard let place = columns.firstIndex(where: { $0.attribute.name == name }) else { continue }
      var attribute = columns[place].attribute
      attribute.isIndexed = said.isIndexed
      do { attribute.defaultValue = try said.defaultForm() } catch {
        throw ValuesError.coding(.unencodable, "the default of \(typeName).\(name)", error)
      }
      columns[place] = Column(attribute: attribute, originalName: said.originalName)
    }
    self.columns = columns
    let form = columns.first { $0.attribute.name == key }?.attribute
    if form?.type == .transformable || form?.isOptional == true {
      throw ValuesError(
        .notDescribable,
        "\(typeName).\(key) cannot be a primary key: it is optional, or kept as JSON; choose a plain type or an enumeration"
          + " with a plain raw value")
    }
  }

  /// The entity that this table is, over what the store has under its name already: columns of the
  /// store that the type does not know stay, with their data.
  func description(over stored: Entity?) -> Entity {
    var entity = stored ?? Entity(tableName)
    entity.name = tableName
    let former = entity.attributes
    var own: [Attribute] = []
    var renamed: Set<String> = []
    for column in columns {
      var attribute = column.attribute
      let isThere = former.contains { $0.name == attribute.name }
      if let old = column.originalName, !isThere, former.contains(where: { $0.name == old }) {
        attribute.renamingIdentifier = old
        renamed.insert(old)
      }
      own.append(attribute)
    }
    let names = Set(own.map(\.name))
    for var other in former where !names.contains(other.name) && !renamed.contains(other.name) {
      // Rows of this type have nothing in it.
      if other.defaultValue == nil { other.isOptional = true }
      own.append(other)
    }
    entity.attributes = own
    let unique = UniquenessConstraint(key)
    entity.uniquenessConstraints = entity.uniquenessConstraints.map {
      UniquenessConstraint($0.propertyNames.map { name in renamedColumn(name, renamed) })
    }
    for index in entity.fetchIndexes.indices {
      for place in entity.fetchIndexes[index].elements.indices {
        let name = entity.fetchIndexes[index].elements[place].propertyName
        entity.fetchIndexes[index].elements[place].propertyName = name.map { renamedColumn($0, renamed) }
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
  /// The model with records' tables replacing its entities of the same names. Everything else
  /// stays.
  /// - Throws: `ValuesError` with code `duplicateName` for two types of one table.
  mutating func place(_ shapes: [RecordSchema]) throws {
    var names: Set<String> = []
    for shape in shapes {
      guard names.insert(shape.tableName).inserted else {
        throw ValuesError(
          .duplicateName,
          "two record types have the table \(shape.tableName); give one of them another tableName")
      }
    }
    for shape in shapes {
      let isThere = entities.contains { $0.name == shape.tableName }
      let old = isThere ? shape.tableName : shape.originalTableName ?? shape.tableName
      let place = entities.firstIndex { $0.name == old && (isThere || !names.contains(old)) }
      var entity = shape.description(over: place.map { entities[$0] })
      entity.renamingIdentifier = !isThere && place != nil ? old : entity.renamingIdentifier
      if let place { entities[place] = entity } else { entities.append(entity) }
    }
  }
}
