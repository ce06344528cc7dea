public import ObjectModel
import ObjectQuery

extension ManagedObject {
  /// An attribute's value by name.
  ///
  /// Fires the fault: one statement for the whole batch the object came with.
  /// - Throws: `unknownKey` when the entity has no such attribute, `objectNotFound` when the row is
  ///   no longer there.
  ///
  /// A name with dots names an element of a composite: `address.city`.
  public final func value(forKey name: String) throws -> AttributeValue {
    if let attribute = entity.attribute(named: name) { return try slotValue(.attribute(attribute)) }
    guard let (composite, path) = element(name) else { throw unknown(name) }
    _ = try attribute(name)
    return try slotValue(.attribute(composite)).element(path)
  }

  /// An attribute's value by name as a Swift type; nil when it is null.
  /// - Throws: as `value(for:)`, and `wrongType` when the attribute holds another type.
  public final func get<T: AttributeConvertible>(_ name: String, as type: T.Type = T.self) throws -> T? {
    let value = try value(forKey: name)
    if value.isNull { return nil }
    guard let result = T(attributeValue: value) else {
      throw ContextError(.wrongType, "\(entity.name).\(name) cannot be read as \(T.self)")
    }
    return result
  }

  /// Sets an attribute by name; `.null` clears it.
  ///
  /// Issues no statement unless the object is a fault.
  /// - Throws: `unknownKey`, `wrongType` when the value is not of the attribute's type,
  ///   `derivedAttribute`, `objectNotFound` when others deleted the object.
  public final func setValue(_ value: AttributeValue, forKey name: String) throws {
    var attribute = try attribute(name)
    guard attribute.accepts(value) else {
      throw ContextError(
        .wrongType, "\(entity.name).\(name) takes values of type \(attribute.type.rawValue) only")
    }
    if attribute.derivation != nil {
      throw ContextError(
        .derivedAttribute, "\(entity.name).\(name) is computed by the store; change what it is derived from")
    }
    let graph = try liveGraph()
    try readRowToChange()
    var value = value
    if attribute.index < 0, let (composite, path) = element(name) {
      attribute = composite
      value = try slotValue(.attribute(composite)).setting(value, at: path)
    }
    setSlot(attribute.index, value)
    if !attribute.isTransient { graph.tracker.recordUpdate(self) }
  }

  /// Sets an attribute by name from a Swift value; nil clears it.
  /// - Throws: as `setValue(_:for:)`.
  public final func set<T: AttributeConvertible>(_ name: String, _ value: T?) throws {
    let type = try attribute(name).type
    try setValue(value?.attributeValue(for: type) ?? .null, forKey: name)
  }

  /// The attribute of a name, or the element of a composite that a name with dots names.
  final func attribute(_ name: String) throws(ContextError) -> AttributeDescription {
    if let attribute = entity.attribute(named: name) { return attribute }
    if let (composite, path) = element(name), let element = composite.element(path) { return element }
    throw unknown(name)
  }

  private func unknown(_ name: String) -> ContextError {
    ContextError(.unknownKey, "\(entity.name) has no attribute \(name)")
  }

  /// A composite and the names of the element in it; nil for a name without dots.
  private func element(_ name: String) -> (AttributeDescription, [String])? {
    guard name.contains(".") else { return nil }
    let names = name.keyPathNames(keepingEmpty: true)
    guard let composite = entity.attribute(named: names[0]), composite.type == .composite else { return nil }
    return (composite, Array(names.dropFirst()))
  }

  /// The values that were set and differ from the stored ones, by name; attributes and to-ones.
  ///
  /// One statement for the batch when the object is a fault.
  /// - Throws: when the object's row was deleted.
  public final func changedValues() throws -> [String: AttributeValue] {
    guard let changes else { return [:] }
    var result: [String: AttributeValue] = [:]
    for property in entity.properties {
      guard let value = changes.value(property.index) else { continue }
      if try isInserted || value != committed(property) { result[property.name] = value }
    }
    return result
  }

  /// Whether a stored value differs from the row, or a to-many was changed: false, other than
  /// `hasChanges`, once every value is set back.
  ///
  /// True for a new object. Long bytes with external storage that were set count as others where
  /// the stored ones were never read. Issues no statement.
  public final var hasPersistentChangedValues: Bool {
    if isInserted { return true }
    guard let changes else { return false }
    for state in changes.toManys where state.hasChanges && !state.relationship.isTransient { return true }
    for property in entity.properties where !property.isTransient {
      guard let value = changes.value(property.index) else { continue }
      // Bytes that were not read yet are not read for this.
      if node?.isUnread(property) == true { return true }
      guard let stored = try? committed(property), stored == value else { return true }
    }
    return false
  }

  /// The values as last read or saved, by name; attributes and to-ones.
  ///
  /// Empty for an object not saved yet. One statement for the batch when the object is a fault.
  ///
  /// - Parameter names: The properties wanted; nil for all.
  /// - Returns: The values by property name; empty for an object that was never saved.
  /// - Throws: `ContextError` when the object's row was deleted.
  public final func committedValues(forKeys names: [String]? = nil) throws -> [String: AttributeValue] {
    if isInserted { return [:] }
    var result: [String: AttributeValue] = [:]
    for field in entity.storedFields where names?.contains(field.name) ?? true {
      switch field {
      case .attribute(let attribute): result[field.name] = try storedValue(attribute)
      case .toOne: result[field.name] = try row().value(of: field)
      }
    }
    return result
  }

  private func committed(_ property: PropertyDescription) throws -> AttributeValue {
    if property.isStored, let row = changes?.committedRow, !row.isUnread(property) {
      return row.value(of: property)
    }
    switch property {
    case .attribute(let attribute): return attribute.isTransient ? .null : try storedValue(attribute)
    case .relationship(let relationship):
      return try relationship.field < 0
        ? .null : row().reference(relationship.field).map(AttributeValue.reference) ?? .null
    }
  }
}

extension AttributeValue {
  /// A composite with one element changed; a null composite begins empty, and null takes an element
  /// out.
  fileprivate func setting(_ value: AttributeValue, at path: [String]) -> AttributeValue {
    guard let name = path.first else { return value }
    var elements: [String: AttributeValue] = [:]
    if case .composite(let present) = self { elements = present }
    let inner = (elements[name] ?? .null).setting(value, at: Array(path.dropFirst()))
    elements[name] = inner.isNull ? nil : inner
    return .composite(elements)
  }
}
