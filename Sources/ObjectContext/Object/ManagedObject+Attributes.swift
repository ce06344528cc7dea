public import ObjectModel

extension ManagedObject {
  /// An attribute's value by name. Fires the fault: one statement for the whole batch the object came with.
  /// - Throws: `unknownName` when the entity has no such attribute, `objectGone` when the row is no longer there.
  public final func value(for name: String) throws -> AttributeValue {
    try slotValue(.attribute(attribute(name)))
  }

  /// An attribute's value by name as a Swift type; nil when it is null.
  /// - Throws: as `value(for:)`, and `wrongType` when the attribute holds another type.
  public final func get<T: AttributeConvertible>(_ name: String, as type: T.Type = T.self) throws -> T? {
    let value = try value(for: name)
    if value.isNull { return nil }
    guard let result = T(attributeValue: value) else {
      throw ContextError(.wrongType, "\(entity.name).\(name) cannot be read as \(T.self)")
    }
    return result
  }

  /// Sets an attribute by name; `.null` clears it. Issues no statement unless the object is a fault.
  /// - Throws: `unknownName`, and `wrongType` when the value is not of the attribute's type.
  public final func setValue(_ value: AttributeValue, for name: String) throws {
    let attribute = try attribute(name)
    guard value.matches(attribute.type) else {
      throw ContextError(
        .wrongType, "\(entity.name).\(name) takes values of type \(attribute.type.rawValue) only")
    }
    let context = try context()
    if !state.contains(.inserted) { _ = try row() }
    setSlot(attribute.slot, value)
    if !attribute.isTransient { context.noteUpdated(self) }
  }

  /// Sets an attribute by name from a Swift value; nil clears it.
  /// - Throws: as `setValue(_:for:)`.
  public final func set<T: AttributeConvertible>(_ name: String, _ value: T?) throws {
    let type = try attribute(name).type
    try setValue(value?.attributeValue(for: type) ?? .null, for: name)
  }

  final func attribute(_ name: String) throws(ContextError) -> Attribute {
    guard let attribute = entity.attribute(named: name) else {
      throw ContextError(.unknownName, "\(entity.name) has no attribute \(name)")
    }
    return attribute
  }

  /// The values that were set and differ from the stored ones, by name; attributes and to-ones.
  /// - Throws: when the object's row is gone.
  public final func changedValues() throws -> [String: AttributeValue] {
    guard let changes else { return [:] }
    var result: [String: AttributeValue] = [:]
    for property in entity.properties {
      guard let value = changes.value(property.slot) else { continue }
      if try isInserted || value != committed(property) { result[property.name] = value }
    }
    return result
  }

  /// The values as last read or saved, by name; attributes and to-ones. Empty for an object not saved yet.
  /// - Throws: when the object's row is gone.
  public final func committedValues() throws -> [String: AttributeValue] {
    if isInserted { return [:] }
    var result: [String: AttributeValue] = [:]
    for field in entity.storedFields { result[field.name] = try row().value(of: field) }
    return result
  }

  private func committed(_ property: Property) throws -> AttributeValue {
    switch property {
    case .attribute(let attribute): try row().value(of: attribute)
    case .relationship(let relationship):
      try relationship.field < 0
        ? .null : row().target(relationship.field).map(AttributeValue.reference) ?? .null
    }
  }
}
